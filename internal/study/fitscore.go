package study

import (
	"context"
	"math"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/dataset"
	"rao/evaluate"
	"rao/internal/indices"
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

// decisions are the decisions of a model on some rows of data.
type decisions struct {
	rows  []int
	truth []int
	*model.Prediction
}

func decide(ctx context.Context, m *model.Model, d *dataset.Data, rows []int) (*decisions, error) {
	truth, p, err := method.PredictLabeled(ctx, m, d.Subset(rows))
	if err != nil {
		return nil, err
	}
	return &decisions{rows, truth, p}, nil
}

// score compares the decisions at the given indices with the truth; nil means all.
func (x *decisions) score(at []int) (*evaluate.Scores, error) {
	if at == nil {
		return evaluate.Score(x.truth, x.LogPosterior)
	}
	_, classes := x.LogPosterior.Dims()
	p := mat.NewDense(len(at), classes, nil)
	for i, k := range at {
		p.SetRow(i, x.LogPosterior.RawRowView(k))
	}
	return evaluate.Score(indices.Pick(x.truth, at), p)
}

// meanSD returns the mean and the standard deviation of v. The standard deviation of a single value is 0.
func meanSD(v []float64) (mean, sd Number) {
	m, s := 0.0, 0.0
	for _, x := range v {
		m += x / float64(len(v))
	}
	for _, x := range v {
		s += (x - m) * (x - m)
	}
	return Number(m), Number(math.Sqrt(s / float64(max(1, len(v)-1))))
}
