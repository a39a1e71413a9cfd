package heldout

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/classstats"
	"rao/internal/indices"
	"rao/internal/linalg/eig"
	"rao/internal/linalg/vec"
	"rao/internal/par"
	"rao/internal/scoring"
	"rao/internal/shrink"
)

// enoughRows is the number of rows per dimension above which covariances are not shrunk. With fewer rows, shrinking the
// covariances (OAS) can improve a quadratic classifier, or ruin it if the classes differ in directions of small
// variance.
const enoughRows = 10

// overfitted is the number of rows per filter below which filters overfit. With plain covariances, the features of the
// rows from which the filters were learned are then classified better than the features of other rows.
const overfitted = 2

// Overfitted reports whether a class has so few rows that the covariances of features with dim dimensions, learned from
// the same rows, are shrunk without a comparison.
func Overfitted(counts []int, dim int) bool {
	return dim > 1 && len(counts) > 1 && slices.Min(counts) < overfitted*dim
}

// mostRows is the largest number of rows with which [PrefersOAS] compares covariances.
const mostRows = 2000

// Few reports whether a class has so few rows that its covariance in dim dimensions may have to be shrunk.
func Few(counts []int, dim int) bool {
	return dim > 1 && len(counts) > 1 && slices.Min(counts) < enoughRows*dim
}

// Some returns the indices, ascending and evenly spaced, of the rows out of total that PrefersOAS needs.
func Some(total int) []int { return indices.Spread(total, mostRows) }

// PrefersOAS reports whether a quadratic classifier should shrink the covariances of the classes by OAS, because a
// class has few rows and shrinkage improves the decisions. Each row of x is classified with the statistics of all other
// rows, which follow in closed form. Nil priors mean the shares of the classes. A covariance that is singular because a
// class has too few rows is shrunk; if it is singular for another reason, the result is false.
//
// If x is nil, rows are drawn with the given statistics: a row of a Gaussian class with a known mean and covariance is
// in a random direction from the mean (Langsrud 2005, rotation tests).
func PrefersOAS(s *gaussian.Statistics, priors []float64, x mat.Matrix, labels []int) bool {
	if !Few(s.Counts, s.Dim) {
		return false
	}
	if i := slices.IndexFunc(s.Counts, func(n int) bool { return n <= s.Dim }); i >= 0 {
		return true
	}
	if priors == nil {
		priors = s.Priors()
	}
	classes := make([]*class, s.NumClasses())
	par.For(len(classes), 1, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			classes[i] = newClass(s, i, priors[i])
		}
	})
	if slices.Contains(classes, nil) {
		return false
	}
	if x == nil {
		x, labels = drawn(s, classes)
	}
	rows, _ := x.Dims()
	var scores [2]*mat.Dense
	for k := range scores {
		scores[k] = mat.NewDense(rows, len(classes), nil)
	}
	par.For(rows, 64, func(_, lo, hi int) {
		row, d, z := make([]float64, s.Dim), make([]float64, s.Dim), make([]float64, s.Dim)
		for r := lo; r < hi; r++ {
			mat.Row(row, r, x)
			for k, c := range classes {
				for j, v := range row {
					d[j] = v - c.mean[j]
				}
				c.along(z, d)
				scores[0].Set(r, k, c.score(z, false, labels[r] == k))
				scores[1].Set(r, k, c.score(z, true, labels[r] == k))
			}
			FromTop(scores[0].RawRowView(r))
			FromTop(scores[1].RawRowView(r))
		}
	})
	var loss [2]float64
	for k := range loss {
		losses, _, err := Losses(labels, scores[k])
		if err != nil {
			return false
		}
		loss[k] = scoring.MeanOf(losses)
	}
	return loss[1] < loss[0]
}

// class is a Gaussian class in its principal axes.
type class struct {
	mean      []float64
	axes      []float64 // n×n, an axis per row
	variances []float64 // along the axes
	rows      float64   // number of rows, or their weight
	trace     float64   // of the covariance
	squares   float64   // squared Frobenius norm of the covariance
	prior     float64   // logarithm
	rho       float64   // OAS coefficient
	consts    [2]float64
}

// newClass returns class i of the statistics, or nil if its covariance is singular.
func newClass(s *gaussian.Statistics, i int, prior float64) *class {
	n := s.Dim
	c := &class{mean: s.Mean(i), axes: slices.Clone(classstats.CovarianceOf(s, i)), variances: make([]float64, n),
		rows: classstats.Weight(s, i), prior: math.Log(prior)}
	if err := eig.SymRows(c.variances, c.axes, n, true, make([]float64, eig.WorkLen(n))); err != nil ||
		!(c.rows > 2) || !(c.variances[0] > 1e-13*c.variances[n-1]) {
		return nil
	}
	for _, v := range c.variances {
		c.trace, c.squares = c.trace+v, c.squares+v*v
	}
	c.rho = oas(c.rows, n, c.trace, c.squares)
	for k, rho := range []float64{0, c.rho} {
		for _, v := range c.variances {
			c.consts[k] -= math.Log((1-rho)*v+rho*c.trace/float64(n)) / 2
		}
	}
	return c
}

// oas returns the coefficient for a covariance, with divisor rows-1, of n dimensions.
func oas(rows float64, n int, trace, squares float64) float64 {
	f := (rows - 1) / rows
	return shrink.Moments{N: int(math.Round(rows)), P: n, Trace: f * trace, Squares: f * f * squares}.OAS()
}

// along writes the coordinates of d in the axes of the class.
func (c *class) along(z, d []float64) {
	n := len(d)
	for j := range z {
		z[j] = vec.Dot(c.axes[j*n:(j+1)*n], d)
	}
}

// score returns the log-density, up to a constant, of a row with coordinates z from the mean, weighted by the prior. If
// the row x belongs to the class, it is first removed from the statistics. The class has n rows with mean m and
// covariance S. With d = x - m, the other rows have
//
//	m' = m - d/(n-1),  S' = ((n-1) S - n/(n-1) dd') / (n-2)
//
// The coefficient of OAS is computed from S'. The determinant and the inverse follow from the lemmas for an update of
// rank one.
func (c *class) score(z []float64, shrunk, own bool) float64 {
	p := float64(len(z))
	if !own {
		rho, constant := 0.0, c.consts[0]
		if shrunk {
			rho, constant = c.rho, c.consts[1]
		}
		sum := 0.0
		for j, v := range c.variances {
			sum += z[j] * z[j] / ((1-rho)*v + rho*c.trace/p)
		}
		return c.prior + constant - sum/2
	}
	a, b, left := c.rows-1, c.rows/(c.rows-1), c.rows-2
	var length, quadratic float64 // d'd and d'Sd
	for j, v := range c.variances {
		length, quadratic = length+z[j]*z[j], quadratic+z[j]*z[j]*v
	}
	trace := (a*c.trace - b*length) / left
	rho := 0.0
	if shrunk {
		squares := (a*a*c.squares - 2*a*b*quadratic + b*b*length*length) / (left * left)
		rho = oas(c.rows-1, len(z), trace, squares)
	}
	var sum, logdet float64
	for j, v := range c.variances {
		e := (1-rho)*a/left*v + rho*trace/p
		sum, logdet = sum+z[j]*z[j]/e, logdet+math.Log(e)
	}
	rest := math.Max(1-(1-rho)*b/left*sum, 1e-300)
	return c.prior - (logdet+math.Log(rest)+b*b*sum/rest)/2
}

// drawn returns random rows of Gaussian classes with the given statistics, and their labels. The number of rows of a
// class is proportional to its rows in the statistics.
func drawn(s *gaussian.Statistics, classes []*class) (*mat.Dense, []int) {
	n, some := s.Dim, Some(s.Total())
	x, labels := mat.NewDense(len(some), n, nil), make([]int, len(some))
	rng := rand.New(rand.NewPCG(0, 0x1ea7e))
	k, end := 0, s.Counts[0]
	z := make([]float64, n)
	for r, i := range some {
		for i >= end {
			k++
			end += s.Counts[k]
		}
		labels[r] = k
		c, row := classes[k], x.RawRowView(r)
		// In the centered frame of the class's rows, a row is the projection of a vector in a random direction of
		// count-1 dimensions.
		length := 0.0
		for j := range z {
			z[j] = rng.NormFloat64()
			length += z[j] * z[j]
		}
		for range s.Counts[k] - 1 - n {
			g := rng.NormFloat64()
			length += g * g
		}
		count := float64(s.Counts[k])
		scale := math.Sqrt((count - 1) * (1 - 1/count) / length)
		copy(row, c.mean)
		for j, v := range c.variances {
			vec.Axpy(row, scale*z[j]*math.Sqrt(math.Max(0, v)), c.axes[j*n:(j+1)*n])
		}
	}
	return x, labels
}
