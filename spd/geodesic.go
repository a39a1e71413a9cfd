package spd

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"rao/internal/linalg/vec"
)

// Geodesic returns the point at t on the geodesic from a (t = 0) to b (t = 1);
// t outside [0, 1] extrapolates. It exists for
//
//	riemann      A½ (A⁻½ B A⁻½)ᵗ A½                      (Moakher 2005)
//	logeuclid    exp((1−t) log A + t log B)
//	euclid       (1−t) A + t B
//	wasserstein  (1−t)² A + t² B + t(1−t) ((AB)½ + (BA)½) (Malagò et al. 2018)
//	chol         L L', L = (1−t) chol A + t chol B
//	logchol      as chol, diagonals multiplicatively      (Lin 2019)
//	harmonic     ((1−t) A⁻¹ + t B⁻¹)⁻¹
//
// The result is exactly symmetric. Beyond [0, 1] the flat metrics and Wasserstein
// may leave the SPD matrices. The error names the matrix ("first" or "second")
// that is not SPD; it panics with mat.ErrShape if a slice is too short.
func Geodesic(metric Metric, a, b []float64, t float64, n int) ([]float64, error) {
	if n < 1 || len(a) < n*n || len(b) < n*n {
		panic(mat.ErrShape)
	}
	m, err := metric.among("geodesic", []Metric{Riemann, LogEuclid, Euclid, Wasserstein, Chol, LogChol, Harmonic})
	if err != nil {
		return nil, err
	}
	x, y := StackOf(1, n, a), StackOf(1, n, b)
	if err := x.verify("first matrix"); err != nil {
		return nil, single(err)
	}
	if err := y.verify("second matrix"); err != nil {
		return nil, single(err)
	}
	switch m {
	case Riemann:
		return riemannGeodesic(a, b, t, n)
	case Wasserstein:
		return wassersteinGeodesic(a, b, t, n)
	}
	var s scratch
	u, v := make([]float64, n*n), make([]float64, n*n)
	if err := s.flatten(u, x, 0, 1, m, "first matrix"); err != nil {
		return nil, single(err)
	}
	if err := s.flatten(v, y, 0, 1, m, "second matrix"); err != nil {
		return nil, single(err)
	}
	for i := range u {
		u[i] = (1-t)*u[i] + t*v[i]
	}
	return unflatten(u, n, m)
}

// riemannGeodesic works with the Cholesky factor of A, which gives the same curve
// as the square root: A #_t B = L (L⁻¹ B L⁻ᵀ)ᵗ L'.
func riemannGeodesic(a, b []float64, t float64, n int) ([]float64, error) {
	var s scratch
	nn := n * n
	l, li, white := make([]float64, nn), make([]float64, nn), make([]float64, nn)
	if err := s.factors(l, StackOf(1, n, a), 0, 1, "first matrix"); err != nil {
		return nil, single(err)
	}
	s.w.InvertLower(li, l, n, 1)
	s.w.Congruence(white, li, b[:nn], n, 1, true)
	vec.Symmetrise(white, n)
	sp, err := decompose(white, n, "second matrix", true)
	if err != nil {
		return nil, single(notDefinite(b, n, "second matrix", -1))
	}
	out := make([]float64, nn)
	s.w.Congruence(out, l, sp.function(func(v float64) float64 { return math.Pow(v, t) }), n, 1, true)
	vec.Symmetrise(out, n)
	return out, nil
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
	vec.Symmetrise(out, n)
	return out, nil
}

// productRoot returns (AB)½ = A½ (A½ B A½)½ A⁻½.
func productRoot(a, b []float64, n int) ([]float64, error) {
	sp, err := decompose(a, n, "first matrix", true)
	if err != nil {
		return nil, err
	}
	var s scratch
	mid, out := make([]float64, n*n), make([]float64, n*n)
	root := sp.sqrt()
	s.w.Congruence(mid, root, b[:n*n], n, 1, true)
	vec.Symmetrise(mid, n)
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
