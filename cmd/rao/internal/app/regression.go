package app

import (
	"context"
	"fmt"
	"math"

	"rao/dataset"
	"rao/internal/scoring"
	"rao/internal/text"
	"rao/method"
)

// Regression is the JSON output of a command that predicts numbers. The names in the JSON are stable.
type Regression struct {
	Method string       `json:"method"`
	Target string       `json:"target"`
	N      int          `json:"n"`
	Folds  int          `json:"folds,omitempty"` // number of cross-validation folds; 0 if the model was only scored
	R2     *text.Number `json:"r2,omitempty"`
	MAE    *text.Number `json:"mae,omitempty"`
	RMSE   *text.Number `json:"rmse,omitempty"`
	Ridge  *text.Number `json:"ridge,omitempty"` // the ridge parameter that was chosen
	// Overlap is the fraction of the matrices that were used to fit the model, if the model records them.
	Overlap float64 `json:"overlap,omitempty"`
	Out     string  `json:"out,omitempty"`
}

// Score sets the scores of the predictions. y contains the true values.
func (r *Regression) Score(predicted, y []float64) {
	s := scoring.ScoreValues(predicted, y)
	r.R2, r.MAE, r.RMSE = text.Optional(s.R2), text.Optional(s.MAE), text.Optional(s.RMSE)
}

// OpenTargets reads matrices and their targets. If target is empty, the returned targets are nil.
func (d *DataFlags) OpenTargets(ctx context.Context, a *App, target string) (*dataset.Data, []float64,
	error) {
	x, err := d.OpenMatrices(ctx, a, "regress", false, nil)
	if err != nil || target == "" {
		return x, nil, err
	}
	y, err := method.Target(x, target)
	return x, y, err
}

// Print prints the scores, the number of observations behind them, and the names of the written files.
func (r *Regression) Print(a *App) {
	if r.R2 != nil {
		r2 := "-" // all numbers are equal
		if v := float64(*r.R2); !math.IsNaN(v) {
			r2 = fmt.Sprintf("%.4f", v)
		}
		a.Table([]string{"method", "R²", "mean absolute error", "root mean squared error"}, [][]string{{r.Method,
			r2, fmt.Sprintf("%.4g", float64(*r.MAE)),
			fmt.Sprintf("%.4g", float64(*r.RMSE))}})
	}
	how := ""
	if r.Folds > 0 {
		how = fmt.Sprintf(", each predicted by a model of the other folds (%d folds)", r.Folds)
	}
	fmt.Fprintf(a.Out, "%s of %s%s\n", r.Target, text.Plural(r.N, "matrix", "matrices"), how)
	if r.Out != "" {
		fmt.Fprintf(a.Out, "written to %s\n", r.Out)
	}
}
