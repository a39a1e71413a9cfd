package evaluate

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// OneStandardError returns the last candidate whose mean loss is above the lowest by at most one standard error of the
// difference. losses[k][i] is the held-out loss of candidate k on observation i. Candidates are ordered from the most
// flexible to the most regularized.
//
// This is the rule of Breiman, Friedman, Olshen and Stone (1984, section 3.4.3) with the standard error of paired
// differences: all candidates predict the same observations, and some observations are hard for every candidate.
// Scores within one recording favor flexible fits, because observations of one day are more alike than observations of
// two days. So the most regularized candidate among those that cannot be distinguished is chosen.
//
// If several candidates have the lowest loss, the first counts. It panics with mat.ErrShape if candidates have
// different numbers of losses, or none.
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

// PairedDifference returns the mean of a − b and its standard error; a and b are values for the same observations.
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

// pooledLosses returns the losses of the predictions of all folds, fold by fold, at
// the one temperature that fits them best, and lets the predictions go. It returns nil
// when a fold has none.
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
		return nil // folds that know different classes
	}
	all := mat.NewDense(len(truth), classes, data)
	t, err := Temperature(truth, all)
	if err != nil {
		return nil
	}
	return Losses(truth, Temper(all, t))
}

// indistinct is a difference of losses that rounding makes, of predictions that are the same
// up to a temperature.
const indistinct = 1e-9

// markClose notes the losses of the candidates and which are close to the lowest.
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
