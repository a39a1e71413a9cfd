package evaluate

import (
	"gonum.org/v1/gonum/mat"

	"rao/internal/scoring"
)

// pooledLosses returns the loss of every held-out prediction, fold by fold, at the single temperature that fits them
// all best. It then drops the predictions to free memory. It returns nil if a fold has no predictions.
func pooledLosses(folds []*Scores) []float64 {
	var truth []int
	var data []float64
	classes := 0
	for _, s := range folds {
		labels, logPosterior := scoring.TakePredictions(s)
		if logPosterior == nil {
			return nil
		}
		n, c := logPosterior.Dims()
		classes = max(classes, c)
		truth = append(truth, labels...)
		for i := range n {
			data = append(data, logPosterior.RawRowView(i)...)
		}
	}
	if len(data) != len(truth)*classes {
		return nil // the folds have different numbers of classes
	}
	all := mat.NewDense(len(truth), classes, data)
	t, err := Temperature(truth, all)
	if err != nil {
		return nil
	}
	return scoring.Losses(truth, Temper(all, t))
}

// indistinct is a difference in mean loss that can be due to rounding alone. Predictions that are equal up to a
// temperature have equal losses up to rounding.
const indistinct = 1e-9

// markClose sets the Loss of each candidate, and Close if the loss is close to the lowest.
func (r *SearchResult) markClose(losses [][]float64) {
	best := -1
	for k, l := range losses {
		if t := &r.Trials[k]; t.Err == nil && len(l) > 0 {
			if t.Loss = scoring.MeanOf(l); best < 0 || t.Loss < r.Trials[best].Loss {
				best = k
			}
		}
	}
	for k, l := range losses {
		if t := &r.Trials[k]; t.Err == nil && len(l) > 0 && len(l) == len(losses[best]) {
			d, se := scoring.PairedDifference(l, losses[best])
			t.Close = d <= se+indistinct
		}
	}
}
