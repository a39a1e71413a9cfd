package study

import (
	"context"
	"fmt"

	"rao"
	"rao/dataset"
	"rao/evaluate"
	"rao/internal/indices"
	"rao/method"
	"rao/model"
)

// CrossValidateRegression predicts the target of each matrix with a model fitted to the training set of its fold. If
// an iteration ends early, it uses the result and passes the error to early. It does not use [OverFolds], because a
// regression predicts numbers and is not a [method.Method].
func CrossValidateRegression(ctx context.Context, name string, d *dataset.Data, target string, y []float64,
	folds []evaluate.Fold, opt method.RegressionOptions, early func(error), show rao.Progress) (
	[]float64, error) {
	predicted := make([]float64, d.N())
	for k, fold := range folds {
		show.Send(rao.Event{Stage: "folds", Done: k, Total: len(folds)})
		m, err := method.FitRegression(ctx, name, d.Subset(fold.Train), target, indices.Pick(y, fold.Train), opt)
		if rao.IsNotConverged(err) && ctx.Err() == nil {
			early(err)
			err = nil
		}
		if err != nil {
			return nil, err
		}
		values, err := m.Values(ctx, model.BatchOf(d.Subset(fold.Test)))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.Source, err)
		}
		for i, row := range fold.Test {
			predicted[row] = values[i]
		}
	}
	return predicted, nil
}
