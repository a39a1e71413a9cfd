package classify

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/gaussian"
	"rao/internal/classifiers/common"
	"rao/internal/densities"
	"rao/internal/faults"
	"rao/internal/linalg/vec"
	"rao/spd"
)

// MixtureOptions are the options of [FitMixture]. The zero value is a good default.
type MixtureOptions struct {
	// Noise is a variance, in the squared unit of the data, that is added to every direction of the components. Default
	// 0.
	Noise float64
	// Priors are the class probabilities, up to a factor, in the order of the classes. Nil means class frequencies.
	Priors []float64
	// Progress, if not nil, is called by Calibrate after each fold.
	Progress rao.Progress
}

// Mixture is discriminant analysis with a mixture of Gaussians per class (Hastie and Tibshirani 1996): the
// log-posterior of class i is, up to a constant per row,
//
//	1/T log Σ_{k of class i} w_k N(x; μ_k, Φ_k)
//
// With one component per class it is the quadratic discriminant, [QDA]. The exported fields determine the model. If you
// set them yourself, call [Mixture.Validate].
type Mixture struct {
	Classes     []string   `json:"classes"`     // c class names
	Of          []int      `json:"of"`          // the class of each of the k components, ascending
	Weights     []float64  `json:"weights"`     // one per component, with sum one
	Means       *mat.Dense `json:"means"`       // k×n
	Covariances *spd.Stack `json:"covariances"` // k matrices n×n
	Temperature float64    `json:"temperature"` // T, positive: divides the log-probabilities

	densities *densities.Gaussians
	first     []int // c+1: the first component of each class, and k
}

// FitMixture returns the classifier for statistics of components, for example Gaussians of sub-classes, projected to
// the features and shrunk. Component k belongs to class of[k]; these numbers start at 0 and ascend. The temperature is
// one.
//
// It returns an error if an option is out of range, there are fewer than two classes, of is not ascending or leaves a
// class out, or a covariance is not positive definite (*[gaussian.SingularError]).
func FitMixture(components *gaussian.Statistics, of []int, classes []string, opt MixtureOptions) (*Mixture, error) {
	c, k, n := len(classes), components.NumClasses(), components.Dim
	m := &Mixture{Classes: append([]string(nil), classes...), Of: append([]int(nil), of...), Temperature: 1,
		Weights: make([]float64, k), Means: mat.NewDense(k, n, nil), Covariances: spd.NewStack(k, n)}
	if err := m.checkOf(); err != nil {
		return nil, err
	}
	if !vec.NotNegative(opt.Noise) {
		return nil, faults.Option("the noise is %g; it must be a finite variance of 0 or more", opt.Noise)
	}
	if len(of) != k {
		return nil, fmt.Errorf("there are %d components, but class numbers for %d; every component needs one "+
			"class number", k, len(of))
	}
	whole := &gaussian.Statistics{Classes: classes, Counts: make([]int, c)}
	for j, i := range of {
		whole.Counts[i] += components.Counts[j]
	}
	priors, err := checkPriors(whole, opt.Priors)
	if err != nil {
		return nil, err
	}
	for j, i := range of {
		m.Weights[j] = priors[i] * float64(components.Counts[j]) / float64(whole.Counts[i])
		m.Means.SetRow(j, components.Mean(j))
		cov := m.Covariances.At(j)
		copy(cov, components.Covariance(j).RawSymmetric().Data)
		for a := range n {
			cov[a*n+a] += opt.Noise
		}
	}
	return m, m.derive()
}

// checkOf returns an error unless every class has components, in order.
func (m *Mixture) checkOf() error {
	next := 0
	for k, i := range m.Of {
		if i != next && i != next-1 || i < 0 {
			return faults.Option("the class number %[2]d of component %[1]d is out of order; class numbers must "+
				"start at 0 and ascend without gaps", k, i)
		}
		next = i + 1
	}
	if c := len(m.Classes); c < 2 || next != c {
		return fmt.Errorf("the number of classes of the components is %d, and the number of class names %d; at least "+
			"two classes are needed, and one name per class", next, c)
	}
	return nil
}

// derive computes the unexported fields from the exported fields.
func (m *Mixture) derive() error {
	m.first = firstOf(m.Of, len(m.Classes))
	d, i := densities.New(m.Weights, m.Means, m.Covariances.Data)
	if i >= 0 {
		e := common.Singular(m.Covariances.At(i), m.Covariances.Dim)
		e.Class, e.Name = m.Of[i], m.Classes[m.Of[i]]
		e.Remedy = "use fewer sub-classes or filters, or drop constant columns"
		return fmt.Errorf("component %d: %w", i, e)
	}
	m.densities = d
	return nil
}

// firstOf returns the first component of each of c classes, followed by the number of components.
func firstOf(of []int, c int) []int {
	first := make([]int, c+1)
	for _, i := range of {
		first[i+1]++
	}
	for i := range c {
		first[i+1] += first[i]
	}
	return first
}

// Dims returns n, the number of columns of the input, and the number of classes.
func (m *Mixture) Dims() (in, classes int) { return m.Covariances.Dim, len(m.Classes) }

// LogPosterior writes the N×c log-probabilities of the rows of x to dst. An empty dst is resized. It panics with
// mat.ErrShape if x does not have n columns or dst has another shape. A row with a NaN gives NaNs. If ctx is
// canceled, it returns the error of ctx. The cost is N k n(n+3) operations for k components. Rows are processed in
// parallel. The result has the same bits on any number of processors.
func (m *Mixture) LogPosterior(ctx context.Context, dst *mat.Dense, x mat.Matrix) error {
	return m.posterior(ctx, dst, x, logarithms)
}

// Posterior is like [Mixture.LogPosterior], but writes probabilities instead of their logarithms.
func (m *Mixture) Posterior(ctx context.Context, dst *mat.Dense, x mat.Matrix) error {
	return m.posterior(ctx, dst, x, probabilities)
}

func (m *Mixture) posterior(ctx context.Context, dst *mat.Dense, x mat.Matrix, as form) error {
	return densityPosteriors(ctx, m.densities, dst, x, len(m.Classes), as, m)
}

// classes converts the scores of components, with a row of stride values for each, to class scores at the temperature.
// It works in place; the class scores are in the first rows.
func (m *Mixture) classes(scores []float64, stride int, s *work) {
	space := vec.Room(&s.X, 3*stride)
	top, sum, check := space[:stride], space[stride:2*stride], space[2*stride:]
	for c := range m.Classes {
		first, last := m.first[c], m.first[c+1]
		own, to := scores[first*stride:last*stride], scores[c*stride:(c+1)*stride]
		copy(top, own)
		for at := stride; at < len(own); at += stride {
			vec.Larger(top, own[at:at+stride])
		}
		for r, v := range top {
			if math.IsInf(v, -1) { // exponentials of -Inf are zero
				top[r] = 0
			}
		}
		clear(space[stride:])
		for at := 0; at < len(own); at += stride {
			vec.Axpy(own[at:at+stride], -1, top)
			vec.Axpy(check, 1, own[at:at+stride])
		}
		vec.Exp(own, -708)
		for at := 0; at < len(own); at += stride {
			vec.Axpy(sum, 1, own[at:at+stride])
		}
		for r, v := range sum {
			if math.IsNaN(check[r]) { // Exp does not propagate NaN
				v = check[r]
			}
			to[r] = (top[r] + math.Log(v)) / m.Temperature
		}
	}
}

// Validate returns an error if the exported fields are invalid. It computes the unexported fields of a model whose
// fields were set by hand; of any other model it only reads, so other goroutines may predict.
func (m *Mixture) Validate() error {
	if m.Covariances == nil {
		return fmt.Errorf("the model has no covariances; fit it again")
	}
	if err := m.Covariances.Validate(); err != nil {
		return err
	}
	if err := m.checkOf(); err != nil {
		return err
	}
	k, n := len(m.Of), m.Covariances.Dim
	if m.Covariances.Count != k {
		return fmt.Errorf("the number of covariances of the model is %d, but the number of components is %d; every "+
			"component needs one covariance", m.Covariances.Count, k)
	}
	if err := common.CheckProbabilities("weights", m.Weights, k); err != nil {
		return err
	}
	if err := common.CheckVectors("means", m.Means, k, n); err != nil {
		return err
	}
	if !vec.Positive(m.Temperature) {
		return fmt.Errorf("the temperature is %g; it must be positive and finite", m.Temperature)
	}
	for j := range k {
		if a := vec.NotFinite(m.Covariances.At(j)); a >= 0 {
			return fmt.Errorf("the covariance of component %d contains %g; all values must be finite",
				j, m.Covariances.At(j)[a])
		}
	}
	if m.densities == nil {
		return m.derive()
	}
	return nil
}
