package study

import (
	"context"
	"errors"

	"gonum.org/v1/gonum/mat"

	"rao/dataset"
	"rao/evaluate"
	"rao/internal/scoring"
	"rao/method"
)

// chooseThreshold returns the decision threshold for two classes that is best on held-out observations by the given
// rule. It fits the method to the training set of each fold and predicts the test set. The rule is accuracy,
// balanced_accuracy, kappa, f1 (of the last class), or cost:R, which makes missing an observation of the last class
// cost R times as much as a false alarm. The cost is one fit per fold.
func chooseThreshold(ctx context.Context, s method.Spec, d *dataset.Data, folds []evaluate.Fold,
	rule string) (threshold float64, err error) {
	var truth []int
	var data, weights []float64
	err = OverFolds(ctx, s, d, folds, func(x *Decisions) error {
		truth = append(truth, x.Truth...)
		for i, r := range x.Rows {
			data = append(data, x.LogPosterior.RawRowView(i)...)
			if d.Weights != nil {
				weights = append(weights, d.Weights[r])
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	if len(truth) == 0 {
		return 0, errors.New("the folds have no observations, so no threshold can be chosen; add data")
	}
	threshold, _, err = scoring.Threshold(truth, mat.NewDense(len(truth), len(data)/len(truth), data), weights,
		rule)
	return threshold, err
}
