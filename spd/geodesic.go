package spd

import (
	"gonum.org/v1/gonum/mat"
)

// Geodesic writes to dst the point at t on the geodesic from a (t = 0) to b (t = 1). If t is outside [0, 1], it
// extrapolates. The metrics with geodesics are
//
//	riemann      A½ (A⁻½ B A⁻½)ᵗ A½                      (Moakher 2005)
//	logeuclid    exp((1−t) log A + t log B)
//	euclid       (1−t) A + t B
//	wasserstein  (1−t)² A + t² B + t(1−t) ((AB)½ + (BA)½) (Malagò et al. 2018)
//	chol         L L', L = (1−t) chol A + t chol B
//	logchol      as chol, with geometric means of the diagonals (Lin 2019)
//	harmonic     ((1−t) A⁻¹ + t B⁻¹)⁻¹
//
// The result is exactly symmetric. If t is outside [0, 1], the result of a flat metric or of Wasserstein may not be
// SPD. The error names the matrix ("first" or "second") that is not SPD, or the metric if it has no geodesic. An empty
// dst is resized. It panics with mat.ErrShape if the orders differ.
func Geodesic(dst *mat.SymDense, metric Metric, a, b mat.Symmetric, t float64) error {
	n := a.SymmetricDim()
	if b.SymmetricDim() != n {
		panic(mat.ErrShape)
	}
	p, err := geodesicOf(metric, full(a), full(b), t, n)
	if err != nil {
		return err
	}
	setSym(dst, p, n)
	return nil
}

func geodesicOf(metric Metric, a, b []float64, t float64, n int) ([]float64, error) {
	if n < 1 || len(a) < n*n || len(b) < n*n {
		panic(mat.ErrShape)
	}
	g, err := metric.with("geodesic", func(g *geometry) bool { return g.geodesic != nil })
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
	return g.geodesic(a, b, t, n)
}
