package spd

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao/internal/linalg/vec"
)

// The Euclidean distance of logarithms is a lower bound by the exponential metric increasing property (Bhatia 2007,
// theorem 6.1.4).
var riemann = &geometry{
	name: Riemann, prepare: riemannPrepare, row: riemannRow, mean: riemannMean, iterates: true, anywhere: true,
	geodesic: riemannGeodesic, logMap: riemannLogMap, expMap: riemannExpMap, vectors: riemannVectors,
	atReference: true, tangent: true,
	below: logEuclid.flat, maxPower: 1,
	term: func(v float64) float64 { return math.Log(v) * math.Log(v) },
}

func riemannPrepare(p *pairs) (err error) {
	p.leftData, err = p.crew.whiteners(p.leftData, p.left, p.roleLeft)
	return err
}

func riemannRow(p *pairs, s *scratch, d []float64, i, lo int) error {
	n, nn, hi := p.n, p.n*p.n, lo+len(d)
	if err := s.w.LogSquaredDistances(d, p.leftData[i*nn:(i+1)*nn], p.right.block(lo, hi, s), n, hi-lo); err != nil {
		return failed(err, p.right, lo, p.roleRight)
	}
	// If the eigenvalues of a whitened matrix span the range of the precision, its logarithm exceeds half of that
	// range. Only then does the right matrix need a check.
	suspect := math.Log(float64(n)*unit) / 2
	for k, v := range d {
		if v >= suspect*suspect && p.right != p.left {
			if err := s.factors(s.buf(0, nn), p.right, lo+k, lo+k+1, p.roleRight); err != nil {
				return err
			}
		}
		d[k] = math.Sqrt(v)
	}
	return nil
}

// riemannGeodesic uses the Cholesky factor of A, which gives the same curve as the square root: A #_t B = L (L⁻¹ B
// L⁻ᵀ)ᵗ L'.
func riemannGeodesic(a, b []float64, t float64, n int) ([]float64, error) {
	s := singles.Get().(*scratch)
	defer singles.Put(s)
	nn := n * n
	l, li, white := make([]float64, nn), make([]float64, nn), make([]float64, nn)
	if err := s.factors(l, StackOf(1, n, a), 0, 1, "first matrix"); err != nil {
		return nil, single(err)
	}
	s.w.InvertLower(li, l, n, 1)
	s.w.Congruence(white, li, b[:nn], n, 1, true)
	vec.Symmetrize(white, n)
	sp, err := decompose(white, n, "second matrix", true)
	if err != nil {
		return nil, single(notDefinite(b, n, "second matrix", -1))
	}
	out := make([]float64, nn)
	s.w.Congruence(out, l, sp.function(func(v float64) float64 { return math.Pow(v, t) }), n, 1, true)
	vec.Symmetrize(out, n)
	return out, nil
}

func riemannLogMap(sp *spectrum, ref []float64) (pointMap, error) {
	n := sp.n
	root, inv := sp.sqrt(), sp.invSqrt()
	return func(s *scratch, out []float64, x *Stack, lo, hi int) error {
		t := s.buf(1, len(out))
		if err := s.whitenedLog(t, inv, x, lo, hi); err != nil {
			return err
		}
		s.w.Congruence(out, root, t, n, hi-lo, true)
		return nil
	}, nil
}

func riemannExpMap(sp *spectrum, ref []float64) (pointMap, error) {
	n := sp.n
	root, inv := sp.sqrt(), sp.invSqrt()
	return func(s *scratch, out []float64, x *Stack, lo, hi int) error {
		c := hi - lo
		t := s.buf(1, len(out))
		s.w.Congruence(t, inv, x.block(lo, hi, s), n, c, true)
		if err := s.exponential(t, n, c, x, lo); err != nil {
			return err
		}
		s.w.Congruence(out, root, t, n, c, true)
		return nil
	}, nil
}

func riemannVectors(x *Stack, ref []float64) ([]float64, error) {
	var t mat.Dense
	err := tangentVectors(context.Background(), &t, x, ref)
	return t.RawMatrix().Data, err
}
