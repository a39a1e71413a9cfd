package evaluate

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"rao/internal/linalg/vec"
	"rao/internal/par"
)

// Temperature returns the T that minimizes the log loss after the log-probabilities are divided by T and normalized
// again (Guo et al. 2017). T > 1 means that the probabilities were overconfident. Fit it on held-out predictions. It
// does not change decisions. T is between e⁻⁷ and e⁷.
//
// It returns an error if there are no observations, a label is not a column, or a value is NaN. It panics with
// mat.ErrShape if the number of labels differs from the number of rows.
func Temperature(truth []int, logPosterior *mat.Dense) (float64, error) {
	if _, err := Score(truth, logPosterior); err != nil {
		return 0, err
	}
	slopes := make([]float64, 2*len(truth))
	// The loss is convex in b = 1/T: the derivative of its slope, the mean of E z − z_y, is the mean variance of z.
	return 1 / rising(func(b float64) (slope, curvature float64) {
		par.For(len(truth), 1024, func(_, lo, hi int) {
			for i := lo; i < hi; i++ {
				z := logPosterior.RawRowView(i)
				mean, variance := moments(z, b)
				slopes[2*i], slopes[2*i+1] = mean-bounded(z[truth[i]]), variance
			}
		})
		for i := 0; i < len(slopes); i += 2 {
			slope += slopes[i]
			curvature += slopes[i+1]
		}
		return slope, curvature
	}), nil
}

// rising returns the zero of a non-decreasing function between e⁻⁷ and e⁷, or the end nearer to the zero. f returns
// the value and its derivative. The steps are Newton steps in the logarithm of b. A step that leaves the bracket, or
// is more than half as long as the last one, is replaced by a bisection. A Newton step of 1e-5 leaves an error of about
// 1e-10.
func rising(f func(b float64) (value, derivative float64)) float64 {
	lo, hi, u, last := -7.0, 7.0, 0.0, 14.0
	for range 100 {
		b := math.Exp(u)
		value, derivative := f(b)
		if value == 0 {
			break
		}
		if value > 0 {
			hi = u
		} else {
			lo = u
		}
		next := u - value/(b*derivative)
		enough := 1e-5
		if !(next > lo && next < hi) || math.Abs(next-u) > last/2 {
			next, enough = (lo+hi)/2, 1e-9
		}
		last = math.Abs(next - u)
		if u = next; last < enough {
			break
		}
	}
	return math.Exp(u)
}

// moments returns the mean and variance of z under the probabilities exp(b z)/Σ exp(b z).
func moments(z []float64, b float64) (mean, variance float64) {
	top := bounded(z[floats.MaxIdx(z)])
	sum, first, second := 0.0, 0.0, 0.0
	for _, v := range z {
		d := bounded(v) - top
		p := math.Exp(b * d)
		sum += p
		first += p * d
		second += p * d * d
	}
	first /= sum
	return top + first, second/sum - first*first
}

// bounded limits a log-probability to at least -1000, because -∞ would make the sums infinite.
func bounded(z float64) float64 { return math.Max(z, -1000) }

// Temper returns the log-probabilities at temperature t: divided by t and normalized again. It panics unless t > 0.
func Temper(logPosterior *mat.Dense, t float64) *mat.Dense {
	if !(t > 0) {
		panic(fmt.Sprintf("evaluate: temperature %g", t))
	}
	n, c := logPosterior.Dims()
	out := mat.NewDense(n, c, nil)
	for i := range n {
		row := out.RawRowView(i)
		for k, v := range logPosterior.RawRowView(i) {
			row[k] = bounded(v) / t
		}
		vec.LogSoftmax(row)
	}
	return out
}
