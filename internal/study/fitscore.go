package study

import (
	"context"
	"fmt"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/dataset"
	"rao/evaluate"
	"rao/internal/indices"
	"rao/internal/scoring"
	"rao/method"
	"rao/model"
)

// fit fits a method to some rows of the data. It returns the model and the seconds of the fit.
func fit(ctx context.Context, s method.Spec, d *dataset.Data, rows []int) (*model.Model, float64, error) {
	begin := time.Now()
	m, err := s.Fit(ctx, method.InMemory{Data: d.Subset(rows), Spare: true}, nil)
	if err != nil && (!rao.IsNotConverged(err) || ctx.Err() != nil) {
		return nil, 0, err
	}
	return m, time.Since(begin).Seconds(), nil
}

// Decisions are the decisions of a model on some rows of data.
type Decisions struct {
	Rows     []int    // the rows
	Truth    []int    // their classes
	Train    int      // number of rows that the model was fitted to
	Seconds  float64  // time of the fit
	Warnings []string // of the fit
	*model.Prediction
}

func decide(ctx context.Context, m *model.Model, d *dataset.Data, rows []int) (*Decisions, error) {
	truth, p, err := method.PredictLabeled(ctx, m, d.Subset(rows))
	if err != nil {
		return nil, err
	}
	return &Decisions{Rows: rows, Truth: truth, Prediction: p}, nil
}

// OverFolds fits the method to the training rows of each fold and calls each with the decisions on the test rows.
func OverFolds(ctx context.Context, s method.Spec, d *dataset.Data, folds []evaluate.Fold,
	each func(x *Decisions) error) error {
	for i, f := range folds {
		m, seconds, err := fit(ctx, s, d, f.Train)
		if err != nil {
			return fmt.Errorf("fold %d: %w", i+1, err)
		}
		x, err := decide(ctx, m, d, f.Test)
		if err == nil {
			x.Train, x.Seconds, x.Warnings = len(f.Train), seconds, m.Warnings
			err = each(x)
		}
		if err != nil {
			return fmt.Errorf("fold %d: %w", i+1, err)
		}
	}
	return nil
}

// Score compares the decisions at the given indices with the truth; none means all.
func (x *Decisions) Score(at ...int) (*evaluate.Scores, error) {
	if len(at) == 0 {
		return evaluate.Score(x.Truth, x.LogPosterior)
	}
	_, classes := x.LogPosterior.Dims()
	p := mat.NewDense(len(at), classes, nil)
	for i, k := range at {
		p.SetRow(i, x.LogPosterior.RawRowView(k))
	}
	return evaluate.Score(indices.Pick(x.Truth, at), p)
}

// meanSD returns the mean and the standard deviation of v.
func meanSD(v []float64) (mean, sd Number) {
	m, s := scoring.MeanSD(v)
	return Number(m), Number(s)
}
