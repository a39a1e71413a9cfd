package spd

import (
	"math"

	"rao/internal/linalg/vec"
)

var logEuclid = newLogEuclid()

func newLogEuclid() *geometry {
	g := newFlat(LogEuclid, &FlatSpace{onto: true, to: toLog, from: fromLog})
	g.tangent = true
	g.vectors, g.logMap, g.expMap = g.flat.vectors, logEuclidLogMap, logEuclidExpMap
	return g
}

func toLog(s *scratch, dst []float64, x *Stack, lo, hi int, role string) error {
	return s.function(dst, nil, x, lo, hi, role, true, math.Log)
}

func fromLog(t []float64, n int) ([]float64, error) {
	vec.Symmetrize(t, n)
	sp, err := decompose(t, n, "mean of the logarithms", false)
	if err != nil {
		return nil, err
	}
	return sp.function(math.Exp), nil
}

func logEuclidLogMap(sp *spectrum, ref []float64) (pointMap, error) {
	n := sp.n
	logRef := sp.log()
	weights := loewner(sp.vals, func(a, b float64) float64 { return 1 / logMean(a, b) })
	return func(s *scratch, out []float64, x *Stack, lo, hi int) error {
		if err := toLog(s, out, x, lo, hi, "matrix"); err != nil {
			return err
		}
		addEach(out, -1, logRef)
		s.schur(out, sp.vecs, weights, n, hi-lo)
		return nil
	}, nil
}

func logEuclidExpMap(sp *spectrum, ref []float64) (pointMap, error) {
	n := sp.n
	logRef := sp.log()
	weights := loewner(sp.vals, logMean)
	return func(s *scratch, out []float64, x *Stack, lo, hi int) error {
		copy(out, x.block(lo, hi, s))
		s.schur(out, sp.vecs, weights, n, hi-lo)
		addEach(out, 1, logRef)
		return s.exponential(out, n, hi-lo, x, lo)
	}, nil
}
