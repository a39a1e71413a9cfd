package spd

import "math"

// packed is the number of values of a symmetric matrix of order n.
func packed(n int) int { return n * (n + 1) / 2 }

// embed writes for every matrix of x the vector in which a flat metric is
// Euclidean, packed(n) values each: the upper triangle with off-diagonal entries
// times √2 of log A, A or A⁻¹, or the lower triangle of the Cholesky factor.
func (t *team) embed(x *Stack, m Metric, role string) ([]float64, error) {
	n, nn, p := x.Dim, x.Dim*x.Dim, packed(x.Dim)
	out := make([]float64, x.Count*p)
	err := t.batches(x.Count, n, func(s *scratch, lo, hi int) error {
		c := hi - lo
		t := s.buf(1, c*nn)
		if err := s.flatten(t, x, lo, hi, m, role); err != nil {
			return err
		}
		for k := range c {
			dst, src := out[(lo+k)*p:(lo+k+1)*p], t[k*nn:(k+1)*nn]
			if m == Chol || m == LogChol {
				packLower(dst, src, n)
			} else {
				Pack(dst, src, n)
			}
		}
		return nil
	})
	return out, err
}

// flatten writes the matrices in which a flat metric is linear: log A, A, A⁻¹, or
// the Cholesky factor (with the logarithm of its diagonal for LogChol). It uses
// scratch slices 0, 2 and 3.
func (s *scratch) flatten(dst []float64, x *Stack, lo, hi int, m Metric, role string) error {
	n, nn, c := x.Dim, x.Dim*x.Dim, hi-lo
	switch m {
	case Euclid:
		copy(dst, x.block(lo, hi, s, 3))
	case LogEuclid:
		vals, vecs := s.values(c*n), s.buf(0, c*nn)
		if err := s.eigen(vals, vecs, x, lo, hi, role, true); err != nil {
			return err
		}
		for i, v := range vals {
			vals[i] = math.Log(v)
		}
		s.w.Rebuild(dst, vecs, vals, n, c)
	case Harmonic:
		l, li := s.buf(0, c*nn), s.buf(2, c*nn)
		if err := s.factors(l, x, lo, hi, role); err != nil {
			return err
		}
		s.w.InvertLower(li, l, n, c)
		s.w.Mul(dst, li, li, true, false, n, c)
	default: // Chol, LogChol
		if err := s.factors(dst, x, lo, hi, role); err != nil {
			return err
		}
		if m == LogChol {
			for p := 0; p < c*nn; p += nn {
				for i := range n {
					dst[p+i*n+i] = math.Log(dst[p+i*n+i])
				}
			}
		}
	}
	return nil
}

// Pack writes the upper triangle of the symmetric n×n matrix a to dst, row by row,
// n(n+1)/2 values, off-diagonal ones times √2: the Euclidean norm of the vector is
// the Frobenius norm of the matrix (Tuzel, Porikli and Meer 2008). This is the
// order of pyRiemann's tangent vectors.
func Pack(dst, a []float64, n int) {
	p := 0
	for i := range n {
		dst[p] = a[i*n+i]
		p++
		for _, v := range a[i*n+i+1 : (i+1)*n] {
			dst[p] = math.Sqrt2 * v
			p++
		}
	}
}

// Unpack is the inverse of Pack.
func Unpack(a, v []float64, n int) {
	p := 0
	for i := range n {
		a[i*n+i] = v[p]
		p++
		for j := i + 1; j < n; j++ {
			a[i*n+j] = v[p] / math.Sqrt2
			a[j*n+i] = a[i*n+j]
			p++
		}
	}
}

func packLower(dst, l []float64, n int) {
	p := 0
	for i := range n {
		p += copy(dst[p:], l[i*n:i*n+i+1])
	}
}
