package spd

import (
	"math"

	"rao/internal/linalg/vec"
)

var euclid = newEuclid()

func newEuclid() *geometry {
	g := newFlat(Euclid, &FlatSpace{
		scaled: true,
		to: func(s *scratch, dst []float64, x *Stack, lo, hi int, _ string) error {
			copy(dst, x.block(lo, hi, s))
			return nil
		},
		from: func(t []float64, n int) ([]float64, error) {
			vec.Symmetrize(t, n)
			return t, nil
		},
	})
	g.vectors, g.maxPower = g.flat.vectors, math.MaxFloat64
	g.logMap = func(_ *spectrum, ref []float64) (pointMap, error) { return shifted(ref, -1), nil }
	g.expMap = func(_ *spectrum, ref []float64) (pointMap, error) { return shifted(ref, 1), nil }
	return g
}

// shifted returns the map that adds sign*ref to every matrix.
func shifted(ref []float64, sign float64) pointMap {
	return func(s *scratch, out []float64, x *Stack, lo, hi int) error {
		copy(out, x.block(lo, hi, s))
		addEach(out, sign, ref[:x.Dim*x.Dim])
		return nil
	}
}
