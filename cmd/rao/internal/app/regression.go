package app

import (
	"context"
	"fmt"

	"rao/dataset"
	"rao/evaluate"
	"rao/internal/text"
	"rao/method"
)

// Regression is the result of a command that predicts numbers. Its JSON names do not change.
type Regression struct {
	Method string       `json:"method"`
	Target string       `json:"target"`
	N      int          `json:"n"`
	Folds  int          `json:"folds,omitempty"` // of cross-validation; 0: the model was scored on these data
	R2     *text.Number `json:"r2,omitempty"`
	MAE    *text.Number `json:"mae,omitempty"`
	RMSE   *text.Number `json:"rmse,omitempty"`
	Ridge  *text.Number `json:"ridge,omitempty"` // the ridge that was chosen
	// Overlap is the fraction of the matrices that the model was fitted to, as far as that is known.
	Overlap float64 `json:"overlap,omitempty"`
	Out     string  `json:"out,omitempty"`
}

// Score fills in how well the predictions agree with the true values y.
func (r *Regression) Score(predicted, y []float64) {
	s := evaluate.ScoreValues(predicted, y)
	r.R2, r.MAE, r.RMSE = text.Optional(s.R2), text.Optional(s.MAE), text.Optional(s.RMSE)
}

// OpenTargets reads matrices and their targets. The targets are nil if target is empty.
func (d *DataFlags) OpenTargets(ctx context.Context, a *App, target string) (*dataset.Data, []float64,
	error) {
	x, err := d.OpenMatrices(ctx, a, "regress", false)
	if err != nil || target == "" {
		return x, nil, err
	}
	y, err := method.Target(x, target)
	return x, y, err
}

// Print prints the scores, what they were computed on, and what was written.
func (r *Regression) Print(a *App) {
	if r.R2 != nil {
		a.Table([]string{"method", "R²", "mean absolute error", "root mean squared error"}, [][]string{{r.Method,
			fmt.Sprintf("%.4f", float64(*r.R2)), fmt.Sprintf("%.4g", float64(*r.MAE)),
			fmt.Sprintf("%.4g", float64(*r.RMSE))}})
	}
	how := ""
	if r.Folds > 0 {
		how = fmt.Sprintf(", each predicted by a model of other folds, %d in all", r.Folds)
	}
	fmt.Fprintf(a.Out, "%s of %s%s\n", r.Target, text.Plural(r.N, "matrix", "matrices"), how)
	if r.Out != "" {
		fmt.Fprintf(a.Out, "written to %s\n", r.Out)
	}
}
