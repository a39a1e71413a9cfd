package classify

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/linalg/dense"
	"rao/internal/linalg/vec"
	"rao/internal/optim"
	"rao/internal/rows"
)

// LogisticOptions are the options of [FitLogistic].
type LogisticOptions struct {
	// C is the inverse strength of the quadratic penalty, positive. Default 1.
	C float64
	// Tol ends the fit when the norm of the gradient of the mean loss is below it. Default 1e-6.
	Tol float64
	// MaxIter limits the iterations. Default 1000.
	MaxIter int
	// Progress receives an event after every iteration.
	Progress rao.Progress
}

func (o LogisticOptions) filled(method string) (LogisticOptions, error) {
	o.C = cmp.Or(o.C, 1)
	o.Tol = cmp.Or(o.Tol, 1e-6)
	o.MaxIter = cmp.Or(o.MaxIter, 1000)
	if !(o.C > 0) || math.IsInf(o.C, 0) || !(o.Tol > 0) || o.MaxIter < 1 {
		return o, fmt.Errorf("%s: C %g, tolerance %g and iteration limit %d must be positive", method, o.C, o.Tol,
			o.MaxIter)
	}
	return o, nil
}

// Logistic is multinomial logistic regression. It minimizes
//
//	Σ_k −log p(y_k | x_k) + (1/2C) Σ_i ‖w_i‖²,  p(i|x) ∝ exp(x'w_i + b_i)
//
// as scikit-learn's LogisticRegression does; the intercepts are not penalized.
//
// The exported fields determine the model.
type Logistic struct {
	Classes      []string   `json:"classes"`
	Coefficients *mat.Dense `json:"coefficients"` // c×n
	Intercepts   []float64  `json:"intercepts"`   // c
	C            float64    `json:"c"`            // the fitted C
	Report       rao.Report `json:"report"`

	zero    []float64 // n zeros: the center of the scores
	columns []float64 // n×c: Coefficients transposed
}

// FitLogistic fits the classifier with L-BFGS to the rows of x; the columns should have similar scales. If the fit
// does not converge, or ctx ends, FitLogistic returns a usable model and a *rao.NotConvergedError. Other errors name
// the row or class. It panics with mat.ErrShape if the number of labels differs from the number of rows. An evaluation
// costs 4 N c n operations.
func FitLogistic(ctx context.Context, x mat.Matrix, labels []int, classes []string,
	opt LogisticOptions) (*Logistic, error) {
	opt, err := opt.filled("logistic")
	if err != nil {
		return nil, err
	}
	in := rows.New(x)
	if err := checkRows(in, labels, classes, 1); err != nil {
		return nil, fmt.Errorf("logistic: %w", err)
	}
	m := &Logistic{Classes: slices.Clone(classes), C: opt.C}
	m.Coefficients, m.Intercepts, m.Report, err = minimizeLogistic(ctx, "logistic",
		mat.NewDense(in.Rows, in.Cols, in.All(nil)), labels, len(classes), opt)
	if err != nil && !rao.HasModel(err) {
		return nil, err
	}
	m.derive()
	return m, err
}

// minimizeLogistic fits c×p coefficients and c intercepts to the rows of v. An error with a model is a
// *rao.NotConvergedError.
func minimizeLogistic(ctx context.Context, method string, v *mat.Dense, labels []int, c int,
	opt LogisticOptions) (*mat.Dense, []float64, rao.Report, error) {
	begin := time.Now()
	_, p := v.Dims()
	res, err := optim.Minimize(ctx, make([]float64, c*(p+1)), newLogisticLoss(v, labels, c, opt.C).value, optim.Options{
		GradientTolerance: opt.Tol, MaxIterations: opt.MaxIter,
		OnIteration: func(k int, value, _ float64) {
			opt.Progress.Send(rao.Event{Stage: "fit", Done: k, Total: opt.MaxIter, Objective: value})
		}})
	if err != nil {
		return nil, nil, rao.Report{}, fmt.Errorf("%s: %w", method, err)
	}
	report := rao.Report{Status: res.Status, Iterations: res.Iterations, Evaluations: res.Evaluations,
		Passes: res.Evaluations, Objective: res.Value, GradientNorm: res.GradientNorm, Elapsed: time.Since(begin),
		History: res.History}
	if !res.Status.Good() {
		err = &rao.NotConvergedError{Cause: ctx.Err(), Method: method, Report: report,
			Remedy: "raise the iteration limit, or lower C for a stronger penalty"}
	}
	return mat.NewDense(c, p, slices.Clone(res.X[:c*p])), slices.Clone(res.X[c*p:]), report, err
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

func (m *Logistic) derive() {
	_, n := m.Coefficients.Dims()
	m.zero, m.columns = make([]float64, n), mat.DenseCopyOf(m.Coefficients.T()).RawMatrix().Data
}

// NumClasses returns c.
func (m *Logistic) NumClasses() int { return len(m.Classes) }

// Dim returns n, the number of columns of the input.
func (m *Logistic) Dim() int { _, n := m.Coefficients.Dims(); return n }

// LogPosterior writes the N×c log-probabilities of the rows of x to dst. An empty dst is resized. It panics with
// mat.ErrShape if x does not have Dim columns or dst has another shape. A row with a NaN gives NaNs.
func (m *Logistic) LogPosterior(ctx context.Context, dst *mat.Dense, x mat.Matrix) error {
	return m.posterior(ctx, dst, x, logarithms)
}

// Posterior is [Logistic.LogPosterior] with the probabilities themselves.
func (m *Logistic) Posterior(ctx context.Context, dst *mat.Dense, x mat.Matrix) error {
	return m.posterior(ctx, dst, x, probabilities)
}

func (m *Logistic) posterior(ctx context.Context, dst *mat.Dense, x mat.Matrix, as form) error {
	return linearScores(ctx, dst, x, LinearScores{m.zero, m.Coefficients, m.Intercepts}, m.columns, as)
}

// LinearScores returns the scores of the classes.
func (m *Logistic) LinearScores() LinearScores {
	return LinearScores{m.zero, m.Coefficients, m.Intercepts}
}

// Prepare checks the exported fields, which may come from a damaged file, and derives
// the rest from them.
func (m *Logistic) Prepare() error {
	if err := m.check(); err != nil {
		return err
	}
	m.derive()
	return nil
}

// Validate returns an error if the exported fields do not fit together or the model is not
// prepared. It changes nothing.
func (m *Logistic) Validate() error {
	if err := m.check(); err != nil {
		return err
	}
	return prepared("logistic", m.columns != nil)
}

// check validates the exported fields.
func (m *Logistic) check() error {
	c := len(m.Classes)
	if c < 2 || m.Coefficients == nil || m.Coefficients.IsEmpty() {
		return fmt.Errorf("logistic: %d classes, or no coefficients", c)
	}
	_, n := m.Coefficients.Dims()
	if err := checkMatrix("coefficients", m.Coefficients, c, n); err != nil {
		return fmt.Errorf("logistic: %w", err)
	}
	if len(m.Intercepts) != c || vec.NotFinite(m.Intercepts) >= 0 {
		return fmt.Errorf("logistic: %d intercepts for %d classes, or one that is not finite", len(m.Intercepts), c)
	}
	return nil
}
