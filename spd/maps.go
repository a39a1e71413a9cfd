package spd

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"rao/internal/linalg/dense"
	"rao/internal/linalg/vec"
)

// LogMap writes to dst the logarithmic map of every matrix X of x at the reference: the tangent at ref, a symmetric
// matrix, of the geodesic that reaches X at time one. dst may be x; an empty dst is resized. With C the reference:
//
//	riemann      C½ log(C⁻½ X C⁻½) C½                 (Pennec, Fillard and Ayache 2006)
//	logeuclid    D exp at log C of (log X − log C)     (Arsigny et al. 2007, equation 3.4)
//	euclid       X − C
//	wasserstein  (XC)½ + (CX)½ − 2C                    (Malagò et al. 2018, proposition 9)
//	logchol      Lin 2019, table 2
//
// It returns an error if the metric has no logarithmic map, ref is not SPD, or a matrix is invalid; the error names the
// matrix. It panics with mat.ErrShape if the order of ref differs from the order of the matrices.
func LogMap(dst *Stack, metric Metric, x *Stack, ref mat.Symmetric) error {
	return mapped(dst, metric, x, ref, "logarithmic map", func(g *geometry) mapBuilder { return g.logMap })
}

// ExpMap writes to dst the exponential map at ref of every symmetric matrix of v. It is the inverse of [LogMap]. dst
// may be v. For Euclid and Wasserstein, the result of a long tangent may not be SPD. It returns the same errors as
// [LogMap].
func ExpMap(dst *Stack, metric Metric, v *Stack, ref mat.Symmetric) error {
	return mapped(dst, metric, v, ref, "exponential map", func(g *geometry) mapBuilder { return g.expMap })
}

// pointMap maps matrices lo..hi-1 of x to out.
type pointMap func(s *scratch, out []float64, x *Stack, lo, hi int) error

// mapBuilder returns a map at a reference with the given spectrum.
type mapBuilder func(sp *spectrum, ref []float64) (pointMap, error)

func mapped(dst *Stack, metric Metric, x *Stack, at mat.Symmetric, what string, of func(*geometry) mapBuilder) error {
	g, err := metric.with(what, func(g *geometry) bool { return of(g) != nil })
	if err != nil {
		return err
	}
	if err := x.verify("matrix"); err != nil {
		return err
	}
	ref := full(at)
	if len(ref) != x.Dim*x.Dim {
		panic(mat.ErrShape)
	}
	sp, err := decompose(ref, x.Dim, "reference", true)
	if err != nil {
		return err
	}
	f, err := of(g)(sp, ref)
	if err != nil {
		return err
	}
	dst.fit(x.Count, x.Dim)
	nn := x.Dim * x.Dim
	return batches(x.Count, x.Dim, func(s *scratch, lo, hi int) error {
		out := dst.Data[lo*nn : hi*nn]
		if err := f(s, out, x, lo, hi); err != nil {
			return err
		}
		for k := range hi - lo {
			vec.Symmetrize(out[k*nn:(k+1)*nn], x.Dim)
		}
		return nil
	})
}

// addEach adds a multiple of a to every matrix of out.
func addEach(out []float64, factor float64, a []float64) {
	for p := 0; p < len(out); p += len(a) {
		vec.Axpy(out[p:p+len(a)], factor, a)
	}
}

// whitenedLog writes log(W X W') for matrices lo..hi-1. It uses scratch slices 0 and 3.
func (s *scratch) whitenedLog(out, white []float64, x *Stack, lo, hi int) error {
	return s.function(out, white, x, lo, hi, "matrix", true, math.Log)
}

// exponential replaces the symmetric matrices of a by their exponentials. They belong to the matrices of x from lo on.
func (s *scratch) exponential(a []float64, n, c int, x *Stack, lo int) error {
	if err := s.w.Function(a, nil, a, n, c, func(_ int, values []float64) {
		for i, v := range values {
			values[i] = math.Exp(v)
		}
	}); err != nil {
		return failed(err, x, lo, "tangent matrix")
	}
	return nil
}

// logMean returns the first divided difference of the logarithm, 1/a at a = b.
func logMean(a, b float64) float64 {
	d := (a - b) / b
	if math.Abs(d) < 1e-300 {
		return 1 / b
	}
	return math.Log1p(d) / d / b
}

// loewner returns the matrix with entries f(a, b) for all pairs of values.
func loewner(values []float64, f func(a, b float64) float64) []float64 {
	n := len(values)
	out := make([]float64, n*n)
	for i, a := range values {
		for j, b := range values {
			out[i*n+j] = f(a, b)
		}
	}
	return out
}

// schur replaces every matrix A by V (weights ∘ V'AV) V': the derivative of a matrix function at V diag V' when the
// weights are its divided differences (Daleckii and Krein 1965). It uses scratch slice 1.
func (s *scratch) schur(a, vecs, weights []float64, n, c int) {
	t := s.buf(1, c*n*n)
	transposed := make([]float64, n*n)
	for i := range n {
		for j := range n {
			transposed[j*n+i] = vecs[i*n+j]
		}
	}
	s.w.Congruence(t, transposed, a, n, c, true)
	for p := 0; p < len(t); p += n * n {
		for i, w := range weights {
			t[p+i] *= w
		}
	}
	s.w.Congruence(a, vecs, t, n, c, true)
}

// mul writes a*b of order n to c.
func mul(c, a, b []float64, n int) {
	dense.Gemm(false, false, n, n, n, 1, a, n, b, n, 0, c, n)
}
