package main

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"rao/lvq"
	"rao/model"
	"rao/spd"
)

// decision is what a model says of one observation.
type decision struct {
	label             int
	probability       float64
	rejected, outlier bool
}

// decide classifies one observation, a vector or a matrix row by row.
type decide func(x []float64) (decision, error)

// newDecide returns the shortest way through the model: prototypes decide without
// allocation, everything else through the general path.
func newDecide(m *model.Model) (decide, error) {
	if p, ok := m.Matrix.(*lvq.PLRSQ); ok && m.Repair == nil {
		d, err := p.NewDecider()
		if err != nil {
			return nil, err
		}
		return func(x []float64) (decision, error) {
			r, err := d.Decide(x, nil)
			return decision{r.Label, r.Probability, r.Rejected || r.Probability < m.RejectBelow, r.Outlier}, err
		}, nil
	}
	return func(x []float64) (decision, error) {
		var p *model.Prediction
		var err error
		if m.Input.Kind == "matrices" {
			p, err = m.PredictMatrices(spd.StackOf(1, m.Input.Dim, x))
		} else {
			p, err = m.Predict(mat.NewDense(1, len(x), x))
		}
		if err != nil {
			return decision{}, err
		}
		return decision{p.Label[0], math.Exp(p.LogPosterior.At(0, p.Label[0])), p.Rejected[0], false}, nil
	}, nil
}
