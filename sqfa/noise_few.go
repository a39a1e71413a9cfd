package sqfa

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/linalg/vec"
	"rao/internal/shrink"
)

// fewRows is the number of rows per column below which a class has too few to tell noises apart.
const fewRows = 1.75

// shrunkNoise returns the noise to expect for classes of few rows, 0 for others: what shrinkage of the covariances
// by OAS adds to the mean variance, at most as much as there is. Coordinates in the span of the rows hold
// the variance of many more columns, so a tenth of it is enough there.
func shrunkNoise(stats *gaussian.Statistics) float64 {
	n := stats.Dim
	if float64(slices.Min(stats.Counts)) >= fewRows*float64(n) {
		return 0
	}
	_, shrinkage, err := stats.Shrink(gaussian.OAS, 0)
	if err != nil {
		return 0
	}
	var noise float64
	for i, p := range stats.Priors() {
		var trace float64
		for j := range n {
			trace += stats.Covariances[(i*n+j)*n+j]
		}
		noise += p * math.Min(shrinkage[i]/(1-shrinkage[i]), 1) * trace / float64(n)
	}
	if stats.Total() <= n+1 {
		noise /= 10
	}
	return noise
}

// poolRows is the number of rows per column below which the pooled covariance is tried.
const poolRows = 2

// alike is the share of the spread of the covariances that chance has to explain before the pooled one is tried.
const alike = 2. / 3

// shrunk are the statistics of classes of few rows with covariances that are shrunk towards the pooled one, as in
// regularized discriminant analysis (Friedman 1989, equation 16), and the noise to expect for them.
type shrunk struct {
	plain  *gaussian.Statistics
	stats  *gaussian.Statistics
	weight float64 // of the pooled covariance
	noise  float64
}

// poolable returns shrunk statistics for classes of few rows that may have one covariance, nil for others.
func poolable(stats *gaussian.Statistics) *shrunk {
	n := stats.Dim
	if float64(slices.Min(stats.Counts)) >= poolRows*float64(n) || stats.NumClasses()*n*n > largeStatistics ||
		stats.Total() <= n+1 { // the pooled covariance is singular too
		return nil
	}
	if s := newShrunk(stats); s != nil && s.weight >= alike {
		return s
	}
	return nil
}

// newShrunk returns shrunk statistics, nil where no class has any spread, or all have the same.
//
// The weight is the share of the spread of the covariances around the pooled one that chance explains: for Gaussian
// classes that are alike, ‖S_i - S‖² is (‖S‖² + tr²S) (1 - π_i) / (n_i - 1) on average. The columns are brought to
// one variance for that. The noise is what OAS adds to the pooled covariance.
func newShrunk(stats *gaussian.Statistics) *shrunk {
	n, total := stats.Dim, stats.Total()
	share := make([]float64, stats.NumClasses())
	for i := range share {
		share[i] = stats.Weight(i) / stats.TotalWeight()
	}
	pooled := withinCovariance(stats, share)
	moments := shrink.Of(pooled, total, n, float64(total))
	if moments.Trace <= 0 {
		return nil
	}
	scale := make([]float64, n)
	for j := range scale {
		if v := pooled[j*n+j]; v > 0 {
			scale[j] = 1 / math.Sqrt(v)
		}
	}
	scaled := func(a []float64, minus float64) (trace, squares float64) {
		row := make([]float64, n)
		for r := range n {
			for j, v := range a[r*n : (r+1)*n] {
				row[j] = (v - minus*pooled[r*n+j]) * scale[r] * scale[j]
			}
			trace, squares = trace+row[r], squares+vec.Dot(row, row)
		}
		return trace, squares
	}
	trace, squares := scaled(pooled, 0)
	var chance, spread float64
	for i := range share {
		_, d := scaled(stats.Covariances[i*n*n:(i+1)*n*n], 1)
		spread += d
		chance += (squares + trace*trace) * (1 - share[i]) / math.Max(1, stats.Weight(i)-1)
	}
	if !(spread > 0) {
		return nil
	}
	rho := moments.OAS()
	s := &shrunk{plain: stats, stats: stats.Clone(), weight: math.Min(1, chance/spread),
		noise: math.Min(rho/(1-rho), 1) * moments.Trace / float64(n)}
	for i := range share {
		cov := s.stats.Covariances[i*n*n : (i+1)*n*n]
		for j, v := range pooled {
			cov[j] += s.weight * (v - cov[j])
		}
	}
	return s
}

// path returns a path that learns from the shrunk statistics.
func (s *shrunk) path(opt Options) (*path, error) {
	p, err := newPath(s.stats, opt)
	if err == nil {
		p.plain = s.plain
	}
	return p, err
}

// doubtMeans moves the means of features towards their mean by the share of their distances that chance explains:
// with n columns, the squared Mahalanobis distance of the means of two classes that are alike is n (1/n_i + 1/n_j) on
// average, and filters can find all of it. within is the mean covariance of the classes, k×k.
func (p *path) doubtMeans(features *gaussian.Statistics, within []float64) {
	c, k := features.NumClasses(), features.Dim
	share := make([]float64, c)
	for i := range share {
		share[i] = 1 / float64(c)
	}
	centered := centeredMeans(features, share)
	var chol mat.Cholesky
	if !chol.Factorize(mat.NewSymDense(k, within)) {
		return
	}
	var distance, chance float64
	var solved mat.VecDense
	for i := range c {
		d := mat.NewVecDense(k, centered[i*k:(i+1)*k])
		if chol.SolveVecTo(&solved, d) != nil {
			return
		}
		distance += mat.Dot(d, &solved)
		chance += float64(p.stats.Dim) / p.stats.Weight(i) * (1 - share[i])
	}
	free := p.stats.TotalWeight() - float64(c)
	chance *= math.Min(4, free/math.Max(1, free-float64(p.stats.Dim)-1))
	lost := 1 - math.Sqrt(math.Max(0, 1-chance/distance))
	for i := range c {
		vec.Axpy(features.Mean(i), -lost, centered[i*k:(i+1)*k])
	}
}
