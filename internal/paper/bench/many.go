package bench

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/classify"
	"rao/evaluate"
	"rao/gaussian"
	"rao/internal/classstats"
	"rao/internal/subclasses"
	"rao/internal/synth"
	"rao/internal/usage"
	"rao/sqfa"
)

// many returns the cases on many classes, fitted from statistics in a single-precision file. The cases run only once.
// They also report the accuracy of QDA with the learned filters on rows drawn from the classes.
func many(ctx context.Context, dir string) []*spec {
	var all []*spec
	for _, c := range []manyCase{
		{classes: 100, columns: 256, filters: 16},
		{classes: 100, columns: 512, filters: 16},
		{classes: 200, columns: 512, filters: 16},
		{classes: 400, columns: 512, filters: 16},
		{classes: 100, columns: 1024, filters: 16},
		{classes: 100, columns: 512, filters: 32},
		{classes: 1000, columns: 512, filters: 32},
		{classes: 1000, columns: 2048, filters: 32, basis: 256},
		{classes: 1000, columns: 2048, filters: 32},
	} {
		all = append(all, c.spec(ctx, dir))
	}
	return all
}

// manyCase is a fit to the statistics of synth.Classes. If basis is not 0, the statistics are in a basis with that
// many dimensions.
type manyCase struct{ classes, columns, filters, basis int }

// manyNoise is the feature noise of the fits, manySubspace is the dimension of the subspace in which the filters are
// searched for, and manyRows is the count of each class in the statistics.
const (
	manyNoise    = 0.1
	manySubspace = 128
	manyRows     = 100
)

func (c manyCase) name() string {
	s := fmt.Sprintf("SQFA of many classes: %d classes, %d columns, %d filters", c.classes, c.columns, c.filters)
	if c.basis > 0 {
		return s + fmt.Sprintf(", statistics in %d dimensions", c.basis)
	}
	return s + ", full statistics"
}

func (c manyCase) spec(ctx context.Context, dir string) *spec {
	return &spec{name: c.name(), threads: 2, long: true,
		once: func() (run func() error, remarks func() ([]string, error)) {
			made := synth.NewClasses(c.classes, c.columns, 0)
			v, q := c.coordinates(made)
			path := filepath.Join(dir, "many.npz")
			must(gaussian.WriteSource(ctx, path, made.Source(v, q, manyRows), true))
			var f *manyFit
			run = func() (err error) {
				f, err = c.fit(ctx, path)
				return err
			}
			remarks = func() ([]string, error) { return c.remarks(ctx, path, made, v, q, f) }
			return run, remarks
		}}
}

// manyFit is the result of a fit, the statistics of its features, and its cost.
type manyFit struct {
	model           *sqfa.Model
	features        *gaussian.Statistics
	processor, peak float64 // seconds and bytes
}

// fit learns filters from the file and projects its statistics on them.
func (c manyCase) fit(ctx context.Context, path string) (*manyFit, error) {
	usage.ResetPeak()
	began := usage.Processor()
	src, err := gaussian.OpenSource(path)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	var f manyFit
	f.model, err = sqfa.Fit(ctx, src, sqfa.Options{Filters: c.filters, Noise: manyNoise,
		Aggregate: "bayes",
		Start:     "lda", Pooled: true, Subspace: max(manySubspace, 4*c.filters)})
	if err != nil && !rao.HasModel(err) {
		return nil, err
	}
	if f.features, err = src.Project(ctx, f.model.Filters); err != nil {
		return nil, err
	}
	f.processor, f.peak = usage.Processor()-began, usage.Peak()
	return &f, nil
}

// discriminants returns one discriminant per filter, and the statistics projected onto the discriminants.
func (c manyCase) discriminants(ctx context.Context, path string) (*mat.Dense, *gaussian.Statistics, error) {
	src, err := gaussian.OpenSource(path)
	if err != nil {
		return nil, nil, err
	}
	defer src.Close()
	x, err := classstats.DiscriminantsOf(ctx, src, c.filters, manyNoise)
	if err != nil {
		return nil, nil, err
	}
	s, err := src.Project(ctx, x)
	return x, s, err
}

func (c manyCase) remarks(ctx context.Context, path string, made *synth.Classes, v []float64, q int,
	f *manyFit) ([]string, error) {
	lda, features, err := c.discriminants(ctx, path)
	if err != nil {
		return nil, err
	}
	learned, err := c.accuracy(made, f.features, v, q, f.model.Filters)
	if err != nil {
		return nil, err
	}
	start, err := c.accuracy(made, features, v, q, lda)
	if err != nil {
		return nil, err
	}
	r := f.model.Report
	return []string{
		fmt.Sprintf("objective %.4f over all pairs, %.4f as learned; %d iterations, %d evaluations, %d passes",
			r.Objective, f.model.Learned, r.Iterations, r.Evaluations, r.Passes),
		fmt.Sprintf("QDA on rows drawn from the classes: %.2f %%; on as many discriminants: %.2f %%", learned, start),
		fmt.Sprintf("%.1f processor seconds, %.2f GB of memory at most", f.processor, f.peak/1e9),
	}, nil
}

// coordinates returns the basis, n×q, that a first pass over pooled statistics finds. It is nil if the case
// uses all columns.
func (c manyCase) coordinates(made *synth.Classes) (v []float64, q int) {
	if c.basis == 0 {
		return nil, 0
	}
	counts := slices.Repeat([]int{manyRows}, c.classes)
	b, err := subclasses.Subspace(made.All(manyRows), counts, made.Means, c.basis)
	must(err)
	return b.Components.RawMatrix().Data, c.basis
}

// accuracy returns the accuracy, in percent, of QDA with the filters on rows drawn from the classes.
func (c manyCase) accuracy(made *synth.Classes, features *gaussian.Statistics, v []float64, q int,
	filters *mat.Dense) (float64, error) {
	each := max(5, 6000/c.classes)
	x, labels := made.Rows(each, 1)
	rows := mat.NewDense(len(labels), c.columns, x)
	if v != nil {
		var in mat.Dense
		in.Mul(mat.NewDense(c.columns, q, v), filters)
		filters = &in
	}
	var z mat.Dense
	z.Mul(rows, filters)
	qda, err := classify.FitQDA(features, classify.QDAOptions{})
	if err != nil {
		return 0, err
	}
	var logp mat.Dense
	if err := qda.LogPosterior(context.Background(), &logp, &z); err != nil {
		return 0, err
	}
	return 100 * evaluate.Accuracy(labels, evaluate.MostProbable(&logp)), nil
}
