package synth

import (
	"fmt"
	"math"

	"rao/gaussian"
)

// population is the number of observations per class in statistics of a population. It is so large that the divisor
// count-1 hardly differs from count.
const population = 1 << 20

// newPopulation returns zeroed statistics of equally likely classes named a, b, ....
func newPopulation(classes, dim int) *gaussian.Statistics {
	s := &gaussian.Statistics{Dim: dim, Means: make([]float64, classes*dim),
		Covariances: make([]float64, classes*dim*dim)}
	for i := range classes {
		name := string(rune('a' + i))
		if classes > 26 {
			name = fmt.Sprintf("c%03d", i)
		}
		s.Classes = append(s.Classes, name)
		s.Counts = append(s.Counts, population)
	}
	return s
}

// setBlock writes the 2×2 covariance with variances u and v, rotated by degrees, to rows and columns at and at+1 of
// class i.
func setBlock(s *gaussian.Statistics, i, at int, u, v, degrees float64) {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	if degrees == 90 { // exactly
		sin, cos = 1, 0
	}
	n := s.Dim
	c := s.Covariance(i).RawSymmetric().Data
	c[at*n+at] = u*cos*cos + v*sin*sin
	c[(at+1)*n+at+1] = u*sin*sin + v*cos*cos
	off := (u - v) * sin * cos
	c[at*n+at+1], c[(at+1)*n+at] = off, off
}

// ToyOne returns the population statistics of toy problem 1 of the SQFA paper (arXiv 2502.00168, figure 2): three
// classes in six dimensions. They differ in their covariances in dimensions 1-2, in their means in dimensions 3-4, and
// not at all in dimensions 5-6, which have the largest variance.
//
//	dimensions 1-2  zero mean, variances 0.7 and 0.01 rotated by 15, 45 and 70 degrees
//	dimensions 3-4  means (0.2,-0.1), (0,0.2), (-0.2,-0.1), variance 0.5
//	dimensions 5-6  zero mean, variance 1: the same in every class
//
// The paper gives no parameters. With two filters and noise 0.01, SQFA selects dimensions 1-2, LDA 3-4 and PCA 5-6.
// The blocks do not interact, so filters that start exactly in dimensions 5-6 (the principal components) have no
// gradient: start from random filters or use a sample.
func ToyOne() *gaussian.Statistics { return toyOne(1, 0.5) }

// ToyOneShifted returns toy problem 1 with means five times as large and a covariance of dimensions 3-4 that is a fifth
// as large. SQFA then selects dimensions 3-4.
func ToyOneShifted() *gaussian.Statistics { return toyOne(5, 0.5*0.2) }

func toyOne(means, variance float64) *gaussian.Statistics {
	s := newPopulation(3, 6)
	angles := [3]float64{15, 45, 70}
	centers := [3][2]float64{{0.2, -0.1}, {0, 0.2}, {-0.2, -0.1}}
	for i := range 3 {
		m := s.Mean(i)
		m[2], m[3] = means*centers[i][0], means*centers[i][1]
		setBlock(s, i, 0, 0.7, 0.01, angles[i])
		setBlock(s, i, 2, variance, variance, 0)
		setBlock(s, i, 4, 1, 1, 0)
	}
	return s
}

// ToyTwo returns the population statistics of toy problem 2 of the SQFA paper: three classes in four dimensions.
//
//	dimensions 1-2  means at distance 1.5 from zero, 120 degrees apart; variance 1
//	dimensions 3-4  zero mean, variances 1 and 0.25 rotated by 0, 60 and 120 degrees
//
// The paper gives no numbers; these values are ours. At noise 0.01, the second moments differ slightly more in
// dimensions 3-4 (mean affine-invariant distance 1.69, compared with 1.45), so smSQFA selects dimensions 3-4. The
// Gaussians differ more in dimensions 1-2 (Calvo-Oller distance 2.15, compared with 1.20), so SQFA selects dimensions
// 1-2.
func ToyTwo() *gaussian.Statistics {
	s := newPopulation(3, 4)
	for i := range 3 {
		sin, cos := math.Sincos(math.Pi/2 + 2*math.Pi*float64(i)/3)
		m := s.Mean(i)
		m[0], m[1] = 1.5*cos, 1.5*sin
		setBlock(s, i, 0, 1, 1, 0)
		setBlock(s, i, 2, 1, 0.25, 60*float64(i))
	}
	return s
}

// ToyDistance returns the population statistics of the distance toy of the SQFA paper (figure 6): three classes of zero
// mean in four dimensions, with rotated copies of one covariance.
//
//	dimensions 1-2  variances 0.1 and 0.01 rotated by 0, 60 and 120 degrees
//	dimensions 3-4  variances 1 and 0.1 rotated by 0, 20 and 40 degrees
//
// The paper gives no numbers; these values are ours. Dissimilarities that do not change with scale (Fisher-Rao,
// Bhattacharyya, log-Euclidean, Jeffreys, normalized Wasserstein) select dimensions 1-2; Wasserstein and Euclidean
// select 3-4.
func ToyDistance() *gaussian.Statistics {
	s := newPopulation(3, 4)
	for i := range 3 {
		setBlock(s, i, 0, 0.1, 0.01, 60*float64(i))
		setBlock(s, i, 2, 1, 0.1, 20*float64(i))
	}
	return s
}
