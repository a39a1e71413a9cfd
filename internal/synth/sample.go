package synth

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"rao/dataset"
	"rao/gaussian"
	"rao/internal/par"
)

// Sample draws perClass observations of each class from Gaussians with the given statistics, one class after the
// other. The same seed gives the same data on any machine and any number of processors; each class has its own random
// stream. It returns an error if a covariance is not positive definite or perClass is below 1.
func Sample(stats *gaussian.Statistics, perClass int, seed uint64) (*dataset.Data, error) {
	if perClass < 1 {
		return nil, fmt.Errorf("the number of observations per class is %d; it must be 1 or more", perClass)
	}
	n, c := stats.Dim, stats.NumClasses()
	factors := make([]*mat.TriDense, c)
	for i := range c {
		var chol mat.Cholesky
		if !chol.Factorize(stats.Covariance(i)) {
			return nil, fmt.Errorf("class %s: the covariance is not positive definite; add a small value to its "+
				"diagonal", stats.Classes[i])
		}
		factors[i] = mat.NewTriDense(n, mat.Lower, nil)
		chol.LTo(factors[i])
	}
	values := make([]float64, c*perClass*n)
	d := &dataset.Data{Source: "sample", X: dataset.NewTable(c*perClass, n, values),
		Labels: make([]int, c*perClass), Classes: append([]string(nil), stats.Classes...)}
	par.For(c, 1, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			draw(values, d.Labels, i, perClass, stats.Mean(i), factors[i].RawTriangular().Data,
				rand.New(rand.NewPCG(seed, uint64(i))))
		}
	})
	return d, nil
}

// draw fills the rows of class i: mean + L z with z standard normal.
func draw(values []float64, labels []int, i, perClass int, mean, l []float64, rng *rand.Rand) {
	n := len(mean)
	z := make([]float64, n)
	for k := range perClass {
		row := i*perClass + k
		labels[row] = i
		for j := range z {
			z[j] = rng.NormFloat64()
		}
		x := values[row*n : (row+1)*n]
		for j := range x {
			sum := mean[j]
			for t, v := range l[j*n : j*n+j+1] {
				sum += v * z[t]
			}
			x[j] = sum
		}
	}
}

// Synthetic returns random statistics of the given size, for benchmarks. The speed task of the SQFA paper, for example,
// has 41 classes of 450 dimensions. All class covariances share a part with a spectrum of 1/k in a basis of cosines, as
// in images. Each class adds a random part of rank 8 along the 32 slowest cosines, with about half the standard
// deviation of the common part. The means vary along the same cosines, with about a tenth of that standard deviation.
func Synthetic(classes, dim int, seed uint64) *gaussian.Statistics {
	const rank = 8
	s := newPopulation(classes, dim)
	common := cosineCovariance(dim)
	par.For(classes, 1, func(_, lo, hi int) {
		own := make([]float64, rank*dim)
		for i := lo; i < hi; i++ {
			rng := rand.New(rand.NewPCG(seed, uint64(i)))
			for r := range rank {
				smooth(own[r*dim:(r+1)*dim], 0.5/math.Sqrt(rank), rng)
			}
			smooth(s.Mean(i), 0.1, rng)
			c := s.Covariance(i).RawSymmetric().Data
			copy(c, common)
			addOuter(c, own, dim)
		}
	})
	return s
}

// cosineCovariance returns sum_k B_k B_k' / k + 0.001 I over the cosine basis.
func cosineCovariance(n int) []float64 {
	// Stationary up to reflection: entry (i,j) is a(i-j) + a(i+j+1), where a is the
	// cosine transform of the spectrum.
	a := make([]float64, 2*n+1)
	for t := range a {
		for k := 1; k <= n; k++ {
			a[t] += math.Cos(math.Pi*float64(k-1)*float64(t)/float64(n)) / float64(k) / float64(n)
		}
	}
	c := make([]float64, n*n)
	for i := range n {
		for j := range n {
			c[i*n+j] = a[max(i-j, j-i)] + a[i+j+1]
		}
		c[i*n+i] += 0.001
	}
	return c
}

// smooth fills v with a random combination of the 32 slowest cosines.
func smooth(v []float64, scale float64, rng *rand.Rand) {
	clear(v)
	n := len(v)
	for k := range min(32, n) {
		w := scale * rng.NormFloat64() / math.Sqrt(float64(k+1))
		for i := range v {
			v[i] += w * math.Cos(math.Pi*float64(k)*(float64(i)+0.5)/float64(n)) * math.Sqrt(2/float64(n))
		}
	}
}

// addOuter adds u'u to the n×n matrix c, where u has n columns.
func addOuter(c, u []float64, n int) {
	for r := 0; r < len(u); r += n {
		row := u[r : r+n]
		for i, a := range row {
			for j := range i + 1 {
				c[i*n+j] += a * row[j]
			}
		}
	}
	for i := range n {
		for j := range i {
			c[j*n+i] = c[i*n+j]
		}
	}
}
