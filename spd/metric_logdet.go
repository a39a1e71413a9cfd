package spd

import (
	"context"
	"math"

	"rao"
	"rao/internal/linalg/tri"
	"rao/internal/linalg/vec"
)

var logDet = &geometry{
	name: LogDet, prepare: definitePairs, row: logDetRow, mean: logDetMean, iterates: true,
	term: func(v float64) float64 { return math.Log((1+v)/2) - math.Log(v)/2 },
}

func logDetRow(p *pairs, s *scratch, d []float64, i, lo int) error {
	n, nn, c := p.n, p.n*p.n, len(d)
	mid, l := s.buf(0, c*nn), s.buf(1, c*nn)
	a := p.left.At(i)
	for k := range c {
		b := p.right.At(lo + k)
		for t, v := range a {
			mid[k*nn+t] = 0.5 * (v + b[t])
		}
	}
	if err := s.w.Cholesky(l, mid, n, c); err != nil {
		return failed(err, p.right, lo, p.roleRight)
	}
	for k := range d {
		v := tri.LogDet(n, l[k*nn:(k+1)*nn]) - 0.5*(p.leftScalar[i]+p.rightScalar[lo+k])
		d[k] = math.Sqrt(max(0, v))
	}
	return nil
}

func (t *team) logDeterminants(x *Stack, role string) ([]float64, error) {
	n, nn := x.Dim, x.Dim*x.Dim
	out := make([]float64, x.Count)
	err := t.batches(x.Count, n, func(s *scratch, lo, hi int) error {
		l := s.buf(0, (hi-lo)*nn)
		if err := s.factors(l, x, lo, hi, role); err != nil {
			return err
		}
		for k := lo; k < hi; k++ {
			out[k] = tri.LogDet(n, l[(k-lo)*nn:(k-lo+1)*nn])
		}
		return nil
	})
	return out, err
}

func logDetMean(ctx context.Context, x *Stack, w []float64, opt MeanOptions) ([]float64, rao.Report, error) {
	return fixedPoint(ctx, x, w, opt, "log-det mean", logDetStep)
}

// logDetStep returns M' = (Σ w ((M+X)/2)⁻¹)⁻¹.
func logDetStep(t *team, x *Stack, w, m []float64) ([]float64, error) {
	n, nn := x.Dim, x.Dim*x.Dim
	sum, err := t.accumulate(x, nn, func(s *scratch, lo, hi int, sum []float64) error {
		c := hi - lo
		mid, l, li := s.buf(0, c*nn), s.buf(1, c*nn), s.buf(2, c*nn)
		for k := range c {
			for p, v := range x.At(lo + k) {
				mid[k*nn+p] = 0.5 * (v + m[p])
			}
		}
		if err := s.w.Cholesky(l, mid, n, c); err != nil {
			return failed(err, x, lo, "matrix")
		}
		s.w.InvertLower(li, l, n, c)
		s.w.Mul(mid, li, li, true, false, n, c)
		for k := range c {
			vec.Axpy(sum, w[lo+k], mid[k*nn:(k+1)*nn])
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return harmonic.flat.from(sum, n)
}
