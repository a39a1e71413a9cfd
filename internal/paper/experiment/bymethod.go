package experiment

import (
	"context"

	"gonum.org/v1/gonum/mat"

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
		fit, _, err := new(Run).fitNamed(ctx, name, method.InMemory{Data: train}, settings)
		return wholeModel{fit}, err
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
