package sqfa

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"rao/gaussian"
	"rao/internal/classstats"
	"rao/internal/heldout"
	"rao/internal/linalg/dense"
	"rao/internal/linalg/orth"
	"rao/internal/linalg/tri"
	"rao/internal/linalg/vec"
	"rao/internal/optionvalues"
	"rao/internal/shrink"
)

// fewRows is the number of rows per column below which a class has too few rows to compare noises. For drawn rows,
// drawnRows replaces fewRows. Drawn rows are less informative, because they repeat the covariances exactly: a column
// that is constant in a class by chance is also constant in the held-out rows.
const fewRows, drawnRows = 1.75, poolRows

// shrunkNoise returns the expected noise if a class has fewer than enough rows per column, and otherwise 0. It is the
// variance that OAS shrinkage adds to the mean variance, limited to doubling it. For coordinates in the span of the
// rows, a tenth of it is enough, because each coordinate combines the variance of many columns.
func shrunkNoise(stats *gaussian.Statistics, enough float64) float64 {
	n := stats.Dim
	if float64(slices.Min(stats.Counts)) >= enough*float64(n) {
		return 0
	}
	_, shrinkage, err := stats.Shrink(gaussian.ShrinkRule{Kind: optionvalues.ShrinkageOAS})
	if err != nil {
		return 0
	}
	var noise float64
	for i, p := range stats.Priors() {
		noise += p * math.Min(shrinkage[i]/(1-shrinkage[i]), 1) * meanVariance(stats, i)
	}
	if stats.Total() <= n+1 {
		noise /= 10
	}
	return noise
}

// meanVariance returns the mean variance of the columns within a class.
func meanVariance(stats *gaussian.Statistics, class int) float64 {
	n := stats.Dim
	trace := 0.0
	for j := range n {
		trace += stats.Covariances[(class*n+j)*n+j]
	}
	return trace / float64(n)
}

// poolRows is the number of rows per column below which the pooled covariance is tried.
const poolRows = heldout.DrawnRows

// alike is the fraction of the spread of the covariances that chance must explain before the pooled covariance is
// tried.
const alike = 2. / 3

// shrunk describes statistics of classes with few rows, with covariances shrunk towards the pooled one as in
// regularized discriminant analysis (Friedman 1989, equation 16), and their expected noise.
type shrunk struct {
	plain  *gaussian.Statistics
	pooled []float64 // mean covariance of the classes
	weight float64   // weight of the pooled covariance
	noise  float64
}

// poolable returns shrunk statistics for classes with few rows that may share one covariance, and nil for others. It
// needs the mean covariance of the classes.
func poolable(stats *gaussian.Statistics, pooled []float64) *shrunk {
	n := stats.Dim
	if float64(slices.Min(stats.Counts)) >= poolRows*float64(n) || stats.NumClasses()*n*n > largeStatistics ||
		stats.Total() <= n+1 { // the pooled covariance is singular too
		return nil
	}
	if s := newShrunk(stats, pooled); s != nil && s.weight >= alike {
		return s
	}
	return nil
}

// newShrunk returns shrunk statistics, or nil if no class has any spread or all classes have the same.
//
// The weight is the fraction of the spread of the covariances around the pooled one that chance explains: for Gaussian
// classes with the same covariance, ‖S_i - S‖² is (‖S‖² + tr²S) (1 - π_i) / (n_i - 1) on average. For this comparison,
// the columns are scaled to equal variance. The noise is the amount that OAS adds to the pooled covariance.
func newShrunk(stats *gaussian.Statistics, pooled []float64) *shrunk {
	n, total, share := stats.Dim, stats.Total(), stats.Priors()
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
		_, d := scaled(classstats.CovarianceOf(stats, i), 1)
		spread += d
		chance += (squares + trace*trace) * (1 - share[i]) / math.Max(1, classstats.Weight(stats, i)-1)
	}
	if !(spread > 0) {
		return nil
	}
	rho := moments.OAS()
	return &shrunk{plain: stats, pooled: pooled, weight: math.Min(1, chance/spread),
		noise: math.Min(rho/(1-rho), 1) * moments.Trace / float64(n)}
}

// statistics returns the statistics with shrunk covariances.
func (s *shrunk) statistics() *gaussian.Statistics {
	out := s.plain.Clone()
	for i := range out.Counts {
		cov := classstats.CovarianceOf(out, i)
		for j, v := range s.pooled {
			cov[j] += s.weight * (v - cov[j])
		}
	}
	return out
}

// path returns a path that learns from the shrunk statistics. They have the same mean covariance as the plain ones, and
// thus the same basis for starts, but their own starts.
func (s *shrunk) path(opt plan, plain *startBasis) *path {
	p := newPath(s.statistics(), opt, &startBasis{within: plain.within, components: plain.components,
		largest: plain.largest, noPCA: plain.noPCA})
	p.plain = s.plain
	return p
}

// surrogate returns random rows that have exactly the statistics of classes with few rows. Rows of a Gaussian class
// with a given mean and covariance are determined up to a rotation, and every rotation is equally likely (Langsrud
// 2005). The random rows replace the real ones when noises are compared. If most is less than the number of rows,
// surrogate returns only about that many of them, a share of each class. It returns nil if a class has only one row, or
// if no set of so few rows has these statistics.
func surrogate(stats *gaussian.Statistics, most int, seed uint64) *Rows {
	c, n, total := stats.NumClasses(), stats.Dim, stats.Total()
	least := leastAxis
	if stats.Single {
		least = singleLeast
	}
	r := &Rows{Labels: make([]int, 0, min(most, total)+c), Classes: stats.Classes}
	var x []float64
	rng := rand.New(rand.NewPCG(seed, 0x5a77))
	for i := range c {
		count, some := stats.Counts[i], stats.Counts[i]
		if most < total {
			some = min(count, (count*most+total-1)/total)
		}
		axes := deviations(classstats.CovarianceOf(stats, i), n, least)
		if count < 2 || len(axes) >= count {
			return nil
		}
		z := turnedRows(rng, count, some, len(axes))
		if z == nil {
			return nil
		}
		for a := range some {
			row := slices.Clone(stats.Mean(i))
			for j, axis := range axes {
				vec.Axpy(row, z[a*len(axes)+j]*math.Sqrt(float64(count-1)), axis)
			}
			x = append(x, row...)
			r.Labels = append(r.Labels, i)
		}
	}
	r.X = mat.NewDense(len(r.Labels), n, x)
	return r
}

// turnedRows returns the first rows, some×k, of a random count×k matrix with orthonormal columns of sum zero. It
// returns nil if the random numbers are degenerate. If there are enough other rows, it draws only their inner products,
// by Bartlett's decomposition of the Wishart distribution.
func turnedRows(rng *rand.Rand, count, some, k int) []float64 {
	if k == 0 {
		return []float64{}
	}
	left := count - 1 - some
	if some == count || left < k {
		z := make([]float64, count*(k+1)) // with a column of ones, to which the others are orthogonal
		for j := range z {
			if z[j] = 1; j%(k+1) > 0 {
				z[j] = rng.NormFloat64()
			}
		}
		if orth.Columns(z, count, k+1, k+1, 1e-10, nil) < k+1 {
			return nil
		}
		out := make([]float64, 0, some*k)
		for a := range some {
			out = append(out, z[a*(k+1)+1:(a+1)*(k+1)]...)
		}
		return out
	}
	z, bartlett, products := make([]float64, some*k), make([]float64, k*k), make([]float64, k*k)
	for j := range z {
		z[j] = rng.NormFloat64()
	}
	for i := range k {
		for j := range i {
			bartlett[i*k+j] = rng.NormFloat64()
		}
		bartlett[i*k+i] = math.Sqrt(distuv.ChiSquared{K: float64(left - i), Src: rng}.Rand())
	}
	dense.Gemm(false, true, k, k, k, 1, bartlett, k, bartlett, k, 0, products, k)
	dense.Gemm(true, false, k, k, some, 1, z, k, z, k, 1, products, k)
	if _, _, ok := tri.Cholesky(k, products, 0); !ok {
		return nil
	}
	columns := make([]float64, k*some)
	for a := range some {
		for j := range k {
			columns[j*some+a] = z[a*k+j]
		}
	}
	tri.SolveLower(k, some, products, k, columns, some, false)
	center := (1 - math.Sqrt(1-float64(some)/float64(count))) / float64(some)
	for j := range k { // (I - 11'/count)^½ of the first rows
		column := columns[j*some : (j+1)*some]
		shift := center * floats.Sum(column)
		for a, v := range column {
			z[a*k+j] = v - shift
		}
	}
	return z
}

// leastAxis is the smallest remaining variance of a column that is not a rounding error, as a fraction of the norm of
// the correlations. singleLeast replaces it for covariances in single precision: see singleFloor.
const leastAxis, singleLeast = 1e-10, 1e-6

// deviations returns axes a_k with Σ a_k a_k' = cov (n×n), from a Cholesky factorization with pivoting in units of the
// columns' standard deviations. Axes with less than a fraction of the norm are left out.
func deviations(cov []float64, n int, least float64) [][]float64 {
	scale, a, left := make([]float64, n), make([]float64, n*n), make([]float64, n)
	for j := range scale {
		scale[j] = math.Sqrt(cov[j*n+j])
	}
	for i := range n {
		for j := range n {
			if s := scale[i] * scale[j]; s > 0 {
				a[i*n+j] = cov[i*n+j] / s
			}
		}
		left[i] = a[i*n+i]
	}
	least *= vec.Norm(a)
	var axes [][]float64
	for range n {
		p := floats.MaxIdx(left)
		if !(left[p] > least) {
			break
		}
		axis := slices.Clone(a[p*n : (p+1)*n])
		for _, earlier := range axes {
			vec.Axpy(axis, -earlier[p], earlier)
		}
		floats.Scale(1/math.Sqrt(left[p]), axis)
		for j, v := range axis {
			left[j] = math.Max(0, left[j]-v*v)
		}
		left[p] = 0
		axes = append(axes, axis)
	}
	for _, axis := range axes {
		vec.Times(axis, scale)
	}
	return axes
}
