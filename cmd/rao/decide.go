package main

import (
	"context"
	"math"
	"slices"

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
	if i := slices.IndexFunc(m.Stages, func(s model.Stage) bool { _, ok := s.(*model.Recentering); return ok }); i >= 0 {
		plain := *m
		plain.Stages = slices.Delete(slices.Clone(m.Stages), i, i+1)
		inner, err := newDecide(&plain)
		return (&follower{dim: m.Input.Dim, inner: inner}).decide, err
	}
	if p, ok := m.Classifier.(*lvq.PLRSQ); ok && len(m.Stages) == 0 {
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
		b := model.Batch{X: mat.NewDense(1, len(x), x)}
		if m.Input.Kind == model.KindMatrices {
			b = model.Matrices(spd.StackOf(1, m.Input.Dim, x))
		}
		p, err := m.Predict(context.Background(), b)
		if err != nil {
			return decision{}, err
		}
		return decision{p.Label[0], math.Exp(p.LogPosterior.At(0, p.Label[0])), p.Rejected[0], false}, nil
	}, nil
}

// follower re-centres a stream by the mean of what has come so far, which it moves
// along the geodesic to every new matrix. Until as many matrices as their order have
// come the mean is poor, and decisions are rejected.
type follower struct {
	dim   int
	seen  int
	mean  []float64
	inner decide
}

func (f *follower) decide(x []float64) (decision, error) {
	f.seen++
	if f.mean == nil {
		f.mean = slices.Clone(x)
	}
	var err error
	if f.mean, err = spd.Geodesic(spd.Riemann, f.mean, x, 1/float64(f.seen), f.dim); err != nil {
		return decision{}, err
	}
	moved := spd.NewStack(1, f.dim)
	if err := spd.Recenter(moved, spd.StackOf(1, f.dim, x), f.mean, nil); err != nil {
		return decision{}, err
	}
	d, err := f.inner(moved.At(0))
	d.rejected = d.rejected || f.seen < f.dim
	return d, err
}
