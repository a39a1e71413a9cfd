package classifiers

import (
	"context"
	"slices"

	"rao/gaussian"
	"rao/internal/classifiers/common"
	"rao/internal/shrink"
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
	TangentLinear
	Priors    []float64          `json:"priors"`    // one per class, with sum one
	Shrinkage gaussian.Shrinkage `json:"shrinkage"` // as fitted
	Shrunk    []float64          `json:"shrunk"`    // shrinkage coefficient of each class
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
	m := &TangentLDA{TangentLinear{slices.Clone(classes), t, f.coef, f.intercepts}, priors, f.kind, f.shrunk}
	return m, unsettled
}

// Validate checks the exported fields. Call it after reading them from a file.
func (m *TangentLDA) Validate() error {
	if err := m.check(); err != nil {
		return err
	}
	if err := common.CheckProbabilities("priors", m.Priors, len(m.Classes)); err != nil {
		return err
	}
	return shrink.Check(string(m.Shrinkage), 0)
}
