// Package posteriors computes probabilities from their logarithms.
package posteriors

import (
	"gonum.org/v1/gonum/mat"

	"rao/internal/linalg/vec"
	"rao/internal/par"
)

// grain is the number of rows that one goroutine processes.
const grain = 512

// Exponentiate replaces log-probabilities by probabilities and normalizes each row to sum to 1.
func Exponentiate(logp *mat.Dense) {
	n, c := logp.Dims()
	par.For(n, grain, func(_, lo, hi int) {
		vec.Exp(logp.RawMatrix().Data[lo*c:hi*c], -708)
		for i := lo; i < hi; i++ {
			Normalize(logp.RawRowView(i))
		}
	})
}

// Normalize divides the values of a row by their sum.
func Normalize(row []float64) {
	sum := vec.Total(row)
	for j := range row {
		row[j] /= sum
	}
}
