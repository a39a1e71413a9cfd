package sqfa

import (
	"math/rand/v2"

	"rao/gaussian"
	"rao/internal/linalg/dense"
	"rao/internal/linalg/ritz"
	"rao/internal/linalg/vec"
	"rao/internal/optim"
	"rao/internal/pages"
	"rao/internal/par"
)

// principal returns the k leading principal components of all classes together
// (of the total covariance: within plus between), n×k with orthonormal columns in
// the order of decreasing variance, and their variances. Each column's entry of
// largest magnitude is positive.
func principal(stats *gaussian.Statistics, k int) (components, variances []float64, err error) {
	return ritz.Leading(totalCovariance(stats), stats.Dim, k)
}

// totalCovariance returns Σ p_i (Φ_i + (g_i - g)(g_i - g)') with p_i the classes'
// shares and g the mean of all.
func totalCovariance(stats *gaussian.Statistics) []float64 {
	c, n := stats.NumClasses(), stats.Dim
	share, mean := stats.Priors(), make([]float64, n)
	for i, p := range share {
		for j, g := range stats.Mean(i) {
			mean[j] += p * g
		}
	}
	centered := make([]float64, c*n)
	for i := range c {
		for j, g := range stats.Mean(i) {
			centered[i*n+j] = g - mean[j]
		}
	}
	total := pages.Make[float64](n * n)
	par.For(n, rowGrain, func(_, lo, hi int) {
		for r := lo; r < hi; r++ {
			out := total[r*n+r : (r+1)*n]
			clear(out)
			for i, p := range share {
				vec.Axpy(out, p, stats.Covariances[(i*n+r)*n+r:(i*n+r+1)*n])
				vec.Axpy(out, p*centered[i*n+r], centered[i*n+r:(i+1)*n])
			}
		}
	})
	dense.Mirror(n, total, n)
	return total
}

// randomFilters draws m unit vectors, or orthonormal ones.
func randomFilters(n, m int, c Constraint, seed, stream uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, stream))
	x := make([]float64, n*m)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	kind := optim.Sphere
	if c == Orthogonal {
		kind = optim.Orthogonal
	}
	if err := optim.NewManifold(kind, n, m).Normalize(x); err != nil {
		panic(err) // normal draws are independent
	}
	return x
}
