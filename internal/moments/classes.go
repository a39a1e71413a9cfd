package moments

import (
	"math"

	"gonum.org/v1/gonum/floats"

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
	mean, centered := Centered(means, share, n)
	for i, p := range share {
		floats.Scale(math.Sqrt(p), centered[i*n:(i+1)*n])
	}
	between = hugepages.Make[float64](n * n)
	dense.Syrk(n, len(share), 1, centered, n, 0, between, n)
	return mean, between
}

// Centered returns the mean of the means of classes, c×n, weighted by their shares, and the means minus that mean.
func Centered(means, share []float64, n int) (mean, centered []float64) {
	mean, centered = make([]float64, n), make([]float64, len(means))
	for i, p := range share {
		vec.Axpy(mean, p, means[i*n:(i+1)*n])
	}
	for i := range share {
		floats.SubTo(centered[i*n:(i+1)*n], means[i*n:(i+1)*n], mean)
	}
	return mean, centered
}
