package method

import (
	"context"
	"errors"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/testkit"
	"rao/model"
	"rao/spd"
)

// A canceled fit of any method is not reported as a success: its error is the error of the context, never that of a fit
// that did not converge. The model so far may be returned with it.
func TestCanceledFitsSaySo(t *testing.T) {
	vectors, matrices := toyVectors(t), toyMatrices(t)
	for _, m := range Methods() {
		t.Run(m.Name, func(t *testing.T) {
			d := vectors
			if m.Matrices {
				d = matrices
			}
			heard := false
			for _, at := range []int64{1, 2, 4, 9, 20, 60} {
				ctx := testkit.CancelAt(at)
				mod, err := m.Fit(ctx, InMemory{Data: d}, m.only(quick()), nil)
				switch {
				case err == nil && mod.Report.Status == rao.StatusCanceled:
					t.Errorf("canceled at its question %d: no error", at)
				case err != nil && !ctx.Canceled() && !rao.IsNotConverged(err):
					t.Error(err)
				case err == nil || !ctx.Canceled():
					continue // it was over before
				case !errors.Is(err, context.Canceled) || rao.IsNotConverged(err):
					t.Errorf("canceled at its question %d: %v (not converged: %v)", at, err, rao.IsNotConverged(err))
				case mod != nil && !rao.HasModel(err):
					t.Errorf("canceled at its question %d: a model with %v", at, err)
				}
				heard = true
			}
			if !heard {
				t.Error("the fit does not heed its context")
			}
		})
	}
}

// A fit that its deadline ended reports the deadline.
func TestFitsReportTheirDeadline(t *testing.T) {
	ctx, stop := context.WithTimeout(background, 0)
	defer stop()
	for _, m := range Methods() {
		d := toyVectors(t)
		if m.Matrices {
			d = toyMatrices(t)
		}
		_, err := m.Fit(ctx, InMemory{Data: d}, m.only(quick()), nil)
		if !errors.Is(err, context.DeadlineExceeded) || rao.IsNotConverged(err) {
			t.Errorf("%s: %v", m.Name, err)
		}
	}
}

// Every classifier ends with the error of its context.
func TestClassifiersHearTheEndOfTheirContext(t *testing.T) {
	vectors, matrices := toyVectors(t), toyMatrices(t)
	ended := testkit.Canceled()
	for _, m := range Methods() {
		d := vectors
		if m.Matrices {
			d = matrices
		}
		mod := testkit.Fitted(m.Fit(background, InMemory{Data: d}, m.only(quick()), nil))(t, m.Name)
		if mod.Classifier == nil {
			continue
		}
		z := testkit.Must(mod.AtClassifier(background, model.BatchOf(d)))(t, m.Name)
		var posterior, predict error
		switch cl := mod.Classifier.(type) {
		case interface {
			model.VectorClassifier
			Predict(ctx context.Context, x mat.Matrix) ([]int, error)
		}:
			posterior = cl.LogPosterior(ended, new(mat.Dense), z.X)
			_, predict = cl.Predict(ended, z.X)
		case interface {
			model.MatrixClassifier
			Predict(ctx context.Context, x *spd.Stack) ([]int, error)
		}:
			posterior = cl.LogPosterior(ended, new(mat.Dense), z.Stack)
			_, predict = cl.Predict(ended, z.Stack)
		default:
			t.Errorf("%s: a %T has no Predict", m.Name, cl)
		}
		if !errors.Is(posterior, context.Canceled) || !errors.Is(predict, context.Canceled) {
			t.Errorf("%s: after the end of the context LogPosterior returns %v, Predict %v", m.Name, posterior, predict)
		}
	}
}
