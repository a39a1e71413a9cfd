package spd

import (
	"context"
	"math"

	"rao"
	"rao/internal/linalg/vec"
)

var wasserstein = &geometry{
	name: Wasserstein, prepare: wassersteinPrepare, row: wassersteinRow, mean: wassersteinMean, iterates: true,
	geodesic: wassersteinGeodesic,
	logMap:   wassersteinLogMap, expMap: wassersteinExpMap,
}

func wassersteinPrepare(p *pairs) error {
	root := NewStack(0, 0)
	if err := p.crew.apply(root, p.left, p.roleLeft, true, math.Sqrt); err != nil {
		return err
	}
	p.leftData, p.leftScalar, p.rightScalar = root.Data, traces(p.left), traces(p.right)
	for k := range p.leftScalar { // distances contain roots of products of matrices
		if !inRange(p.leftScalar[k : k+1]) {
			return outOfRange(p.left.At(k), p.roleLeft, k)
		}
	}
	for k := range p.rightScalar {
		if !inRange(p.rightScalar[k : k+1]) {
			return outOfRange(p.right.At(k), p.roleRight, k)
		}
	}
	return nil
}

func wassersteinRow(p *pairs, s *scratch, d []float64, i, lo int) error {
	n, nn, c := p.n, p.n*p.n, len(d)
	m, vals := s.buf(0, c*nn), s.values(c*n)
	s.w.Congruence(m, p.leftData[i*nn:(i+1)*nn], p.right.block(lo, lo+c, s), n, c, true)
	if err := s.w.EigenValues(vals, m, n, c); err != nil {
		return failed(err, p.right, lo, p.roleRight)
	}
	for k := range d {
		v := vals[k*n : (k+1)*n]
		if v[0] < -float64(n)*unit*math.Abs(v[n-1]) {
			return notDefinite(p.right.At(lo+k), n, p.roleRight, lo+k)
		}
		root := 0.0
		for _, l := range v {
			root += math.Sqrt(max(l, 0))
		}
		d[k] = math.Sqrt(max(0, p.leftScalar[i]+p.rightScalar[lo+k]-2*root))
	}
	return nil
}

func traces(x *Stack) []float64 {
	out := make([]float64, x.Count)
	for k := range out {
		out[k] = vec.Trace(x.At(k), x.Dim)
	}
	return out
}

// wassersteinGeodesic uses (AB)½ = A½ (A½ B A½)½ A⁻½.
func wassersteinGeodesic(a, b []float64, t float64, n int) ([]float64, error) {
	cross, err := productRoot(a, b, n)
	if err != nil {
		return nil, err
	}
	out := make([]float64, n*n)
	for i := range n {
		for j := range n {
			p := i*n + j
			out[p] = (1-t)*(1-t)*a[p] + t*t*b[p] + t*(1-t)*(cross[p]+cross[j*n+i])
		}
	}
	vec.Symmetrize(out, n)
	return out, nil
}

// productRoot returns (AB)½ = A½ (A½ B A½)½ A⁻½.
func productRoot(a, b []float64, n int) ([]float64, error) {
	sp, err := decompose(a, n, "first matrix", true)
	if err != nil {
		return nil, err
	}
	s := singles.Get().(*scratch)
	defer singles.Put(s)
	mid, out := make([]float64, n*n), make([]float64, n*n)
	root := sp.sqrt()
	s.w.Congruence(mid, root, b[:n*n], n, 1, true)
	vec.Symmetrize(mid, n)
	inner, err := decompose(mid, n, "second matrix", false)
	if err != nil {
		return nil, err
	}
	if inner.vals[0] < -float64(n)*unit*math.Abs(inner.vals[n-1]) {
		return nil, notDefinite(b, n, "second matrix", -1)
	}
	s.w.Mul(mid, root, inner.function(func(v float64) float64 { return math.Sqrt(max(v, 0)) }), false, false, n, 1)
	s.w.Mul(out, mid, sp.invSqrt(), false, false, n, 1)
	return out, nil
}

func wassersteinLogMap(sp *spectrum, ref []float64) (pointMap, error) {
	root, inv := sp.sqrt(), sp.invSqrt()
	return func(s *scratch, out []float64, x *Stack, lo, hi int) error {
		return s.wassersteinLog(out, root, inv, ref, x, lo, hi)
	}, nil
}

// wassersteinLog writes (XC)½ + (CX)½ − 2C = Y + Y' − 2C with Y = C⁻½ (C½ X C½)½ C½. It uses scratch slices 0 to 3.
func (s *scratch) wassersteinLog(out, root, inv, ref []float64, x *Stack, lo, hi int) error {
	n, nn, c := x.Dim, x.Dim*x.Dim, hi-lo
	t := s.buf(1, c*nn)
	if err := s.function(t, root, x, lo, hi, "matrix", false, rootOrZero); err != nil {
		return err
	}
	left := s.buf(2, c*nn)
	for k := range c {
		mul(left[k*nn:(k+1)*nn], inv, t[k*nn:(k+1)*nn], n)
		mul(t[k*nn:(k+1)*nn], left[k*nn:(k+1)*nn], root, n)
		y, o := t[k*nn:(k+1)*nn], out[k*nn:(k+1)*nn]
		for i := range n {
			for j := range n {
				o[i*n+j] = y[i*n+j] + y[j*n+i] - 2*ref[i*n+j]
			}
		}
	}
	return nil
}

func wassersteinExpMap(sp *spectrum, ref []float64) (pointMap, error) {
	n := sp.n
	// C + V + L C L, where L solves LC + CL = V (Malagò et al. 2018, equation 36).
	weights := loewner(sp.vals, func(a, b float64) float64 { return 1 / (a + b) })
	return func(s *scratch, out []float64, x *Stack, lo, hi int) error {
		c := hi - lo
		src := x.block(lo, hi, s)
		lyap, t := s.buf(0, len(out)), s.buf(2, len(out))
		copy(lyap, src)
		s.schur(lyap, sp.vecs, weights, n, c)
		for p := 0; p < len(out); p += n * n {
			copy(t[p:], ref[:n*n])
		}
		sum := s.buf(1, len(out))
		s.w.Congruence(sum, lyap, t, n, c, false)
		for i, v := range src {
			out[i] = v + sum[i] + t[i]
		}
		return nil
	}, nil
}

func wassersteinMean(ctx context.Context, x *Stack, w []float64, opt MeanOptions) ([]float64, rao.Report, error) {
	return fixedPoint(ctx, x, w, opt, "Wasserstein mean", wassersteinStep)
}

func rootOrZero(v float64) float64 { return math.Sqrt(max(v, 0)) }

// wassersteinStep returns M' = M⁻½ (Σ w (M½ X M½)½)² M⁻½ (Álvarez-Esteban, del Barrio, Cuesta-Albertos and Matrán
// 2016, equation 7).
func wassersteinStep(t *team, x *Stack, w, m []float64) ([]float64, error) {
	n, nn := x.Dim, x.Dim*x.Dim
	sp, err := decompose(m, n, "Wasserstein mean", true)
	if err != nil {
		return nil, err
	}
	root, inv := sp.sqrt(), sp.invSqrt()
	sum, err := t.accumulate(x, nn, func(s *scratch, lo, hi int, sum []float64) error {
		c := hi - lo
		b := s.buf(1, c*nn)
		if err := s.function(b, root, x, lo, hi, "matrix", false, rootOrZero); err != nil {
			return err
		}
		for k := range c {
			vec.Axpy(sum, w[lo+k], b[k*nn:(k+1)*nn])
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	vec.Symmetrize(sum, n)
	left, out := make([]float64, nn), make([]float64, nn)
	s := singles.Get().(*scratch)
	defer singles.Put(s)
	s.w.Mul(left, inv, sum, false, false, n, 1)
	s.w.Mul(out, left, left, false, true, n, 1)
	vec.Symmetrize(out, n)
	return out, nil
}
