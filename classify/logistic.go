package classify

import (
	"context"
	"errors"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/classifiers/common"
	"rao/internal/faults"
	"rao/internal/rows"
)

// LogisticOptions are the options of [FitLogistic].
type LogisticOptions struct {
	// C is the inverse strength of the quadratic penalty. It must be positive. Default 1.
	C float64
	// Tol ends the fit when the norm of the gradient of the mean loss is below Tol. Default 1e-6.
	Tol float64
	// MaxIter limits the iterations. Default 1000.
	MaxIter int
	// Progress receives an event after every iteration.
	Progress rao.Progress
}

// Logistic is multinomial logistic regression. It minimizes
//
//	Σ_k −log p(y_k | x_k) + (1/2C) Σ_i ‖w_i‖²,  p(i|x) ∝ exp(x'w_i + b_i)
//
// as scikit-learn's LogisticRegression does; the intercepts are not penalized.
//
// The exported fields determine the model. If you set them yourself, call [Logistic.Validate].
type Logistic struct {
	Classes      []string   `json:"classes"`      // c class names
	Coefficients *mat.Dense `json:"coefficients"` // c×n
	Intercepts   []float64  `json:"intercepts"`   // one per class
	C            float64    `json:"c"`            // inverse strength of the penalty
	Report       rao.Report `json:"report"`       // how the fit ended

	zero    []float64 // n zeros: the center of the scores
	columns []float64 // n×c: Coefficients transposed
}

// FitLogistic fits the classifier with L-BFGS to the rows of x; the columns should have similar scales. If the fit does
// not converge, or ctx is canceled, FitLogistic returns a usable model and a *[rao.NotConvergedError] (see
// [rao.HasModel]). Other errors name the row or class. It panics with mat.ErrShape if the number of labels differs from
// the number of rows. An evaluation of the loss and its gradient costs 4 N c n operations.
func FitLogistic(ctx context.Context, x mat.Matrix, labels []int, classes []string,
	opt LogisticOptions) (*Logistic, error) {
	o, err := common.LogisticFit(opt).Filled()
	if err != nil {
		return nil, err
	}
	in := rows.New(x)
	if err := common.CheckRows(in, labels, classes, 1); err != nil {
		return nil, err
	}
	m := &Logistic{Classes: slices.Clone(classes), C: o.C}
	m.Coefficients, m.Intercepts, m.Report, err = common.MinimizeLogistic(ctx, "logistic",
		mat.NewDense(in.Rows, in.Cols, in.All(nil)), labels, len(classes), o)
	if err != nil && !rao.HasModel(err) {
		return nil, err
	}
	m.derive()
	return m, err
}

func (m *Logistic) derive() {
	_, n := m.Coefficients.Dims()
	m.zero, m.columns = make([]float64, n), mat.DenseCopyOf(m.Coefficients.T()).RawMatrix().Data
}

// Dims returns n, the number of columns of the input, and the number of classes.
func (m *Logistic) Dims() (in, classes int) { _, n := m.Coefficients.Dims(); return n, len(m.Classes) }

// LogPosterior writes the N×c log-probabilities of the rows of x to dst. An empty dst is resized. It panics with
// mat.ErrShape if x does not have n columns or dst has another shape. A row with a NaN gives NaNs. If ctx is
// canceled, it returns the error of ctx.
func (m *Logistic) LogPosterior(ctx context.Context, dst *mat.Dense, x mat.Matrix) error {
	return m.posterior(ctx, dst, x, logarithms)
}

// Posterior is like [Logistic.LogPosterior], but writes probabilities instead of their logarithms.
func (m *Logistic) Posterior(ctx context.Context, dst *mat.Dense, x mat.Matrix) error {
	return m.posterior(ctx, dst, x, probabilities)
}

func (m *Logistic) posterior(ctx context.Context, dst *mat.Dense, x mat.Matrix, as form) error {
	return linearScores(ctx, dst, x, m.zero, m.columns, m.Intercepts, as)
}

// Validate returns an error if the exported fields are invalid. It computes the unexported fields of a model whose
// fields were set by hand; of any other model it only reads, so other goroutines may predict.
func (m *Logistic) Validate() error {
	c := len(m.Classes)
	if err := faults.OneClass(c); err != nil {
		return err
	}
	if m.Coefficients == nil || m.Coefficients.IsEmpty() {
		return errors.New("the model has no coefficients; fit it again")
	}
	_, n := m.Coefficients.Dims()
	if err := common.CheckMatrix("coefficients", m.Coefficients, c, n); err != nil {
		return err
	}
	if err := common.CheckFinite("intercepts", m.Intercepts, c, "class", "classes"); err != nil {
		return err
	}
	if m.columns == nil {
		m.derive()
	}
	return nil
}
