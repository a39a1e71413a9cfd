package sqfa

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/evaluate"
	"rao/gaussian"
	"rao/internal/par"
)

// defaultFolds is the number of folds when none is given.
const defaultFolds = 4

// Folds are the statistics of labeled rows that were dealt to folds. One pass over the rows
// collects those of every fold; their sum are the statistics of all rows, and the sum less
// a fold those of a training part. So one pass serves the fit and the validation of its
// noise. The folds are stratified. Memory is that of the statistics times one more than
// the number of folds, and twice that during the fit.
type Folds struct {
	Whole *gaussian.Statistics // of all rows

	parts    []*gaussian.Statistics
	labels   []int
	assigned []int // the fold of every row
	rows     *heldRows

	// Until Finish:
	folds   int
	classes []string
	joint   []int // the class of every row among those of all folds
	sums    *gaussian.Accumulator
}

// CollectFolds deals the rows of x, which it keeps, to opt.Folds folds, drawn from opt.Seed,
// and collects their statistics. Errors are those of [gaussian.Estimate].
func CollectFolds(x mat.Matrix, labels []int, classes []string, opt Options) (*Folds, error) {
	rows, n := x.Dims()
	if rows != len(labels) {
		return nil, fmt.Errorf("%d rows and %d labels: every row needs one", rows, len(labels))
	}
	f, err := NewFolds(labels, classes, n, opt)
	if err != nil {
		return nil, err
	}
	if err := f.Add(x); err != nil {
		return nil, err
	}
	return f, f.Finish(x)
}

// NewFolds deals rows of n columns, of which only the labels are known yet. Rows are given by
// Add, in their order, and Finish ends it.
func NewFolds(labels []int, classes []string, n int, opt Options) (*Folds, error) {
	k := opt.Folds
	if k == 0 {
		k = defaultFolds
	}
	switch {
	case opt.Of != nil:
		return nil, fmt.Errorf("validation of the noise is by rows of classes, and these are components: give the " +
			"noise, or choose it by the bound (Fit)")
	case k < 2:
		return nil, fmt.Errorf("folds %d: want 2 or more", k)
	}
	c := len(classes)
	for i, l := range labels {
		if l < 0 || classes != nil && l >= len(classes) {
			return nil, fmt.Errorf("label %d of row %d is not a class", l, i)
		}
		c = max(c, l+1)
	}
	if c == 0 || n == 0 {
		return nil, fmt.Errorf("no data: %d labels and %d columns", len(labels), n)
	}
	if err := gaussian.CheckSize(n, c*k); err != nil {
		return nil, err
	}
	f := &Folds{labels: labels, assigned: make([]int, len(labels)), joint: make([]int, len(labels)), folds: k,
		classes: classNames(classes, c), sums: gaussian.NewAccumulator(n, c*k)}
	f.sums.Borrow()
	for i, fold := range evaluate.Deal(labels, k, rand.New(rand.NewPCG(opt.Seed, 0xf01d))) {
		for _, r := range fold.Test {
			f.assigned[r], f.joint[r] = i, i*c+labels[r]
		}
	}
	return f, nil
}

// classNames returns the names, or numbers in their place.
func classNames(classes []string, c int) []string {
	if classes != nil {
		return classes
	}
	names := make([]string, c)
	for i := range names {
		names[i] = fmt.Sprint(i)
	}
	return names
}

// Add adds the next rows, which must stay as they are until Finish. Each class is counted once
// a fold.
func (f *Folds) Add(x mat.Matrix) error {
	rows, _ := x.Dims()
	first := f.sums.Rows()
	if first+rows > len(f.joint) {
		return fmt.Errorf("%d rows and %d labels: every row needs one", first+rows, len(f.joint))
	}
	return f.sums.Add(x, f.joint[first:first+rows])
}

// Finish takes the statistics of the rows so far. x are all rows once more, which the
// validation reads.
func (f *Folds) Finish(x mat.Matrix) error {
	f.rows = holdRows(x)
	all, err := f.sums.Take(nil)
	if err != nil {
		return err
	}
	f.sums, f.joint = nil, nil
	n, c := all.Dim, len(f.classes)
	for i := range f.folds {
		f.parts = append(f.parts, &gaussian.Statistics{Classes: f.classes, Counts: all.Counts[i*c : (i+1)*c], Dim: n,
			Means: all.Means[i*c*n : (i+1)*c*n], Covariances: all.Covariances[i*c*n*n : (i+1)*c*n*n]})
	}
	if f.Whole, err = gaussian.Merge(f.parts...); err != nil {
		return err
	}
	return f.Whole.Validate()
}

// AffineInPlace replaces every row x by (x-shift)·scale, as
// [gaussian.Statistics.AffineInPlace] does; the rows themselves stay as they are. A nil shift
// is zero, and one scale is that of every column.
func (f *Folds) AffineInPlace(shift, scale []float64) {
	f.Whole.AffineInPlace(shift, scale)
	for _, p := range f.parts {
		p.AffineInPlace(shift, scale)
	}
	f.rows.affine(shift, scale)
}

// Fit chooses the noise by validation and learns filters with it; see [FitData].
func (f *Folds) Fit(ctx context.Context, opt Options) (*Model, error) {
	begin := time.Now()
	m, err := f.fit(ctx, opt)
	if err != nil {
		return nil, fmt.Errorf("sqfa: %w", err)
	}
	return finish(m, begin)
}

func (f *Folds) fit(ctx context.Context, opt Options) (*Model, error) {
	opt, err := checked(f.Whole, opt)
	if err != nil {
		return nil, err
	}
	noise, search, passes, err := f.choose(ctx, opt)
	if err != nil {
		return nil, err
	}
	return fitChosen(ctx, f.Whole, opt, noise, search, passes)
}

// choose returns the noise that validation chooses, and the passes over the statistics.
func (f *Folds) choose(ctx context.Context, opt Options) (noise float64, search *noiseSearch, passes int, err error) {
	scale, err := noiseScale(f.Whole, opt.Filters)
	if err != nil {
		return 0, nil, 0, err
	}
	ways, err := f.ways(opt)
	if err != nil {
		return 0, nil, 0, err
	}
	search = new(noiseSearch)
	noise, err = search.choose(ctx, scale, func(noise float64) (float64, float64, error) {
		logp, err := f.validate(ctx, ways, opt, noise, len(search.grid)*len(ways))
		if err != nil {
			return 0, 0, err
		}
		return atBestTemperature(f.labels, logp)
	})
	passes = 1
	for _, way := range ways {
		passes += way.passes
	}
	return noise, search, passes, err
}

// validate returns the log-probabilities of all rows, each held out, with filters learned at
// the noise. done is how many fits there were before.
func (f *Folds) validate(ctx context.Context, ways []*path, opt Options, noise float64, done int) (*mat.Dense, error) {
	logp := mat.NewDense(len(f.labels), f.Whole.NumClasses(), nil)
	for i, way := range ways {
		filters, err := way.fit(ctx, noise)
		if err != nil {
			return nil, err
		}
		if err := f.heldOut(logp, way.stats, filters, opt, i); err != nil {
			return nil, err
		}
		opt.Progress.Send(rao.Event{Stage: "noise", Done: done + i + 1, Total: len(noiseSteps) * len(ways)})
	}
	return logp, nil
}

// ways returns a path for all but each fold.
func (f *Folds) ways(opt Options) ([]*path, error) {
	ways := make([]*path, len(f.parts))
	for i, part := range f.parts {
		train, err := gaussian.Subtract(f.Whole, part)
		if err != nil {
			return nil, fmt.Errorf("fold %d: %w", i+1, err)
		}
		if err := train.Validate(); err != nil {
			return nil, fmt.Errorf("all but fold %d: %w; use fewer folds or give the noise", i+1, err)
		}
		ways[i] = newPath(train, opt)
	}
	return ways, nil
}

// heldOut writes the log-probabilities that the quadratic classifier of the training
// statistics gives to the rows of a fold.
func (f *Folds) heldOut(logp *mat.Dense, train *gaussian.Statistics, filters *mat.Dense, opt Options, fold int) error {
	_, m := filters.Dims()
	q, err := newQuadratic(train.Project(filters), opt.shares(train.NumClasses()))
	if err != nil {
		return err
	}
	var index []int
	for i, a := range f.assigned {
		if a == fold {
			index = append(index, i)
		}
	}
	p := f.rows.on(filters)
	par.For(len(index), 256, func(_, lo, hi int) {
		buf, z, work := p.buffer(), make([]float64, m), make([]float64, m)
		for _, r := range index[lo:hi] {
			p.row(z, buf, r)
			scores := logp.RawRowView(r)
			q.scores(scores, z, work)
			toShares(scores)
		}
	})
	return nil
}
