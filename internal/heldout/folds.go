package heldout

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/classstats"
	"rao/internal/faults"
	"rao/internal/indices"
	"rao/internal/naming"
	"rao/internal/scoring"
	"rao/internal/statsarrays"
)

// If no number of folds is given, rows are split into DefaultFolds folds, and enough folds are held out to have
// enoughHeld rows. All noises are compared on the same rows, so differences smaller than the standard error of an
// accuracy are visible.
const DefaultFolds, enoughHeld = 5, 400

// Folds contains the statistics of labeled rows that were split into stratified folds. All folds, or the first few, are
// held out. One pass over the rows computes the statistics of each held-out fold and of the rest. Their sum gives the
// statistics of all rows, and the sum without a fold gives the statistics of a training set. One pass is therefore
// enough for the fit and for the validation of its noise. With k held-out folds, Folds needs k+1 times the memory of
// the statistics.
type Folds struct {
	All    *gaussian.Statistics   // statistics of all rows
	Trains []*gaussian.Statistics // for each held-out fold, the statistics of all other rows
	Held   [][]int                // rows of each held-out fold, ascending
	Labels []int                  // labels of all rows
	Rows   *Rows
	Drawn  bool // the rows are not data, but were drawn with the statistics of the classes

	// The fields below are used until Finish.
	classes []string
	joint   []int // the class of every row among the classes of all folds
	sums    *gaussian.Accumulator
	added   int // rows added
}

// Stream returns the statistics of all rows. It makes Folds a sqfa.Loader.
func (f *Folds) Stream(ctx context.Context) (*gaussian.Source, error) { return f.All.Stream(ctx) }

// DealtFolds returns the number of folds into which the rows are split, and the number of folds that are held out.
// folds is the field Folds of sqfa.Options.
func DealtFolds(folds, rows int) (dealt, held int) {
	if folds != 0 {
		return folds, folds
	}
	return DefaultFolds, min(DefaultFolds, (DefaultFolds*enoughHeld+rows-1)/max(1, rows))
}

// NewFolds splits rows of n columns into random folds by their labels. folds and seed are the fields Folds and Seed of
// sqfa.Options. Call Add for all rows in order, and then Finish. It returns an error if a label is not a class, or if
// the number of folds is out of range.
func NewFolds(labels []int, classes []string, n, folds int, seed uint64) (*Folds, error) {
	k, most := DealtFolds(folds, len(labels))
	if k < 2 {
		return nil, faults.Option("the number of folds is %d; it must be 2 or more", k)
	}
	c, err := indices.NumClasses("row", labels, classes)
	if err != nil {
		return nil, err
	}
	if c == 0 || n == 0 {
		return nil, faults.Count(0, 1, "there are no data: %d labels and %d columns", len(labels), n)
	}
	groups := min(k, most+1) // the last group is the rest
	if err := statsarrays.CheckSize(n, c*groups); err != nil {
		return nil, err
	}
	f := &Folds{Labels: labels, joint: make([]int, len(labels)), Held: make([][]int, most),
		classes: naming.Classes(classes, c), sums: gaussian.NewAccumulator(n, c*groups)}
	f.sums.Borrow()
	for r, i := range scoring.Deal(labels, k, rand.New(rand.NewPCG(seed, 0xf01d))) {
		if i < most {
			f.Held[i] = append(f.Held[i], r)
		}
		f.joint[r] = min(i, most)*c + labels[r]
	}
	return f, nil
}

// Add adds the next rows, which must not change until Finish.
func (f *Folds) Add(x mat.Matrix) error {
	rows, _ := x.Dims()
	first := f.added
	if first+rows > len(f.joint) {
		return indices.CheckOnePer("label", len(f.joint), "row", first+rows)
	}
	f.added += rows
	return f.sums.Add(x, f.joint[first:first+rows])
}

// Finish completes the statistics. x must contain all rows again, for the validation.
func (f *Folds) Finish(x mat.Matrix) error {
	f.Rows = NewRows(x)
	all, err := f.sums.Finish(nil)
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
	return f.All.Validate()
}

// split computes the statistics of all rows and of the training parts from the parts, reusing their memory if
// possible. The parts are the held-out folds and, unless all folds are held out, the rest.
func (f *Folds) split(parts []*gaussian.Statistics) (err error) {
	h := len(f.Held)
	switch rest := parts[h:]; {
	case len(rest) == 0:
		f.All, err = gaussian.Merge(parts...)
	case h == 1:
		f.All, f.Trains = parts[0], rest
		return classstats.Add(f.All, rest...)
	default:
		f.All = rest[0]
		err = classstats.Add(f.All, parts[:h]...)
	}
	if err != nil {
		return err
	}
	f.Trains = parts[:h]
	for i, part := range f.Trains {
		if err := classstats.Complement(part, f.All); err != nil {
			return fmt.Errorf("fold %d of %d: %w", i+1, h, err)
		}
	}
	return nil
}

// AffineInPlace replaces every row x by (x-shift)·scale, as [gaussian.Statistics.Affine] does; the rows themselves
// do not change. A nil shift is zero, and a single scale applies to every column.
func (f *Folds) AffineInPlace(shift, scale []float64) {
	classstats.Affine(f.All, shift, scale)
	for _, p := range f.Trains {
		classstats.Affine(p, shift, scale)
	}
	f.Rows.affine(shift, scale)
}

// boundClasses is the largest number of classes for which the bound on the Bayes error distinguishes noises. With 41
// classes, bounds differ by less than a thousandth between noises that are 17 percentage points of accuracy apart.
const boundClasses = 30

// DrawnRows is the number of rows per column below which validation draws rows from statistics, and mostDrawn the
// largest number of values to store for this.
const DrawnRows, mostDrawn = 2, 1 << 25

// DrawnValues returns the number of values that a fit of filters with automatic noise stores for the rows that it draws
// from the given statistics, and for their folds. It is 0 if the fit draws no rows: if there are at most 30 classes and
// each has at least two rows per column, if the statistics are weighted, or if too many values would be needed.
func DrawnValues(stats *gaussian.Statistics) int {
	c, n, total := stats.NumClasses(), stats.Dim, stats.Total()
	values := float64(DefaultFolds+1)*float64(c)*float64(n)*float64(n) + float64(total)*float64(n)
	if c == 0 {
		return 0
	}
	enough := c <= boundClasses && float64(slices.Min(stats.Counts)) >= DrawnRows*float64(n)
	if enough || stats.Weights != nil || values > mostDrawn {
		return 0
	}
	return int(values)
}
