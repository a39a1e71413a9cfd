package classifiers

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/argmax"
	"rao/internal/classifiers/common"
	"rao/spd"
)

// TangentLDAOptions are the options of [FitTangentLDA]. The zero value is the published classifier: affine-invariant
// metric, Ledoit-Wolf shrinkage, class frequencies as priors.
type TangentLDAOptions struct {
	// Metric is the metric of the tangent space, spd.Riemann (default) or spd.LogEuclid.
	Metric spd.Metric
	// Shrinkage is the shrinkage of the within-class covariance. Default ledoit_wolf. Tangent vectors
	// have n(n+1)/2 values. none is an error unless the number of trials is larger.
	Shrinkage gaussian.ShrinkRule
	// Isotropic shrinks towards one variance for all tangent coordinates. The default target is the variance of each
	// coordinate. With Isotropic, the classifier does not depend on the basis of the channels.
	Isotropic bool
	// Priors are the class probabilities, up to a factor, in the order of the classes. Nil means class frequencies.
	Priors []float64
	// Mean contains the options for the mean of the tangent space.
	Mean spd.MeanOptions
}

// TangentLDA is the linear discriminant on tangent vectors at the mean of the training matrices (Barachant, Bonnet,
// Congedo and Jutten 2012). With v the tangent vector, the log-posteriors are v'w_i + b_i, normalized, where
//
//	w_i = W⁻¹ μ_i,  b_i = −½ μ_i'W⁻¹μ_i + log π_i
//
// and W = Σ π_i W_i is the weighted sum of the class covariances, each shrunk on standardized columns (unless
// Isotropic). This is scikit-learn's LinearDiscriminantAnalysis with shrinkage, which is often combined with
// pyRiemann's TangentSpace.
//
// The exported fields determine the model.
type TangentLDA struct {
	Classes      []string           `json:"classes"`      // c class names
	Priors       []float64          `json:"priors"`       // one per class, with sum one
	Tangent      *TangentSpace      `json:"tangent"`      // the tangent space of the vectors
	Coefficients *mat.Dense         `json:"coefficients"` // c×p
	Intercepts   []float64          `json:"intercepts"`   // one per class
	Shrinkage    gaussian.Shrinkage `json:"shrinkage"`    // as fitted
	Shrunk       []float64          `json:"shrunk"`       // shrinkage coefficient of each class
}

// FitTangentLDA fits the classifier. If the mean does not converge, it returns a usable model and a
// *rao.NotConvergedError. Other errors name the matrix or class, or report a singular covariance with its remedy. The
// cost is the mean, one pass for the tangent vectors, and the discriminant. With p = n(n+1)/2, the discriminant needs
// of the order of N p² + p³ operations and p² values of memory, or N² p + N³ operations and N² values if N is below p.
func FitTangentLDA(ctx context.Context, x *spd.Stack, labels []int, classes []string,
	opt TangentLDAOptions) (*TangentLDA, error) {
	if err := common.CheckStack(x, labels, classes, 2); err != nil {
		return nil, err
	}
	t, v, unsettled, err := trainingSpace(ctx, x, opt.Metric, opt.Mean)
	if err != nil {
		return nil, err
	}
	priors, err := givenOrShares(opt.Priors, labels, len(classes))
	if err != nil {
		return nil, err
	}
	f, err := fitShrunkLDA(ctx, v, labels, classes, priors,
		opt.Shrinkage, opt.Isotropic)
	if err = beforeUse(ctx, err); err != nil {
		return nil, err
	}
	m := &TangentLDA{Classes: append([]string(nil), classes...), Priors: priors, Tangent: t,
		Coefficients: f.coef, Intercepts: f.intercepts, Shrinkage: f.kind, Shrunk: f.shrunk}
	if unsettled != nil {
		return m, unsettled
	}
	return m, nil
}

// NumClasses returns the number c of classes.
func (m *TangentLDA) NumClasses() int { return len(m.Classes) }

// Dim returns the order of the matrices.
func (m *TangentLDA) Dim() int { return m.Tangent.N }

// LogPosterior writes the N×c log-probabilities of the matrices of x to dst. An empty dst is resized; another shape
// panics with mat.ErrShape. Errors name the matrix. The cost is one eigendecomposition per matrix, in parallel.
func (m *TangentLDA) LogPosterior(ctx context.Context, dst *mat.Dense, x *spd.Stack) error {
	return linearPosterior(ctx, dst, m.TangentScores(), x)
}

// Predict returns the most probable class of each matrix; the first class wins ties.
func (m *TangentLDA) Predict(ctx context.Context, x *spd.Stack) ([]int, error) {
	return argmax.Matrices(ctx, m.LogPosterior, x)
}

// Validate checks the exported fields. Call it after reading them from a file.
func (m *TangentLDA) Validate() error {
	if err := checkLinear(m.Classes, m.Tangent, m.Coefficients, m.Intercepts); err != nil {
		return err
	}
	if err := common.CheckProbabilities("priors", m.Priors, len(m.Classes)); err != nil {
		return err
	}
	if err := (gaussian.ShrinkRule{Kind: m.Shrinkage}).Check(); err != nil {
		return err
	}
	return nil
}

// checkLinear validates the parts of a linear classifier in a tangent space.
func checkLinear(classes []string, t *TangentSpace, coef *mat.Dense, intercepts []float64) error {
	if len(classes) < 2 {
		return fmt.Errorf("a classifier needs at least two classes, not %d", len(classes))
	}
	if err := t.Validate(); err != nil {
		return err
	}
	if err := common.CheckMatrix("coefficients", coef, len(classes), t.dim()); err != nil {
		return err
	}
	return common.CheckFinite("intercepts", intercepts, len(classes), "class", "classes")
}
