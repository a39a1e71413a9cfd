package sqfa

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"rao/feature"
	"rao/gaussian"
	"rao/internal/heldout"
	"rao/internal/indices"
)

// Loader provides the statistics of the classes:
//
//   - [*gaussian.Statistics], in memory;
//   - [*gaussian.Source], with covariances that are read one at a time, for example from a file. With
//     Options.Subspace, the fit reads them four times. For a subspace of q dimensions it then needs memory for a
//     small multiple of c q² values, plus n² values;
//   - [Rows], labeled observations.
//
// If the noise is automatic, Rows choose it by validation. The other two sources choose it by a bound on the Bayes
// error or, if there are more than 30 classes or a class has fewer than two rows per column, by validation on rows
// drawn with the statistics.
type Loader interface {
	// Stream returns the statistics, which need not fit into memory, or an error if a fit cannot use them. The fit does
	// not change them.
	Stream(ctx context.Context) (*gaussian.Source, error)
}

// Rows are labeled observations, the rows of X. Labels are 0..c-1; Classes may be nil.
//
// An automatic noise is chosen by k-fold validation. The fit compares the log-probabilities of the held-out labels
// under the quadratic classifier of the features. Among the noises that the held-out rows cannot distinguish from the
// best, it chooses the largest, unless another noise classifies significantly more of these rows correctly.
type Rows struct {
	X       mat.Matrix // N×n
	Labels  []int      // N labels
	Classes []string   // c names
}

// Stream implements [Loader] with [gaussian.Estimate].
func (r Rows) Stream(ctx context.Context) (*gaussian.Source, error) {
	s, err := gaussian.Estimate(r.X, r.Labels, r.Classes)
	if err != nil {
		return nil, err
	}
	return s.Stream(ctx)
}

// fit fits with the noise that validation chooses, in a subspace or on all columns, and returns the statistics of all
// rows.
func (r Rows) fit(ctx context.Context, opt Options) (*Model, *gaussian.Source, error) {
	if _, n := r.X.Dims(); opt.inSubspace(n) {
		return r.fitInSubspace(ctx, opt)
	}
	f, err := r.folds(opt)
	if err != nil {
		return nil, nil, err
	}
	return f.fit(ctx, opt)
}

// folds are rows with statistics computed fold by fold. Other packages of this module give them to [Fit] as a
// *heldout.Folds.
type folds struct{ *heldout.Folds }

// folds splits the rows into opt.Folds random folds, seeded by opt.Seed, and collects their statistics. It returns the
// same errors as [gaussian.Estimate].
func (r Rows) folds(opt Options) (folds, error) {
	rows, n := r.X.Dims()
	if err := indices.CheckOnePer("label", len(r.Labels), "row", rows); err != nil {
		return folds{}, err
	}
	f, err := heldout.NewFolds(r.Labels, r.Classes, n, opt.Folds, opt.Seed)
	if err != nil {
		return folds{}, err
	}
	if err := f.Add(r.X); err != nil {
		return folds{}, err
	}
	return folds{f}, f.Finish(r.X)
}

// fitInSubspace chooses the noise by validation on the coordinates of the rows in a subspace, and then learns the
// filters. The statistics of the folds therefore have only the dimensions of the subspace. With near pairs, where a fit
// has a single start that may end at useless filters, it continues from the filters in the subspace.
func (r Rows) fitInSubspace(ctx context.Context, opt Options) (*Model, *gaussian.Source, error) {
	s, err := r.Stream(ctx)
	if err != nil {
		return nil, nil, err
	}
	to, err := opt.plan(s.NumClasses(), s.Dim)
	if err != nil {
		return nil, nil, err
	}
	v, q, err := searchSpace(ctx, s, to)
	if err != nil {
		return nil, nil, err
	}
	inner, space := to, &basis{n: s.Dim, q: q, cap: q, v: v}
	inner.Subspace = 0
	if inner.Initial != nil {
		inner.Initial = space.within(inner.Initial)
	}
	f, err := Rows{coordinates(r.X, v, q), r.Labels, r.Classes}.folds(opt)
	if err != nil {
		return nil, nil, err
	}
	chosen, err := f.fitValidated(ctx, inner)
	if err != nil {
		return nil, nil, err
	}
	to.Noise = chosen.Noise
	if to.choosing(s.NumClasses()) {
		found := space.lift(values(chosen.Filters), to.Filters)
		to.Start, to.Initial = startGiven, mat.NewDense(s.Dim, to.Filters, found)
	}
	m, err := fitInSubspace(ctx, s, to)
	if err != nil {
		return nil, nil, err
	}
	copyChoice(m, chosen)
	m.Report.Passes += chosen.Report.Passes
	return m, s, nil
}

// coordinates returns the rows x in the basis v of q columns.
func coordinates(x mat.Matrix, v []float64, q int) *mat.Dense {
	rows, n := x.Dims()
	z := mat.NewDense(rows, q, nil)
	(&feature.Model{Filters: mat.NewDense(n, q, v)}).Transform(z, x)
	return z
}
