package classify

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/classifiers/common"
	"rao/internal/classstats"
	"rao/internal/linalg/dense"
	"rao/internal/linalg/tri"
	"rao/internal/naming"
	"rao/internal/optionvalues"
	"rao/internal/rows"
	"rao/internal/shrink"
)

// LDAOptions are the options of [FitLDA]. The zero value is the plain linear classifier, with class frequencies as
// priors.
type LDAOptions struct {
	// Shrinkage shrinks each class covariance towards a multiple of the identity before pooling. Default none.
	Shrinkage gaussian.ShrinkRule
	// Priors are the class probabilities, up to a factor, in the order of the classes. Nil means class frequencies.
	Priors []float64
}

// LDA is linear discriminant analysis: Gaussian classes with a common covariance. The log-posteriors are, up to a
// constant per row,
//
//	x'W⁻¹μ_i - ½ μ_i'W⁻¹μ_i + log π_i
//
// where W is the common covariance, and class i has the mean μ_i and the prior π_i. The exported fields determine the
// model. If you set them yourself, call [LDA.Validate].
type LDA struct {
	Classes      []string           `json:"classes"`      // c class names
	Priors       []float64          `json:"priors"`       // one per class, with sum one
	Means        *mat.Dense         `json:"means"`        // c×n
	Coefficients *mat.Dense         `json:"coefficients"` // c×n: W⁻¹(μ_i - mean of the means)
	Center       []float64          `json:"center"`       // n: mean of the means
	Intercepts   []float64          `json:"intercepts"`   // one per class, for x - Center
	Shrinkage    gaussian.Shrinkage `json:"shrinkage"`    // kind of shrinkage in the fit
	Shrunk       []float64          `json:"shrunk"`       // shrinkage coefficient of each class

	columns []float64 // n×c: Coefficients transposed
}

// FitLDA fits the classifier to class statistics. For c classes with N_i observations and covariances Φ_i, N
// observations in total, the common covariance is
//
//	W = Σ_i (N_i - 1) Φ_i / (N - c)
//
// as in scikit-learn's LinearDiscriminantAnalysis with its default solver.
//
// It returns an error if there are fewer than two classes, an option is out of range, or the common covariance is not
// positive definite (*[gaussian.SingularError]). The cost is n³/3 operations for n dimensions.
func FitLDA(s *gaussian.Statistics, opt LDAOptions) (*LDA, error) {
	if err := classstats.Validate(s, 2); err != nil {
		return nil, err
	}
	priors, err := checkPriors(s, opt.Priors)
	if err != nil {
		return nil, err
	}
	shrunk, rho, err := s.Shrink(opt.Shrinkage)
	if err != nil {
		return nil, err
	}
	c, n := s.NumClasses(), s.Dim
	w := classstats.Pooled(shrunk)
	l := append([]float64(nil), w...)
	if _, _, ok := tri.Cholesky(n, l, common.PivotTolerance*float64(n)); !ok {
		e := common.Singular(w, n)
		e.Class, e.Count = -1, s.Total()
		e.Remedy = "set the shrinkage to oas, drop constant columns, or use fewer dimensions"
		return nil, e
	}
	m := &LDA{Priors: priors, Shrinkage: cmp.Or(opt.Shrinkage.Kind, optionvalues.ShrinkageNone), Shrunk: rho,
		Means: mat.NewDense(c, n, nil), Coefficients: mat.NewDense(c, n, nil),
		Center: make([]float64, n), Intercepts: make([]float64, c)}
	for i := range c {
		m.Classes = append(m.Classes, naming.Class(s.Classes, i))
		m.Means.SetRow(i, s.Mean(i))
		for j, v := range s.Mean(i) {
			m.Center[j] += v / float64(c)
		}
	}
	m.solve(l)
	m.derive()
	return m, nil
}

// solve sets the coefficients and intercepts from the Cholesky factor of W.
func (m *LDA) solve(l []float64) {
	c, n := m.Means.Dims()
	li, centered, white := make([]float64, n*n), make([]float64, c*n), make([]float64, c*n)
	tri.InvertLower(n, li, l)
	for i := range c {
		for j, v := range m.Means.RawRowView(i) {
			centered[i*n+j] = v - m.Center[j]
		}
	}
	coefficients := m.Coefficients.RawMatrix()
	dense.Gemm(false, true, c, n, n, 1, centered, n, li, n, 0, white, n)
	dense.Gemm(false, false, c, n, n, 1, white, n, li, n, 0, coefficients.Data, coefficients.Stride)
	for i := range c {
		s := 0.0
		for _, v := range white[i*n : (i+1)*n] {
			s += v * v
		}
		m.Intercepts[i] = math.Log(m.Priors[i]) - s/2
	}
}

// derive computes the unexported field from the exported fields.
func (m *LDA) derive() {
	m.columns = mat.DenseCopyOf(m.Coefficients.T()).RawMatrix().Data
}

// Dims returns n, the number of columns of the input, and the number of classes.
func (m *LDA) Dims() (in, classes int) { return len(m.Center), len(m.Classes) }

// LogPosterior writes the N×c log-probabilities of the rows of x to dst. An empty dst is resized. It panics with
// mat.ErrShape if x does not have n columns or dst has another shape. A row with a NaN gives NaNs. If ctx is
// canceled, it returns the error of ctx.
func (m *LDA) LogPosterior(ctx context.Context, dst *mat.Dense, x mat.Matrix) error {
	return m.posterior(ctx, dst, x, logarithms)
}

// Posterior is like [LDA.LogPosterior], but writes probabilities instead of their logarithms.
func (m *LDA) Posterior(ctx context.Context, dst *mat.Dense, x mat.Matrix) error {
	return m.posterior(ctx, dst, x, probabilities)
}

func (m *LDA) posterior(ctx context.Context, dst *mat.Dense, x mat.Matrix, as form) error {
	return linearScores(ctx, dst, x, m.Center, m.columns, m.Intercepts, as)
}

// linearScores writes the posteriors of the linear scores columns' (x - center) + intercepts.
func linearScores(ctx context.Context, dst *mat.Dense, x mat.Matrix, center, columns, intercepts []float64,
	as form) error {
	r, cols := x.Dims()
	if cols != len(center) {
		panic(mat.ErrShape)
	}
	rows.Shape(dst, r, len(intercepts))
	return affineScores(ctx, dst, x, center, columns, intercepts, as)
}

// Validate returns an error if the exported fields are invalid. It computes the unexported fields of a model whose
// fields were set by hand; of any other model it only reads, so other goroutines may predict.
func (m *LDA) Validate() error {
	c, n := len(m.Classes), len(m.Center)
	if c < 2 || n < 1 {
		return fmt.Errorf("the model has %d classes in %d dimensions, but needs at least two classes and one "+
			"dimension",
			c, n)
	}
	if err := common.CheckProbabilities("priors", m.Priors, c); err != nil {
		return err
	}
	if err := shrink.Check(string(m.Shrinkage), 0); err != nil {
		return err
	}
	if err := common.CheckVectors("means", m.Means, c, n); err != nil {
		return err
	}
	if err := common.CheckMatrix("coefficients", m.Coefficients, c, n); err != nil {
		return err
	}
	if err := common.CheckVectors("center", mat.NewDense(1, n, m.Center), 1, n); err != nil {
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
