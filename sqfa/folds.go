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

// Without a number of folds, rows are dealt to defaultFolds, of which so many are held out as
// make enoughRows: an accuracy of 90 % then has a standard error below a fifth of a point.
const defaultFolds, enoughRows = 5, 30000

// Folds are the statistics of labeled rows that were dealt to folds, of which all or the first
// few are held out. One pass over the rows collects those of each held-out fold and of the rest;
// their sum are the statistics of all rows, and the sum less a fold those of a training part.
// So one pass serves the fit and the validation of its noise. The folds are stratified.
// Memory is that of the statistics times one more than the number of folds held out.
type Folds struct {
	Whole *gaussian.Statistics // of all rows

	trains []*gaussian.Statistics // of all rows but those of a fold, for each that is held out
	held   [][]int                // rows of each fold that is held out, ascending
	labels []int                  // of all rows
	rows   *heldRows

	// Until Finish:
	classes []string
	joint   []int // the class of every row among those of all folds
	sums    *gaussian.Accumulator
}

// DealtFolds returns to how many folds rows are dealt, and how many of these are held out, for a
// number of folds as [Options] have it.
func DealtFolds(folds, rows int) (dealt, held int) {
	if folds != 0 {
		return folds, folds
	}
	return defaultFolds, min(defaultFolds, (defaultFolds*enoughRows+rows-1)/max(1, rows))
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
	k, most := DealtFolds(opt.Folds, len(labels))
	switch {
	case opt.Of != nil:
		return nil, fmt.Errorf("validation of the noise is by rows of classes, and these are components: give the " +
			"noise, or choose it by the bound (Fit)")
	case k < 2:
		return nil, fmt.Errorf("folds %d: want 2 or more", k)
	}
	c := len(classes)
	for i, l := range labels {
		if l < 0 || classes != nil && l >= len(classes) || l >= len(labels) {
			return nil, fmt.Errorf("label %d of row %d is not a class", l, i)
		}
		c = max(c, l+1)
	}
	if c == 0 || n == 0 {
		return nil, fmt.Errorf("no data: %d labels and %d columns", len(labels), n)
	}
	groups := min(k, most+1) // the last of them are the rest
	if err := gaussian.CheckSize(n, c*groups); err != nil {
		return nil, err
	}
	f := &Folds{labels: labels, joint: make([]int, len(labels)), held: make([][]int, most),
		classes: classNames(classes, c), sums: gaussian.NewAccumulator(n, c*groups)}
	f.sums.Borrow()
	for i, fold := range evaluate.Deal(labels, k, rand.New(rand.NewPCG(opt.Seed, 0xf01d))) {
		if i < most {
			f.held[i] = fold.Test
		}
		for _, r := range fold.Test {
			f.joint[r] = min(i, most)*c + labels[r]
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
	var parts []*gaussian.Statistics
	for i := range len(all.Counts) / c {
		parts = append(parts, &gaussian.Statistics{Classes: f.classes, Counts: all.Counts[i*c : (i+1)*c], Dim: n,
			Means: all.Means[i*c*n : (i+1)*c*n], Covariances: all.Covariances[i*c*n*n : (i+1)*c*n*n]})
	}
	if err := f.split(parts); err != nil {
		return err
	}
	return f.Whole.Validate()
}

// split makes the whole and the training parts of the parts, in their memory where it can: those
// held out, and the rest unless all are.
func (f *Folds) split(parts []*gaussian.Statistics) (err error) {
	h := len(f.held)
	switch rest := parts[h:]; {
	case len(rest) == 0:
		f.Whole, err = gaussian.Merge(parts...)
	case h == 1:
		f.Whole, f.trains = parts[0], rest
		return f.Whole.AddInPlace(rest...)
	default:
		f.Whole = rest[0]
		err = f.Whole.AddInPlace(parts[:h]...)
	}
	if err != nil {
		return err
	}
	f.trains = parts[:h]
	for i, part := range f.trains {
		if err := part.ComplementInPlace(f.Whole); err != nil {
			return fmt.Errorf("fold %d: %w", i+1, err)
		}
	}
	return nil
}

// AffineInPlace replaces every row x by (x-shift)·scale, as
// [gaussian.Statistics.AffineInPlace] does; the rows themselves stay as they are. A nil shift
// is zero, and one scale is that of every column.
func (f *Folds) AffineInPlace(shift, scale []float64) {
	f.Whole.AffineInPlace(shift, scale)
	for _, p := range f.trains {
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
	return finish(ctx, m, begin)
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
	truth := f.truth()
	search = &noiseSearch{rows: len(truth)}
	noise, err = search.choose(ctx, scale, func(noise float64) (float64, float64, error) {
		logp, err := f.validate(ctx, ways, opt, noise, len(search.grid)*len(ways))
		if err != nil {
			return 0, 0, err
		}
		return atBestTemperature(truth, logp)
	})
	passes = 1
	for _, way := range ways {
		passes += way.passes
	}
	return noise, search, passes, err
}

// truth returns the labels of the rows held out, one fold after the other.
func (f *Folds) truth() []int {
	var truth []int
	for _, rows := range f.held {
		for _, r := range rows {
			truth = append(truth, f.labels[r])
		}
	}
	return truth
}

// validate returns the log-probabilities of the rows held out, in the order of truth, with
// filters learned at the noise. done is how many fits there were before.
func (f *Folds) validate(ctx context.Context, ways []*path, opt Options, noise float64, done int) (*mat.Dense, error) {
	c, total := f.Whole.NumClasses(), 0
	for _, rows := range f.held {
		total += len(rows)
	}
	logp := mat.NewDense(total, c, nil)
	errs := make([]error, len(ways))
	par.For(len(ways), 1, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			errs[i] = f.validateFold(ctx, ways[i], opt, noise, i, logp)
		}
	})
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	opt.Progress.Send(rao.Event{Stage: "noise", Done: done + len(ways), Total: len(noiseSteps) * len(ways)})
	return logp, nil
}

// validateFold writes the log-probabilities of the rows of fold i to their place among those of
// all folds.
func (f *Folds) validateFold(ctx context.Context, way *path, opt Options, noise float64, i int, all *mat.Dense) error {
	filters, err := way.fit(ctx, noise)
	if err != nil || len(f.held[i]) == 0 {
		return err
	}
	lo := 0
	for _, rows := range f.held[:i] {
		lo += len(rows)
	}
	_, c := all.Dims()
	logp := all.Slice(lo, lo+len(f.held[i]), 0, c).(*mat.Dense)
	return f.scoreRows(logp, way, filters, opt, f.held[i])
}

// ways returns a path for all but each fold that is held out.
func (f *Folds) ways(opt Options) ([]*path, error) {
	ways := make([]*path, len(f.trains))
	for i, train := range f.trains {
		if err := train.Marginals().ValidateFor(1); err != nil {
			return nil, fmt.Errorf("all but fold %d: %w; use fewer folds or give the noise", i+1, err)
		}
		ways[i] = newPath(train, opt)
	}
	return ways, nil
}

// scoreRows writes the log-probabilities that the quadratic classifier of the training
// statistics gives to rows.
func (f *Folds) scoreRows(logp *mat.Dense, way *path, filters *mat.Dense, opt Options, rows []int) error {
	_, m := filters.Dims()
	q, err := newQuadratic(way.features(filters), opt.shares(way.stats.NumClasses()))
	if err != nil {
		return err
	}
	p := f.rows.on(filters)
	par.For(len(rows), 256, func(_, lo, hi int) {
		buf, z, work := p.buffer(), make([]float64, m), make([]float64, m)
		for i := lo; i < hi; i++ {
			p.row(z, buf, rows[i])
			scores := logp.RawRowView(i)
			q.scores(scores, z, work)
			toShares(scores)
		}
	})
	return nil
}
