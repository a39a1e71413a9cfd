package classify

import (
	"context"
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/linalg/dense"
	"rao/internal/optim"
	"rao/spd"
)

// TangentLogisticOptions adjust [FitTangentLogistic].
type TangentLogisticOptions struct {
	// Metric of the tangent space, spd.Riemann (default) or spd.LogEuclid.
	Metric spd.Metric
	// C is the inverse strength of the quadratic penalty, positive. Default 1.
	C float64
	// Tol ends the fit at this norm of the gradient of the mean loss. Default 1e-6.
	Tol float64
	// MaxIter limits the iterations. Default 1000.
	MaxIter int
	// Mean are the settings of the mean at which the tangent space lies.
	Mean spd.MeanOptions
	// Progress receives an event after every iteration.
	Progress rao.Progress
}

func (o TangentLogisticOptions) filled() (TangentLogisticOptions, error) {
	if o.C == 0 {
		o.C = 1
	}
	if o.Tol == 0 {
		o.Tol = 1e-6
	}
	if o.MaxIter == 0 {
		o.MaxIter = 1000
	}
	if !(o.C > 0) || math.IsInf(o.C, 0) || !(o.Tol > 0) || o.MaxIter < 1 {
		return o, fmt.Errorf("tslr: C %g, tolerance %g and iteration limit %d must be positive", o.C, o.Tol, o.MaxIter)
	}
	return o, nil
}

// TangentLogistic is multinomial logistic regression on tangent vectors at the mean
// of the training matrices. It minimizes
//
//	Σ_k −log p(y_k | v_k) + (1/2C) Σ_i ‖w_i‖²,  p(i|v) ∝ exp(v'w_i + b_i)
//
// as scikit-learn's LogisticRegression does behind pyRiemann's TangentSpace; the
// intercepts carry no penalty.
//
// The exported fields determine the model.
type TangentLogistic struct {
	Classes      []string      `json:"classes"`
	Tangent      *TangentSpace `json:"tangent"`
	Coefficients *mat.Dense    `json:"coefficients"` // c×p
	Intercepts   []float64     `json:"intercepts"`   // c
	C            float64       `json:"c"`            // as fitted
	Report       rao.Report    `json:"report"`
}

// FitTangentLogistic fits the classifier with L-BFGS. When the mean or the fit does
// not converge, or ctx ends it, the model is usable and comes with a
// *rao.NotConvergedError. Other errors name the matrix or class.
// Cost: the mean, then 4 N c p operations an evaluation, p = n(n+1)/2.
func FitTangentLogistic(ctx context.Context, x *spd.Stack, labels []int, classes []string,
	opt TangentLogisticOptions) (*TangentLogistic, error) {
	begin := time.Now()
	opt, err := opt.filled()
	if err != nil {
		return nil, err
	}
	if err := checkStack("tslr", x, labels, classes, 1); err != nil {
		return nil, err
	}
	t, v, unsettled, err := trainingSpace(ctx, x, opt.Metric, opt.Mean)
	if err != nil {
		return nil, fmt.Errorf("tslr: %w", err)
	}
	loss := newLogisticLoss(v, labels, len(classes), opt.C)
	c, p := len(classes), t.dim()
	res, err := optim.Minimize(ctx, make([]float64, c*(p+1)), loss.value, optim.Options{
		GradientTolerance: opt.Tol, MaxIterations: opt.MaxIter,
		OnIteration: func(k int, value, _ float64) {
			opt.Progress.Send(rao.Event{Stage: "fit", Done: k, Total: opt.MaxIter, Objective: value})
		}})
	if err != nil {
		return nil, fmt.Errorf("tslr: %w", err)
	}
	m := &TangentLogistic{Classes: append([]string(nil), classes...), Tangent: t, C: opt.C,
		Coefficients: mat.NewDense(c, p, append([]float64(nil), res.X[:c*p]...)),
		Intercepts:   append([]float64(nil), res.X[c*p:]...),
		Report: rao.Report{Status: res.Status, Iterations: res.Iterations, Evaluations: res.Evaluations,
			Passes:    res.Evaluations,
			Objective: res.Value, GradientNorm: res.GradientNorm, Elapsed: time.Since(begin), History: res.History}}
	if !res.Status.Good() {
		return m, &rao.NotConvergedError{Cause: ctx.Err(),
			Method: "tslr", Report: m.Report, Remedy: "raise the iteration limit, or " +
				"lower C for a stronger penalty"}
	}
	if unsettled != nil {
		return m, fmt.Errorf("tslr: %w", unsettled)
	}
	return m, nil
}

// logisticLoss is the objective over the number of rows. Parameters are the c×p
// coefficients, then the c intercepts.
type logisticLoss struct {
	v      *mat.Dense
	labels []int
	c, p   int
	ridge  float64
	scores []float64 // N×c
}

func newLogisticLoss(v *mat.Dense, labels []int, c int, strength float64) *logisticLoss {
	n, p := v.Dims()
	return &logisticLoss{v: v, labels: labels, c: c, p: p, ridge: 1 / (strength * float64(n)),
		scores: make([]float64, n*c)}
}

func (f *logisticLoss) value(x, grad []float64) float64 {
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
		normalize(row)
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

// NumClasses returns c.
func (m *TangentLogistic) NumClasses() int { return len(m.Classes) }

// Dim returns the order of the matrices.
func (m *TangentLogistic) Dim() int { return m.Tangent.N }

// LogPosterior writes the N×c log-probabilities of the matrices of x to dst, which
// is resized when empty; another shape panics with mat.ErrShape. Errors name the
// matrix. Cost: one eigendecomposition a matrix, in parallel.
func (m *TangentLogistic) LogPosterior(dst *mat.Dense, x *spd.Stack) error {
	return linearPosterior(dst, "tslr", m.Tangent, m.Coefficients, m.Intercepts, x)
}

// Validate checks the exported fields, which may come from a damaged file.
func (m *TangentLogistic) Validate() error {
	if err := checkLinear(m.Classes, m.Tangent, m.Coefficients, m.Intercepts); err != nil {
		return fmt.Errorf("tslr: %w", err)
	}
	return nil
}
