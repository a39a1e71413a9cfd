package classify

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/linalg/dense"
	"rao/internal/linalg/tri"
)

// givenOrShares returns the priors normalized, or the shares of the labels.
func givenOrShares(priors []float64, labels []int, c int) ([]float64, error) {
	if priors == nil {
		return shares(labels, c), nil
	}
	if len(priors) != c {
		return nil, fmt.Errorf("%d priors for %d classes", len(priors), c)
	}
	sum := 0.0
	for i, p := range priors {
		if !(p > 0) || math.IsInf(p, 1) {
			return nil, fmt.Errorf("prior of class %d is %g; priors must be positive", i, p)
		}
		sum += p
	}
	out := make([]float64, c)
	for i, p := range priors {
		out[i] = p / sum
	}
	return out, nil
}

// shrinkRule says how class covariances are shrunk.
type shrinkRule struct {
	kind      gaussian.Shrinkage // Auto is LedoitWolf
	amount    float64            // for Fixed
	isotropic bool
}

// shrunkLDA is a fitted linear discriminant.
type shrunkLDA struct {
	coef       *mat.Dense // c×p
	intercepts []float64
	kind       gaussian.Shrinkage
	shrunk     []float64
}

// fitShrunkLDA fits W = Σ π_i W_i and solves for the coefficients. The rows of v
// are overwritten.
func fitShrunkLDA(v *mat.Dense, labels []int, classes []string, priors []float64, rule shrinkRule) (*shrunkLDA, error) {
	f := &shrunkLDA{kind: rule.kind.Or(gaussian.LedoitWolf)}
	if f.kind < gaussian.None || f.kind > gaussian.Fixed {
		return nil, fmt.Errorf("unknown shrinkage %v", f.kind)
	}
	if f.kind == gaussian.Fixed && !(rule.amount >= 0 && rule.amount <= 1) {
		return nil, fmt.Errorf("shrinkage of %g: want 0 to 1", rule.amount)
	}
	c := len(classes)
	n, p := v.Dims()
	means := classMeans(v, labels, c)
	w := make([]float64, p*p)
	f.shrunk = make([]float64, c)
	for i, index := range membersOf(labels, c) {
		rows := make([]float64, len(index)*p)
		for r, k := range index {
			for j, value := range v.RawRowView(k) {
				rows[r*p+j] = value - means[i*p+j]
			}
		}
		f.shrunk[i] = addCovariance(w, rows, len(index), p, priors[i], f.kind, rule)
	}
	l := append([]float64(nil), w...)
	if _, _, ok := tri.Cholesky(p, l, pivotTolerance*float64(p)); !ok {
		return nil, fmt.Errorf("the covariance of the tangent vectors is not positive definite, smallest eigenvalue %.3g (%d matrices, vectors of %d values); "+
			"use shrinkage ledoit_wolf or oas", smallestEigenvalue(w, p), n, p)
	}
	f.solve(l, means, priors, c, p)
	return f, nil
}

// solve sets the coefficients from the Cholesky factor of W.
func (f *shrunkLDA) solve(l, means, priors []float64, c, p int) {
	li, white := make([]float64, p*p), make([]float64, c*p)
	tri.InvertLower(p, li, l)
	f.coef, f.intercepts = mat.NewDense(c, p, nil), make([]float64, c)
	dense.Gemm(false, true, c, p, p, 1, means, p, li, p, 0, white, p)
	dense.Gemm(false, false, c, p, p, 1, white, p, li, p, 0, f.coef.RawMatrix().Data, p)
	for i := range c {
		s := 0.0
		for _, v := range white[i*p : (i+1)*p] {
			s += v * v
		}
		f.intercepts[i] = math.Log(priors[i]) - s/2
	}
}

// classMeans returns the c×p means of the rows of each class.
func classMeans(v *mat.Dense, labels []int, c int) []float64 {
	_, p := v.Dims()
	means, counts := make([]float64, c*p), make([]float64, c)
	for k, l := range labels {
		counts[l]++
		for j, value := range v.RawRowView(k) {
			means[l*p+j] += value
		}
	}
	for i := range means {
		means[i] /= counts[i/p]
	}
	return means
}

// addCovariance adds weight times the shrunk covariance (divisor n) of the centered
// n×p rows to w and returns the coefficient. Unless the rule is isotropic the
// columns are standardized first and the result scaled back, so that the target is
// a diagonal of the variances, not one variance for all. The rows are overwritten.
func addCovariance(w, rows []float64, n, p int, weight float64, kind gaussian.Shrinkage, rule shrinkRule) float64 {
	scale := make([]float64, p)
	for i, v := range rows {
		scale[i%p] += v * v
	}
	for j, v := range scale {
		scale[j] = math.Sqrt(v / float64(n))
		if scale[j] == 0 || rule.isotropic {
			scale[j] = 1
		}
	}
	for i := range rows {
		rows[i] /= scale[i%p]
	}
	s := make([]float64, p*p)
	dense.Syrk(p, n, 1/float64(n), rows, p, 0, s, p)
	rho := rule.amount
	switch kind {
	case gaussian.None:
		rho = 0
	case gaussian.OAS:
		rho = oasCoefficient(s, n, p)
	case gaussian.LedoitWolf:
		rho = ledoitWolfCoefficient(s, rows, n, p)
	}
	trace := 0.0
	for j := range p {
		trace += s[j*p+j]
	}
	for i := range p {
		for j := range p {
			v := (1 - rho) * s[i*p+j]
			if i == j {
				v += rho * trace / float64(p)
			}
			w[i*p+j] += weight * scale[i] * scale[j] * v
		}
	}
	return rho
}

// traceAndSquares returns tr S and ‖S‖².
func traceAndSquares(s []float64, p int) (trace, squares float64) {
	for i := range p {
		trace += s[i*p+i]
		row := 0.0
		for _, v := range s[i*p : (i+1)*p] {
			row += v * v
		}
		squares += row
	}
	return trace, squares
}

// oasCoefficient is the oracle approximating shrinkage of Chen, Wiesel, Eldar and
// Hero (2010, equation 23), in scikit-learn's form, for a covariance with divisor n.
func oasCoefficient(s []float64, n, p int) float64 {
	trace, squares := traceAndSquares(s, p)
	mu2 := trace / float64(p) * trace / float64(p)
	alpha := squares / float64(p) / float64(p)
	den := float64(n+1) * (alpha - mu2/float64(p))
	if den <= 0 {
		return 1
	}
	return min(1, (alpha+mu2)/den)
}

// ledoitWolfCoefficient is that of Ledoit and Wolf (2004, lemma 3.1 to theorem 3.3)
// for the covariance s, with divisor n, of the centered rows.
func ledoitWolfCoefficient(s, rows []float64, n, p int) float64 {
	trace, squares := traceAndSquares(s, p)
	quartic := 0.0
	for k := range n {
		q := 0.0
		for _, v := range rows[k*p : (k+1)*p] {
			q += v * v
		}
		quartic += q * q
	}
	delta := squares - trace*trace/float64(p)
	beta := min((quartic/float64(n)-squares)/float64(n), delta)
	if beta <= 0 {
		return 0
	}
	return beta / delta
}
