package method

import (
	"context"
	"fmt"
	"slices"

	"rao/dataset"
	"rao/evaluate"
	"rao/internal/suggest"
	"rao/model"
)

// Predict classifies vectors or matrices. It returns the errors of [model.Model.Predict], with the source of the data.
func Predict(ctx context.Context, m *model.Model, d *dataset.Data) (*model.Prediction, error) {
	p, err := m.Predict(ctx, model.BatchOf(d))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.Source, err)
	}
	return p, nil
}

// Score classifies labeled data and compares the result with the labels. Labels are matched to the classes of the model
// by name. It returns the errors of [PredictLabeled].
func Score(ctx context.Context, m *model.Model, d *dataset.Data) (*evaluate.Scores, error) {
	truth, p, err := PredictLabeled(ctx, m, d)
	if err != nil {
		return nil, err
	}
	return evaluate.Score(truth, p.LogPosterior, d.Weights...)
}

// PredictLabeled classifies labeled data. It returns the true classes as indices into m.Classes, and the predictions.
// It returns the errors of [MatchLabels] and [Predict].
func PredictLabeled(ctx context.Context, m *model.Model, d *dataset.Data) (truth []int, p *model.Prediction,
	err error) {
	if truth, err = MatchLabels(m.Classes, d); err != nil {
		return nil, nil, err
	}
	if p, err = Predict(ctx, m, d); err == nil && model.StageOf[*model.Adaptation](m) != nil {
		if s := meaninglessRecordings(d); s != "" {
			p.Notes = append(p.Notes, s)
		}
	}
	return truth, p, err
}

// MatchLabels returns the labels of the data as indices into classes. If the data have a class that is not in classes,
// the error names it.
func MatchLabels(classes []string, d *dataset.Data) ([]int, error) {
	index := make([]int, len(d.Classes))
	for i, name := range d.Classes {
		index[i] = slices.Index(classes, name)
	}
	truth := make([]int, len(d.Labels))
	for i, l := range d.Labels {
		if truth[i] = index[l]; truth[i] < 0 {
			return nil, fmt.Errorf("%s: row %d, counted from 0, has class %q, but the model has only %s; if these are "+
				"not the labels, name the column of the labels", d.Source, d.First+i, d.Classes[l],
				suggest.Some(classes, 10))
		}
	}
	return truth, nil
}
