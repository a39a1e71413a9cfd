package spd

import (
	"math"
)

var chol = newFlat(Chol, &FlatSpace{lower: true, scaled: true, to: (*scratch).factors,
	from: func(t []float64, n int) ([]float64, error) { return lowerProduct(t, n), nil }})

var logChol = newLogChol()

func newLogChol() *geometry {
	g := newFlat(LogChol, &FlatSpace{lower: true, onto: true, scaled: true, to: toLogFactor, from: fromLogFactor})
	g.logMap = func(sp *spectrum, ref []float64) (pointMap, error) { return newLogCholMap(sp, ref, true) }
	g.expMap = func(sp *spectrum, ref []float64) (pointMap, error) { return newLogCholMap(sp, ref, false) }
	return g
}

// toLogFactor writes Cholesky factors with logarithms on the diagonal.
func toLogFactor(s *scratch, dst []float64, x *Stack, lo, hi int, role string) error {
	if err := s.factors(dst, x, lo, hi, role); err != nil {
		return err
	}
	n := x.Dim
	for p := 0; p < (hi-lo)*n*n; p += n * n {
		for i := range n {
			dst[p+i*n+i] = math.Log(dst[p+i*n+i])
		}
	}
	return nil
}

func fromLogFactor(t []float64, n int) ([]float64, error) {
	for i := range n {
		t[i*n+i] = math.Exp(t[i*n+i])
	}
	return lowerProduct(t, n), nil
}

// lowerProduct returns L L' of a lower triangular L.
func lowerProduct(l []float64, n int) []float64 {
	out := make([]float64, n*n)
	for i := range n {
		for j := range i + 1 {
			s := 0.0
			for k := range j + 1 {
				s += l[i*n+k] * l[j*n+k]
			}
			out[i*n+j], out[j*n+i] = s, s
		}
	}
	return out
}

// newLogCholMap returns the logarithmic (forward) or exponential map of the log-Cholesky metric (Lin 2019, table 2).
// With L = chol C, K = chol X and the tangent W = T L' + L T' for a lower triangular T:
//
//	T_ij = K_ij − L_ij below the diagonal, T_ii = L_ii log(K_ii/L_ii)
func newLogCholMap(sp *spectrum, ref []float64, forward bool) (pointMap, error) {
	n, nn := sp.n, sp.n*sp.n
	l, li := make([]float64, nn), make([]float64, nn)
	s := singles.Get().(*scratch)
	defer singles.Put(s)
	if err := s.factors(l, StackOf(1, n, ref), 0, 1, "reference"); err != nil {
		return nil, single(err)
	}
	s.w.InvertLower(li, l, n, 1)
	if forward {
		return func(s *scratch, out []float64, x *Stack, lo, hi int) error {
			k := s.buf(0, len(out))
			if err := s.factors(k, x, lo, hi, "matrix"); err != nil {
				return err
			}
			for p := 0; p < len(out); p += nn {
				logCholTangent(out[p:p+nn], k[p:p+nn], l, n)
			}
			return nil
		}, nil
	}
	return func(s *scratch, out []float64, x *Stack, lo, hi int) error {
		t := s.buf(0, len(out))
		s.w.Congruence(t, li, x.block(lo, hi, s), n, hi-lo, true)
		for p := 0; p < len(out); p += nn {
			logCholPoint(out[p:p+nn], t[p:p+nn], l, n)
		}
		return nil
	}, nil
}

// logCholTangent writes the tangent W = T L' + L T' of [newLogCholMap] from K and L. It overwrites K with T.
func logCholTangent(out, k, l []float64, n int) {
	for i := range n {
		k[i*n+i] = l[i*n+i] * math.Log(k[i*n+i]/l[i*n+i])
		for j := range i {
			k[i*n+j] -= l[i*n+j]
		}
	}
	for i := range n {
		for j := range i + 1 {
			v := 0.0
			for p := range j + 1 {
				v += k[i*n+p]*l[j*n+p] + l[i*n+p]*k[j*n+p]
			}
			out[i*n+j], out[j*n+i] = v, v
		}
	}
}

// logCholPoint writes K K', the inverse of [logCholTangent], from w = L⁻¹ W L⁻ᵀ and L. T is L times the lower triangle
// of w with half its diagonal. It overwrites w.
func logCholPoint(out, w, l []float64, n int) {
	for i := range n {
		w[i*n+i] /= 2
		for j := i + 1; j < n; j++ {
			w[i*n+j] = 0
		}
	}
	t := make([]float64, n*n)
	mul(t, l, w, n)
	for i := range n {
		t[i*n+i] = l[i*n+i] * math.Exp(t[i*n+i]/l[i*n+i])
		for j := range i {
			t[i*n+j] += l[i*n+j]
		}
	}
	copy(out, lowerProduct(t, n))
}
