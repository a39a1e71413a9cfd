package common

import (
	"context"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/faults"
	"rao/internal/linalg/dense"
	"rao/internal/linalg/vec"
	"rao/internal/optim"
	"rao/internal/optionvalues"
)

// LogisticFit contains the settings of any method that fits a logistic regression. They have the meanings and defaults
// of classify.LogisticOptions.
type LogisticFit struct {
	C        float64 `opt:"c" default:"1" above:"0" help:"inverse strength of the penalty"`
	Tol      float64 `opt:"tol" default:"1e-6" above:"0" help:"stop when the gradient of the mean loss has a smaller norm than this"`
	MaxIter  int     `opt:"max-iter" default:"1000" min:"1" max:"100000000" help:"maximum number of iterations"`
	Progress rao.Progress
}

// Filled returns the settings with defaults in the fields that are zero, or an error if a field is out of range.
func (o LogisticFit) Filled() (LogisticFit, error) {
	optionvalues.Fill(&o)
	if !vec.Positive(o.C) || !(o.Tol > 0) || o.MaxIter < 1 {
		return o, faults.Option(
			"the inverse penalty C is %g, the tolerance %g and the iteration limit %d; all must be "+
				"positive and finite", o.C, o.Tol, o.MaxIter)
	}
	return o, nil
}

// MinimizeLogistic fits c×p coefficients and c intercepts to the rows of v. If it returns a model and an error, the
// error is a *rao.NotConvergedError.
func MinimizeLogistic(ctx context.Context, method string, v *mat.Dense, labels []int, c int,
	opt LogisticFit) (*mat.Dense, []float64, rao.Report, error) {
	begin := time.Now()
	_, p := v.Dims()
	res, err := optim.Minimize(ctx, make([]float64, c*(p+1)), NewLogisticLoss(v, labels, c, opt.C).Value, optim.Options{
		GradientTolerance: opt.Tol, MaxIterations: opt.MaxIter,
		OnIteration: func(k int, value, _ float64) {
			opt.Progress.Send(rao.Event{Stage: "fit", Done: k, Limit: opt.MaxIter, Objective: value})
		}})
	if err != nil {
		return nil, nil, rao.Report{}, err
	}
	report := rao.Report{Status: res.Status, Iterations: res.Iterations, Evaluations: res.Evaluations,
		Passes: res.Evaluations, Objective: res.Value, GradientNorm: res.GradientNorm, Elapsed: time.Since(begin),
		History: res.History}
	return mat.NewDense(c, p, slices.Clone(res.X[:c*p])), slices.Clone(res.X[c*p:]), report,
		faults.Unfinished(ctx, method, report, "raise the iteration limit, or lower C for a stronger penalty")
}

// logisticLoss is the objective divided by the number of rows. The parameters are the c×p coefficients, followed by
// the c intercepts.
type logisticLoss struct {
	v      *mat.Dense
	labels []int
	c, p   int
	ridge  float64
	scores []float64 // N×c
}

// NewLogisticLoss returns the loss for the rows of v. strength is C, the inverse of the penalty.
func NewLogisticLoss(v *mat.Dense, labels []int, c int, strength float64) *logisticLoss {
	n, p := v.Dims()
	return &logisticLoss{v: v, labels: labels, c: c, p: p, ridge: 1 / (strength * float64(n)),
		scores: make([]float64, n*c)}
}

// Value returns the loss at the parameters x and writes its gradient.
func (f *logisticLoss) Value(x, grad []float64) float64 {
	n, c, p := len(f.labels), f.c, f.p
	raw := f.v.RawMatrix()
	w, b := x[:c*p], x[c*p:]
	dense.Gemm(false, true, n, c, p, 1, raw.Data, raw.Stride, w, p, 0, f.scores, c)
	loss := 0.0
	clear(grad[c*p:])
	for k, l := range f.labels {
		row := f.scores[k*c : (k+1)*c]
		for i := range row {
			row[i] += b[i]
		}
		vec.LogSoftmax(row)
		loss -= row[l]
		for i, v := range row {
			row[i] = math.Exp(v)
		}
		row[l]--
		for i, v := range row {
			row[i] = v / float64(n)
			grad[c*p+i] += row[i]
		}
	}
	dense.Gemm(true, false, c, p, n, 1, f.scores, c, raw.Data, raw.Stride, 0, grad[:c*p], p)
	penalty := 0.0
	for i, v := range w {
		penalty += v * v
		grad[i] += f.ridge * v
	}
	return loss/float64(n) + f.ridge*penalty/2
}
