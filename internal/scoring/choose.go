package scoring

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// OneStandardError returns the index of the last candidate with a mean loss close to the lowest one: the difference is
// at most one standard error of the paired differences. losses[k][i] is the held-out loss of candidate k on observation
// i. Order the candidates from the most flexible to the most regularized.
//
// This is the rule of Breiman, Friedman, Olshen and Stone (1984, section 3.4.3), but with the standard error of paired
// differences: all candidates predict the same observations, and some observations are hard for every candidate. Scores
// within one recording favor flexible fits, because observations from one day resemble each other more than
// observations from different days. The rule therefore picks the most regularized of the candidates that cannot be
// distinguished from the best.
//
// If several candidates share the lowest loss, the first counts as the best. It panics with mat.ErrShape if the
// candidates have different numbers of losses, or none.
func OneStandardError(losses [][]float64) int {
	best, lowest := 0, math.Inf(1)
	for k, l := range losses {
		if len(l) != len(losses[0]) || len(l) == 0 {
			panic(mat.ErrShape)
		}
		if m := MeanOf(l); m < lowest {
			best, lowest = k, m
		}
	}
	chosen := best
	for k := best + 1; k < len(losses); k++ {
		if d, se := PairedDifference(losses[k], losses[best]); d <= se {
			chosen = k
		}
	}
	return chosen
}

// MeanOf returns the mean of the values.
func MeanOf(v []float64) float64 { return floats.Sum(v) / float64(len(v)) }

// MeanSD returns the mean and the standard deviation of v with divisor n-1. The standard deviation of a single value is
// 0.
func MeanSD(v []float64) (mean, sd float64) {
	for _, x := range v {
		mean += x / float64(len(v))
	}
	for _, x := range v {
		sd += (x - mean) * (x - mean)
	}
	return mean, math.Sqrt(sd / float64(max(1, len(v)-1)))
}

// PairedDifference returns the mean of a − b and its standard error. a[i] and b[i] belong to the same observation.
func PairedDifference(a, b []float64) (mean, se float64) {
	n := float64(len(a))
	mean = MeanOf(a) - MeanOf(b)
	sum := 0.0
	for i := range a {
		d := a[i] - b[i] - mean
		sum += d * d
	}
	return mean, math.Sqrt(sum / math.Max(1, n-1) / n)
}
