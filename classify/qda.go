package classify

import (
	"cmp"
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/classifiers/common"
	"rao/internal/classstats"
	"rao/internal/densities"
	"rao/internal/faults"
	"rao/internal/linalg/vec"
	"rao/internal/naming"
	"rao/internal/optionvalues"
	"rao/internal/shrink"
	"rao/spd"
)

// QDAOptions are the options of [FitQDA]. The zero value is the plain quadratic classifier, with class frequencies as
// priors.
type QDAOptions struct {
	// RegParam shrinks each covariance towards the identity, Φ → (1-r)Φ + r I, with r from 0 to 1. It is
	// scikit-learn's reg_param, and depends on the unit of the data. Default 0.
	RegParam float64
	// Shrinkage shrinks each covariance towards a multiple of the identity that depends on the data. It is applied
	// before RegParam. Default none.
	Shrinkage gaussian.ShrinkRule
	// Priors are the class probabilities, up to a factor, in the order of the classes. Nil means class frequencies.
	Priors []float64
}

// QDA is quadratic discriminant analysis: one Gaussian per class. The log-posteriors are, up to a constant per row,
//
//	log π_i - ½ log det Φ_i - ½ ‖L_i⁻¹ (x - μ_i)‖²,  Φ_i = L_i L_i'
//
// where class i has the prior π_i, the mean μ_i and the covariance Φ_i. The exported fields determine the model. If you
// set them yourself, call [QDA.Validate].
type QDA struct {
	Classes     []string           `json:"classes"`     // c class names
	Priors      []float64          `json:"priors"`      // one per class, with sum one
	Means       *mat.Dense         `json:"means"`       // c×n
	Covariances *spd.Stack         `json:"covariances"` // c matrices n×n, regularized
	RegParam    float64            `json:"reg_param"`   // weight of the identity in each covariance, 0 to 1
	Shrinkage   gaussian.Shrinkage `json:"shrinkage"`   // kind of shrinkage in the fit
	Shrunk      []float64          `json:"shrunk"`      // shrinkage coefficient of each class

	densities *densities.Gaussians
}

// FitQDA fits the classifier to class statistics. With the zero options it agrees with scikit-learn's
// QuadraticDiscriminantAnalysis: covariances have divisor count-1.
//
// It returns an error if there are fewer than two classes, an option is out of range, or a class covariance is not
// positive definite (*[gaussian.SingularError]). The cost is c n³/3 operations for c classes in n dimensions.
func FitQDA(s *gaussian.Statistics, opt QDAOptions) (*QDA, error) {
	if err := classstats.Validate(s, 2); err != nil {
		return nil, err
	}
	if !(opt.RegParam >= 0 && opt.RegParam <= 1) {
		return nil, faults.Option("reg_param is %g; it must be between 0 and 1", opt.RegParam)
	}
	priors, err := checkPriors(s, opt.Priors)
	if err != nil {
		return nil, err
	}
	s, rho, err := classstats.Regularize(s, opt.Shrinkage, opt.RegParam)
	if err != nil {
		return nil, err
	}
	c, n := s.NumClasses(), s.Dim
	q := &QDA{Priors: priors, RegParam: opt.RegParam, Shrinkage: cmp.Or(opt.Shrinkage.Kind, optionvalues.ShrinkageNone),
		Shrunk: rho,
		Means:  mat.NewDense(c, n, s.Means), Covariances: spd.StackOf(c, n, s.Covariances)}
	for i := range c {
		q.Classes = append(q.Classes, naming.Class(s.Classes, i))
	}
	if err := q.derive(s.Counts); err != nil {
		return nil, err
	}
	return q, nil
}

// derive computes the unexported fields from the exported fields. The numbers of observations, which may be nil, only
// explain an error.
func (q *QDA) derive(counts []int) error {
	d, i := densities.New(q.Priors, q.Means, q.Covariances.Data)
	if i >= 0 {
		e := common.Singular(q.Covariances.At(i), q.Covariances.Dim)
		e.Class, e.Name = i, q.Classes[i]
		if counts != nil && counts[i] <= e.Dim {
			e.Count = counts[i]
		}
		e.Remedy = "set the shrinkage to oas or reg_param to 0.01, drop constant columns, or use fewer dimensions"
		return e
	}
	q.densities = d
	return nil
}

// Dims returns n, the number of columns of the input, and the number of classes.
func (q *QDA) Dims() (in, classes int) { return q.Covariances.Dim, len(q.Classes) }

// LogPosterior writes the N×c log-probabilities of the rows of x to dst. An empty dst is resized. It panics with
// mat.ErrShape if x does not have n columns or dst has another shape. A row with a NaN gives NaNs. If ctx is
// canceled, it returns the error of ctx. The cost is N c n(n+3) operations. Rows are processed in parallel. The result
// has the same bits on any number of processors.
func (q *QDA) LogPosterior(ctx context.Context, dst *mat.Dense, x mat.Matrix) error {
	return q.posterior(ctx, dst, x, logarithms)
}

// Posterior is like [QDA.LogPosterior], but writes probabilities instead of their logarithms.
func (q *QDA) Posterior(ctx context.Context, dst *mat.Dense, x mat.Matrix) error {
	return q.posterior(ctx, dst, x, probabilities)
}

func (q *QDA) posterior(ctx context.Context, dst *mat.Dense, x mat.Matrix, as form) error {
	return densityPosteriors(ctx, q.densities, dst, x, len(q.Classes), as, nil)
}

// Validate returns an error if the exported fields are invalid. It computes the unexported fields of a model whose
// fields were set by hand; of any other model it only reads, so other goroutines may predict.
func (q *QDA) Validate() error {
	if q.Covariances == nil {
		return fmt.Errorf("the model has no covariances; fit it again")
	}
	if err := q.Covariances.Validate(); err != nil {
		return err
	}
	c, n := len(q.Classes), q.Covariances.Dim
	if c < 2 || q.Covariances.Count != c {
		return fmt.Errorf("the number of covariances of the model is %d, but the number of classes is %d; every "+
			"class needs one covariance",
			q.Covariances.Count, c)
	}
	if err := common.CheckProbabilities("priors", q.Priors, c); err != nil {
		return err
	}
	if err := shrink.Check(string(q.Shrinkage), 0); err != nil {
		return err
	}
	if err := common.CheckVectors("means", q.Means, c, n); err != nil {
		return err
	}
	for i := range c {
		if j := vec.NotFinite(q.Covariances.At(i)); j >= 0 {
			return fmt.Errorf("the covariance of class %s contains %g; all values must be finite",
				q.Classes[i], q.Covariances.At(i)[j])
		}
	}
	if q.densities == nil {
		return q.derive(nil)
	}
	return nil
}
