package classify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/classifiers/common"
	"rao/internal/indices"
	"rao/internal/linalg/vec"
	"rao/internal/par"
	"rao/internal/rows"
	"rao/spd"
)

// MDMOptions are the options of [FitMDM]. The zero value is the published classifier, with the affine-invariant
// metric.
type MDMOptions struct {
	// Metric is used for the means and the distances. Default spd.Riemann.
	Metric spd.Metric
	// Mean contains the options for computing the class means, for metrics with an iterative mean. Its Progress
	// receives the iterations of all classes together.
	Mean spd.MeanOptions
	// Weights is the weight of each matrix in the mean of its class, 0 or more. Nil means weight 1.
	Weights []float64
}

// MDM classifies by the minimum distance to the class means (Barachant, Bonnet, Congedo and Jutten 2012). With M_i the
// mean of class i, the posterior is
//
//	p(i|X) ∝ exp(−d²(X, M_i))
//
// as in pyRiemann. For a divergence, which scales like a squared distance, such as kullback_sym, it is proportional to
// exp(−d). These probabilities are comparable between trials but not calibrated: the scale of d² grows with the order
// of the matrices. If the probabilities of classes are equal up to rounding, as for tiny matrices in the Euclidean
// metric, the class with the nearest mean gets the largest probability.
//
// The exported fields determine the model.
type MDM struct {
	Classes []string     `json:"classes"` // c class names
	Metric  spd.Metric   `json:"metric"`  // metric of the means and distances
	Means   *spd.Stack   `json:"means"`   // c class means
	Reports []rao.Report `json:"reports"` // how the computation of each mean ended
}

// FitMDM computes the mean of each class. Labels are indices into classes, which names at least two classes. If a mean
// does not converge, it returns a usable model and a *rao.NotConvergedError. Other errors name the matrix or the class.
// The cost is one call of spd.Mean over all matrices.
func FitMDM(ctx context.Context, x *spd.Stack, labels []int, classes []string, opt MDMOptions) (*MDM, error) {
	metric, err := spd.ParseMetric(string(opt.Metric))
	if err != nil {
		return nil, err
	}
	if err := common.CheckStack(x, labels, classes, 1); err != nil {
		return nil, err
	}
	if opt.Weights != nil {
		if err := indices.CheckOnePer("weight", len(opt.Weights), "matrix", x.Count); err != nil {
			return nil, err
		}
	}
	m := &MDM{Classes: append([]string(nil), classes...), Metric: metric, Means: spd.NewStack(len(classes), x.Dim)}
	means, errs := make([]*mat.SymDense, len(classes)), make([]error, len(classes))
	m.Reports = make([]rao.Report, len(classes))
	members := indices.Groups(labels, len(classes))
	shown := together(opt.Mean.Progress, len(classes))
	par.For(len(classes), 1, func(_, i, _ int) {
		mean := opt.Mean
		mean.Progress = shown(i)
		means[i], m.Reports[i], errs[i] = meanOf(ctx, x, members[i], opt.Weights, metric, mean)
	})
	var unsettled error
	for i, err := range errs {
		if err != nil {
			err = fmt.Errorf("class %s: %w", classes[i], err)
			if !rao.HasModel(err) {
				return nil, err
			}
			unsettled = errors.Join(unsettled, err)
		}
		m.Means.Set(i, means[i])
	}
	if f := metric.Flat(); f != nil { // are distances from the means within the range of the arithmetic?
		if _, err := f.Vectors(ctx, m.Means, "mean of class"); err != nil {
			return nil, err
		}
	}
	return m, unsettled
}

// Dims returns the order of the matrices, and the number of classes.
func (m *MDM) Dims() (in, classes int) { return m.Means.Dim, len(m.Classes) }

// Distances writes the N×c distances from the matrices of x to the class means to dst. An empty dst is resized; another
// shape panics with mat.ErrShape. It returns an error if the matrices have another order; other errors name a matrix
// that is not SPD. If ctx is canceled, it returns the error of ctx.
func (m *MDM) Distances(ctx context.Context, dst *mat.Dense, x *spd.Stack) error {
	if err := common.CheckOrder(x, m.Means.Dim); err != nil {
		return err
	}
	rows.Shape(dst, x.Count, len(m.Classes))
	if x.Count == 0 {
		return nil
	}
	return spd.Distances(ctx, dst, m.Metric, x, m.Means)
}

// LogPosterior writes the N×c log-probabilities of the matrices of x to dst. An empty dst is resized; another shape
// panics with mat.ErrShape. It returns an error if the matrices have another order; other errors name a matrix that is
// not SPD. If ctx is canceled, it returns the error of ctx. The cost is c distances per matrix, in parallel.
func (m *MDM) LogPosterior(ctx context.Context, dst *mat.Dense, x *spd.Stack) error {
	if err := m.Distances(ctx, dst, x); err != nil {
		return err
	}
	for k := range x.Count {
		row := dst.RawRowView(k)
		nearest := floats.MinIdx(row)
		for i, d := range row {
			row[i] = -m.Metric.Square(d)
		}
		vec.LogSoftmax(row)
		if top := slices.Max(row); nearest != slices.Index(row, top) { // equal up to rounding, as for tiny distances
			row[nearest] = math.Nextafter(top, 0)
		}
	}
	return nil
}

// Validate returns an error if the exported fields are invalid.
func (m *MDM) Validate() error {
	if _, err := spd.ParseMetric(string(m.Metric)); err != nil {
		return err
	}
	if len(m.Classes) < 2 || m.Means == nil || m.Means.Count != len(m.Classes) {
		return fmt.Errorf("the number of classes is %d; the model needs at least two, and one mean per class",
			len(m.Classes))
	}
	if err := m.Means.Verify(); err != nil {
		return fmt.Errorf("class means: %w", err)
	}
	return nil
}
