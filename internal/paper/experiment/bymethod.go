package experiment

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/dataset"
	"rao/evaluate"
	"rao/method"
	"rao/model"
	"rao/spd"
)

// byMethod returns a fitter of the named method with settings, which are the settings of rao fit. The fitter accepts a
// fit that has not reached its tolerance.
func byMethod(name string, settings ...evaluate.Setting) fitter {
	return func(ctx context.Context, train *dataset.Data, _ uint64) (matrixClassifier, error) {
		m, err := method.Lookup(name)
		if err != nil {
			return nil, err
		}
		fit, err := m.Fit(ctx, method.InMemory{Data: train}, settings, nil)
		if fit == nil || err != nil && !rao.HasModel(err) {
			return nil, err
		}
		return wholeModel{fit}, nil
	}
}

// wholeModel classifies matrices with all stages of a model.
type wholeModel struct{ *model.Model }

// LogPosterior implements matrixClassifier.
func (m wholeModel) LogPosterior(ctx context.Context, dst *mat.Dense, x *spd.Stack) error {
	p, err := m.Predict(context.Background(), model.Matrices(x))
	if err != nil {
		return err
	}
	dst.CloneFrom(p.LogPosterior)
	return nil
}
