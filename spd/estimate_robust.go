package spd

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"rao/internal/faults"
	"rao/internal/linalg/vec"
	"rao/internal/optionvalues"
)

// huberShare is the share of samples to which Huber's M-estimator gives full weight. studentFreedom is the number of
// degrees of freedom of Student's M-estimator.
const (
	huberShare     = 0.9
	studentFreedom = 5
)

// An M-estimator has converged when a step changes it by less than robustTol. It makes at most robustSteps steps.
const (
	robustTol   = 1e-10
	robustSteps = 2000
)

// weight returns the function that weights a sample by its squared Mahalanobis distance, for c channels: the functions
// of Ollila, Tyler, Koivunen and Poor (2012), section V, in their form for real signals. Huber's function is scaled to
// be consistent for Gaussian signals. pyRiemann uses the form for complex signals: its Student equals this one with
// half the degrees of freedom, and its Huber has no fixed point for real signals of five channels.
func (e Estimator) weight(c int) func(d float64) float64 {
	p := float64(c)
	switch e {
	case optionvalues.EstimatorHuber:
		limit := distuv.ChiSquared{K: p}.Quantile(huberShare)
		scale := distuv.ChiSquared{K: p + 2}.CDF(limit) + limit*(1-huberShare)/p
		return func(d float64) float64 { return math.Min(1, limit/d) / scale }
	case optionvalues.EstimatorStudent:
		return func(d float64) float64 { return (p + studentFreedom) / (studentFreedom + d) }
	}
	return func(d float64) float64 { return p / d } // Tyler
}

// robust replaces the covariance s with divisor n of the rows in w.centered by an M-estimator, the fixed point of S =
// 1/n Σ_t φ(x_t' S⁻¹ x_t) x_t x_t'. Each step costs one covariance and the solution of n triangular systems.
func (w *covarianceWork) robust(s []float64, n, c int, e Estimator) error {
	if n <= c {
		return faults.Count(n, c+1, "a trial of %d samples is too short for %d channels: the estimator %v needs more "+
			"samples than channels; use oas, or longer trials", n, c, e)
	}
	weight := e.weight(c)
	next := make([]float64, c*c)
	z, origin := make([]float64, c), make([]float64, c)
	var chol mat.Cholesky
	for range robustSteps {
		if !chol.Factorize(mat.NewSymDense(c, s)) {
			return faults.Data("the %v estimate is not positive definite, because channels depend on each other; use "+
				"oas, or drop a channel", e)
		}
		var l mat.TriDense
		chol.LTo(&l)
		clear(next)
		for k := range n {
			x := w.centered[k*c : (k+1)*c]
			d := squaredMahalanobis(&l, x, origin, z)
			if d == 0 {
				continue // a sample at the mean has no direction
			}
			f := weight(d) / float64(n)
			for i, a := range x {
				a *= f
				for j := range i + 1 {
					next[i*c+j] += a * x[j]
				}
			}
		}
		change, size := 0.0, 0.0
		for i := range c {
			for j := range i + 1 {
				v := next[i*c+j]
				both := 2.0
				if i == j {
					both = 1
				}
				change += both * (v - s[i*c+j]) * (v - s[i*c+j])
				size += both * v * v
				s[i*c+j], s[j*c+i] = v, v
			}
		}
		if !(change > robustTol*robustTol*size) {
			if e == optionvalues.EstimatorTyler {
				toTrace(s, c)
			}
			return nil
		}
	}
	return fmt.Errorf("the %v estimate did not converge in %d steps; use oas, or longer trials", e, robustSteps)
}

// squaredMahalanobis returns ‖L⁻¹(x − mean)‖², with z as scratch.
func squaredMahalanobis(l *mat.TriDense, x, mean, z []float64) (d float64) {
	for i := range z {
		v := x[i] - mean[i]
		for j := range i {
			v -= l.At(i, j) * z[j]
		}
		z[i] = v / l.At(i, i)
		d += z[i] * z[i]
	}
	return d
}

// toTrace scales s to a mean diagonal element of 1.
func toTrace(s []float64, c int) {
	trace := vec.Trace(s, c)
	for i := range s {
		s[i] *= float64(c) / trace
	}
}

// schaeferStrimmer returns the amount of shrinkage towards the diagonal (Schäfer and Strimmer 2005) for s, the
// covariance with divisor n of the rows in w.centered:
//
//	a = Σ_{i≠j} Var(r_ij) / Σ_{i≠j} r_ij²
//
// where r are the correlations, and Var is estimated from the terms of each correlation.
func (w *covarianceWork) schaeferStrimmer(s []float64, n, c int) float64 {
	m := float64(n)
	squares := make([]float64, c*c)
	for k := range n {
		x := w.centered[k*c : (k+1)*c]
		for i, a := range x {
			for j := range i {
				squares[i*c+j] += a * a * x[j] * x[j]
			}
		}
	}
	var spread, size float64
	for i := range c {
		for j := range i {
			scale := s[i*c+i] * s[j*c+j]
			v := s[i*c+j]
			spread += (squares[i*c+j] - m*v*v) * m / ((m - 1) * (m - 1) * (m - 1) * scale)
			size += m * m / ((m - 1) * (m - 1)) * v * v / scale
		}
	}
	if size == 0 {
		return 0
	}
	return max(0, min(1, spread/size))
}

// shrinkDiagonal scales s by n/(n−1), and its off-diagonal elements by 1−a.
func shrinkDiagonal(s []float64, n, c int, a float64) {
	scale := float64(n) / float64(n-1)
	for i := range c {
		for j := range c {
			s[i*c+j] *= scale
			if i != j {
				s[i*c+j] *= 1 - a
			}
		}
	}
}
