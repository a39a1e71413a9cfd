package moments

import (
	"math"

	"rao/internal/hugepages"
	"rao/internal/linalg/dense"
	"rao/internal/linalg/vec"
	"rao/internal/par"
)

// AddUpper adds p times the upper triangle of a to that of sum, both n×n. The mean covariance of classes is a sum of
// such terms.
func AddUpper(sum []float64, p float64, a []float64, n int) {
	par.For(n, RowGrain(n), func(_, lo, hi int) {
		for r := lo; r < hi; r++ {
			vec.Axpy(sum[r*n+r:(r+1)*n], p, a[r*n+r:(r+1)*n])
		}
	})
}

// Within returns the mean of the covariances of classes, n×n each, weighted by their shares.
func Within(covariances, share []float64, n int) []float64 {
	within := hugepages.Make[float64](n * n)
	for i, p := range share {
		AddUpper(within, p, covariances[i*n*n:(i+1)*n*n], n)
	}
	dense.Mirror(n, within, n)
	return within
}

// Between returns the mean of the means of classes, c×n, weighted by their shares, and their covariance, n×n.
func Between(means, share []float64, n int) (mean, between []float64) {
	mean, between = make([]float64, n), hugepages.Make[float64](n*n)
	for i, p := range share {
		vec.Axpy(mean, p, means[i*n:(i+1)*n])
	}
	centered := make([]float64, len(means))
	for i, p := range share {
		w := math.Sqrt(p)
		for j, x := range means[i*n : (i+1)*n] {
			centered[i*n+j] = w * (x - mean[j])
		}
	}
	dense.Syrk(n, len(share), 1, centered, n, 0, between, n)
	return mean, between
}
