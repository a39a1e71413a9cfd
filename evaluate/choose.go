package evaluate

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// OneStandardError returns the last candidate whose mean loss is above the lowest by
// at most one standard error of the difference. losses[k][i] is the loss of
// candidate k on observation i, predicted by a fit that has not seen it; candidates
// are ordered from the one that follows the training data most closely to the one
// that follows them least.
//
// This is the rule of Breiman, Friedman, Olshen and Stone (1984, section 3.4.3) with
// the standard error of paired differences, as all candidates meet the same
// observations: some of these are hard for every candidate, which says nothing about
// any. The score inside one recording flatters close fits, for observations of one
// day are more alike than those of two, so of candidates that it cannot tell apart
// the least close is taken.
//
// Of equal lowest losses the first counts as the lowest. It panics with mat.ErrShape
// when candidates have different numbers of losses, and when there are none.
func OneStandardError(losses [][]float64) int {
	best, lowest := 0, math.Inf(1)
	for k, l := range losses {
		if len(l) != len(losses[0]) || len(l) == 0 {
			panic(mat.ErrShape)
		}
		if m := meanOf(l); m < lowest {
			best, lowest = k, m
		}
	}
	chosen := best
	for k := best + 1; k < len(losses); k++ {
		if d, se := pairedDifference(losses[k], losses[best]); d <= se {
			chosen = k
		}
	}
	return chosen
}

func meanOf(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

// pairedDifference returns the mean of a − b and its standard error.
func pairedDifference(a, b []float64) (mean, se float64) {
	n := float64(len(a))
	mean = meanOf(a) - meanOf(b)
	sum := 0.0
	for i := range a {
		d := a[i] - b[i] - mean
		sum += d * d
	}
	return mean, math.Sqrt(sum / math.Max(1, n-1) / n)
}
