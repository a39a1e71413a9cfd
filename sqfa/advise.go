package sqfa

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/evaluate"
	"rao/gaussian"
	"rao/internal/classstats"
	"rao/internal/faults"
	"rao/internal/heldout"
	"rao/internal/indices"
	"rao/internal/linalg/vec"
)

// NoiseAdvice compares a given feature noise with the noise that validation chooses, on held-out rows. Noises are
// variances in the squared unit of the data, and accuracies are fractions of the held-out rows.
type NoiseAdvice struct {
	Rows             int     // number of held-out rows; each counts once
	Noise, Accuracy  float64 // the given noise and its accuracy
	Chosen, Possible float64 // the noise that validation chooses, and its accuracy
	P                float64 // p-value of McNemar's test of the decisions with the two noises
}

// adviceDims is the smallest number of dimensions of the subspace in which noises are compared, unless there are fewer
// columns. adviceIterations is the largest number of iterations of a fit with either noise. Up to adviceRows rows are
// split into five folds.
const adviceDims, adviceIterations, adviceRows = 64, 50, 20_000

// AdviseNoise compares opt.Noise with the noise that a fit to [Rows] would choose. filters, n×m, are the filters of a
// fit to stats with opt.Noise. x contains either all rows from which stats were computed, which are then split into
// folds, or a small part of these rows, which is then held out. The noises are compared in a subspace of 64 dimensions
// or four per filter, whichever is larger. Half of its dimensions are principal components and half are discriminants
// of stats; the filters are added. The cost is about ten fits per fold in that subspace.
//
// It returns an error if opt.Noise is AutoNoise, a label is not a class, an option is out of range, or the fits in the
// subspace fail. If ctx is canceled, it returns the error of ctx.
func AdviseNoise(ctx context.Context, stats *gaussian.Statistics, filters *mat.Dense, x mat.Matrix, labels []int,
	opt Options) (*NoiseAdvice, error) {
	a, err := adviseNoise(ctx, stats, filters, x, labels, opt)
	if err != nil {
		return nil, fmt.Errorf("advice on the noise: %w", err)
	}
	return a, nil
}

func adviseNoise(ctx context.Context, stats *gaussian.Statistics, filters *mat.Dense, x mat.Matrix, labels []int,
	opt Options) (*NoiseAdvice, error) {
	if opt.Noise == AutoNoise {
		return nil, faults.Option("the noise is automatic, so there is none to compare; set the noise")
	}
	to, err := opt.plan(stats.NumClasses(), stats.Dim)
	if err != nil {
		return nil, err
	}
	to.Starts, to.Progress = 1, nil
	if to.Folds == 0 && len(labels) <= adviceRows {
		to.Folds = 5
	}
	wide := to
	wide.Start, wide.Initial = startGiven, filters
	wide.Subspace = min(stats.Dim, max(adviceDims, 4*to.Filters))
	v, q, err := searchSpace(ctx, stats.Source(), wide)
	if err != nil {
		return nil, err
	}
	z := coordinates(x, v, q)
	to.Subspace, to.Start, to.Initial = 0, startSeveral, nil
	f, err := heldApart(stats, mat.NewDense(stats.Dim, q, v), z, labels, to.Options)
	if err != nil {
		return nil, err
	}
	return f.compareNoise(ctx, to)
}

// heldApart splits the rows x into folds. The rows are in a basis of the columns, or in all columns if it is nil. If x
// is only a part of the rows behind the statistics, it is the only fold, and all other rows are the training part.
func heldApart(stats *gaussian.Statistics, basis, x *mat.Dense, labels []int, opt Options) (f folds, err error) {
	total := vec.Total(stats.Counts)
	if len(labels) >= total {
		return Rows{x, labels, stats.Classes}.folds(opt)
	}
	train, err := gaussian.Estimate(x, labels, stats.Classes)
	if err != nil {
		return f, err
	}
	all := stats
	if basis != nil {
		all = stats.Project(basis)
	}
	if err := classstats.Complement(train, all); err != nil {
		return f, err
	}
	held := indices.Range(len(labels))
	return folds{&heldout.Folds{All: all, Trains: []*gaussian.Statistics{train}, Held: [][]int{held}, Labels: labels,
		Rows: heldout.NewRows(x)}}, nil
}

// compareNoise validates opt.Noise and the noise chosen by validation on the same folds.
func (f folds) compareNoise(ctx context.Context, opt plan) (*NoiseAdvice, error) {
	search, paths, err := f.choose(ctx, opt)
	if err != nil {
		return nil, err
	}
	for _, p := range paths {
		p.iterations = adviceIterations
	}
	truth := f.truth(len(f.Held))
	a := &NoiseAdvice{Rows: len(truth), Noise: opt.Noise, Chosen: search.best().noise}
	decisions := make([][]int, 2)
	for i, noise := range []float64{a.Noise, a.Chosen} {
		c := &candidate{noise: noise}
		if f.validate(ctx, paths, opt, c); c.err != nil {
			return nil, c.err
		}
		decisions[i] = slices.Clone(evaluate.MostProbable(c.logp))
	}
	a.Accuracy, a.Possible = evaluate.Accuracy(truth, decisions[0]), evaluate.Accuracy(truth, decisions[1])
	test, err := evaluate.McNemar(truth, decisions[0], decisions[1], false)
	if err != nil {
		return nil, err
	}
	a.P = test.P
	return a, nil
}
