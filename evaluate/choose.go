package evaluate

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// OneStandardError returns the last candidate whose mean loss exceeds the lowest mean loss by at most one standard
// error of their paired difference. losses[k][i] is the held-out loss of candidate k on observation i. Order the
// candidates from the most flexible to the most regularized.
//
// This is the rule of Breiman, Friedman, Olshen and Stone (1984, section 3.4.3), but with the standard error of
// paired differences: all candidates predict the same observations, and some observations are hard for every
// candidate. Scores within one recording favor flexible fits, because observations from one day resemble each other
// more than observations from different days. The rule therefore picks the most regularized of the candidates that
// cannot be distinguished from the best.
//
// If several candidates share the lowest loss, the first counts as the best. It panics with mat.ErrShape if the
// candidates have different numbers of losses, or none.
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
		if d, se := PairedDifference(losses[k], losses[best]); d <= se {
			chosen = k
		}
	}
	return chosen
}

func meanOf(v []float64) float64 { return floats.Sum(v) / float64(len(v)) }

// PairedDifference returns the mean of a − b and its standard error. a[i] and b[i] belong to the same observation.
func PairedDifference(a, b []float64) (mean, se float64) {
	n := float64(len(a))
	mean = meanOf(a) - meanOf(b)
	sum := 0.0
	for i := range a {
		d := a[i] - b[i] - mean
		sum += d * d
	}
	return mean, math.Sqrt(sum / math.Max(1, n-1) / n)
}

// pooledLosses returns the loss of every held-out prediction, fold by fold, at the single temperature that fits them
// all best. It then drops the predictions to free memory. It returns nil if a fold has no predictions.
func pooledLosses(folds []*Scores) []float64 {
	var truth []int
	var data []float64
	classes := 0
	for _, s := range folds {
		if s == nil || s.predictions == nil {
			return nil
		}
		n, c := s.predictions.logPosterior.Dims()
		classes = max(classes, c)
		truth = append(truth, s.predictions.truth...)
		for i := range n {
			data = append(data, s.predictions.logPosterior.RawRowView(i)...)
		}
		s.predictions = nil
	}
	if len(data) != len(truth)*classes {
		return nil // the folds have different numbers of classes
	}
	all := mat.NewDense(len(truth), classes, data)
	t, err := Temperature(truth, all)
	if err != nil {
		return nil
	}
	return Losses(truth, Temper(all, t))
}

// indistinct is a difference in mean loss that can be due to rounding alone. Predictions that are equal up to a
// temperature have equal losses up to rounding.
const indistinct = 1e-9

// markClose sets the Loss of each candidate, and Close if the loss is close to the lowest.
func (r *SearchResult) markClose(losses [][]float64) {
	best := -1
	for k, l := range losses {
		if t := &r.Trials[k]; t.Err == nil && len(l) > 0 {
			if t.Loss = meanOf(l); best < 0 || t.Loss < r.Trials[best].Loss {
				best = k
			}
		}
	}
	for k, l := range losses {
		if t := &r.Trials[k]; t.Err == nil && len(l) > 0 && len(l) == len(losses[best]) {
			d, se := PairedDifference(l, losses[best])
			t.Close = d <= se+indistinct
		}
	}
}
