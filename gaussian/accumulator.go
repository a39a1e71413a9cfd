package gaussian

import (
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/internal/faults"
	"rao/internal/hugepages"
	"rao/internal/indices"
	"rao/internal/linalg/vec"
	"rao/internal/moments"
	"rao/internal/naming"
	"rao/internal/par"
	"rao/internal/rows"
	"rao/internal/statsarrays"
)

// Accumulator computes [Statistics] in one pass over rows that are added in any number of calls. Rows are collected in
// blocks of a fixed size per class, so the result has the same bits however the rows are split over calls, and at any
// GOMAXPROCS. The order of the rows affects only rounding.
//
// Sums are computed in float64 about a pivot near the class mean, so data far from zero lose no precision. Rows of
// float32 are multiplied in float32, at most 256 at a time, and these sums are added in float64: about seven digits in
// general, exact for integers from 0 to 255. Rows of bytes are multiplied as bytes if the processor supports it;
// columns that are constant within a class then cost nothing.
//
// For c classes and n columns, it needs memory for c·n² values of float64 and c blocks of rows, however many rows are
// added. An Accumulator must not be used by several goroutines at once; it uses several itself.
type Accumulator struct {
	dim, block int
	rows       int // rows seen, for messages
	state      []*classSums
	second     []float64 // memory for the sums of products of all classes
	borrows    bool      // rows do not change until the statistics are computed
	work       workers
	weighted   *weightedSums // of rows with weights; nil: the rows have none
	err        error         // the first error, returned by every later call
}

// workers add the blocks of rows, one worker for each element type.
type workers struct {
	bytes  byteWork
	single workspace[float32]
	double workspace[float64]
}

// ready initializes the workers if necessary and returns them.
func (w *workers) ready() *workers {
	w.bytes.workspace = &w.single
	return w
}

// blockRows is the number of rows of a class that are multiplied together: four of the kernels' blocks of 256.
const blockRows = 1024

// borrowedBlocks is the number of borrowed blocks of bytes that are added together. Their sums are exact, so the
// result does not depend on it. With more blocks, fewer columns vary in only one of them.
const borrowedBlocks = 64

// NewAccumulator returns an accumulator for rows of dim values in the given number of classes. It panics if either is
// below one.
func NewAccumulator(dim, classes int) *Accumulator {
	if dim < 1 || classes < 1 {
		panic("gaussian: an accumulator needs at least one dimension and one class")
	}
	block := blockRows
	for block > 32 && int64(block)*int64(dim)*int64(classes) > 1<<25 {
		block /= 2
	}
	a := &Accumulator{dim: dim, block: block, state: make([]*classSums, classes)}
	second := hugepages.Make[float64](classes * dim * dim)
	for i := range a.state {
		a.state[i] = newClassSums(dim, second[i*dim*dim:(i+1)*dim*dim:(i+1)*dim*dim])
	}
	a.second = second
	a.work.ready()
	return a
}

// CollectMoments makes the accumulator also compute the third and fourth moments that ledoit_wolf shrinkage
// needs. This doubles the time for rows of float32. It panics if rows were already added.
func (a *Accumulator) CollectMoments() {
	if a.rows > 0 {
		panic("gaussian: CollectMoments called after the first row")
	}
	for _, s := range a.state {
		s.cubic = make([]float64, a.dim)
	}
}

// Borrow promises that rows passed to Add do not change until the statistics are computed, so rows that wait for a full
// block are not copied.
func (a *Accumulator) Borrow() { a.borrows = true }

// Add adds the rows of x; labels[i] in [0,classes) is the class of row i. Matrices that give access to their rows by
// RawMatrix, or by RawRows() (u8 []byte, f32 []float32, f64 []float64, stride int), are read without a copy.
//
// It returns an error if the lengths differ, a label is out of range or a value is NaN or infinite. The message names
// row and column; rows are counted from 0 over all calls. After an error every later call returns the same error.
func (a *Accumulator) Add(x mat.Matrix, labels []int) error {
	n, cols := x.Dims()
	if err := a.fits(n, cols, labels); err != nil {
		return err
	}
	if a.weighted != nil {
		a.err = errMixed
		return a.err
	}
	in := rows.New(x)
	switch s := in.Stored; {
	case s.Bytes != nil:
		return addRows(a, &a.work.bytes, pending8, s.Bytes, s.Stride, labels)
	case s.F32 != nil:
		return addRows(a, &a.work.single, pending32, s.F32, s.Stride, labels)
	case s.F64 != nil:
		return addRows(a, &a.work.double, pending64, s.F64, s.Stride, labels)
	}
	a.borrows = false
	buffer := make([]float64, min(n, a.block)*cols)
	for lo := 0; lo < n; lo += a.block {
		hi := min(lo+a.block, n)
		in.Read(buffer, cols, lo, hi, nil)
		if err := addRows(a, &a.work.double, pending64, buffer, cols, labels[lo:hi]); err != nil {
			return err
		}
	}
	return nil
}

// fits returns the first error so far, or an error if the shapes do not fit.
func (a *Accumulator) fits(rows, cols int, labels []int) error {
	switch {
	case a.err != nil:
	case rows != len(labels):
		a.err = indices.CheckOnePer("label", len(labels), "row", rows)
	case cols != a.dim && rows > 0:
		a.err = indices.CheckColumns(cols, a.dim, "the statistics have")
	}
	return a.err
}

func pending8(s *classSums) *pending[byte]     { return &s.wait8 }
func pending64(s *classSums) *pending[float64] { return &s.wait64 }
func pending32(s *classSums) *pending[float32] { return &s.wait32 }

// addRows appends len(labels) rows of x, row i starting at x[i*ld], to their classes and adds each full block. Unless
// rows are borrowed, the caller's rows are read only during the call: rows that still wait for a full block at its end
// are copied.
func addRows[T value](a *Accumulator, w worker[T], of func(*classSums) *pending[T], x []T, ld int,
	labels []int) error {
	if a.err != nil {
		return a.err
	}
	n := a.dim
	if len(labels) > 0 && (ld < n || len(x) < (len(labels)-1)*ld+n) {
		panic(mat.ErrShape)
	}
	limit := a.waiting(w)
	for class, k := range a.count(labels) {
		of(a.state[class]).grow(min(k, limit))
	}
	for i, label := range labels {
		if a.err = indices.CheckLabel("row", a.rows+i, label, len(a.state)); a.err != nil {
			return a.err
		}
		s := a.state[label]
		p := of(s)
		if err := a.flushOther(s, p); err != nil {
			return err
		}
		p.rows = append(p.rows, x[i*ld:i*ld+n:i*ld+n])
		p.index = append(p.index, a.rows+i)
		if len(p.rows) == limit {
			if err := addBlock(s, p, w); err != nil {
				a.err = err
				return err
			}
		}
	}
	a.rows += len(labels)
	if a.borrows {
		return nil
	}
	for _, s := range a.state {
		if err := of(s).keep(a.block, n); err != nil {
			a.err = err
			return err
		}
	}
	return nil
}

// count returns the number of labels of each class. Labels outside the classes are not counted.
func (a *Accumulator) count(labels []int) []int {
	count := make([]int, len(a.state))
	for _, label := range labels {
		if uint(label) < uint(len(count)) {
			count[label]++
		}
	}
	return count
}

// waiting returns the number of rows of a class that are added at a time.
func (a *Accumulator) waiting(w any) int {
	if w == any(&a.work.bytes) && a.borrows && a.state[0].cubic == nil {
		return borrowedBlocks * a.block
	}
	return a.block
}

// flushOther adds the waiting rows whose type differs from the type of p, so all rows are summed in their order.
func (a *Accumulator) flushOther(s *classSums, p any) error {
	var err error
	switch {
	case len(s.wait8.rows) > 0 && p != any(&s.wait8):
		err = addBlock(s, &s.wait8, &a.work.bytes)
	case len(s.wait32.rows) > 0 && p != any(&s.wait32):
		err = addBlock(s, &s.wait32, &a.work.single)
	case len(s.wait64.rows) > 0 && p != any(&s.wait64):
		err = addBlock(s, &s.wait64, &a.work.double)
	}
	if err != nil {
		a.err = err
	}
	return err
}

// Statistics returns the statistics of the rows so far; more rows may be added later. names are the class names, or nil
// for "0", "1" and so on. Classes with fewer than two rows are allowed here, because parts of a data set may have them;
// [Statistics.Validate] reports them. It returns the first error of Add, or an error if the number of names is not the
// number of classes, or if the weights of a class sum to 1 or less, because the class then has no covariance.
func (a *Accumulator) Statistics(names []string) (*Statistics, error) {
	return a.statistics(names, nil)
}

// Finish is like [Accumulator.Statistics], without a copy: the covariances use the memory of the sums, and the
// accumulator cannot be used afterwards. If you change the covariances, they must stay symmetric, because
// [Statistics.Validate] does not check this.
func (a *Accumulator) Finish(names []string) (*Statistics, error) {
	s, err := a.statistics(names, a.second)
	if a.err == nil {
		a.err = errFinished
	}
	if s != nil {
		s.own = a.weighted == nil
	}
	a.state, a.second, a.weighted = nil, nil, nil
	return s, err
}

var errFinished = errors.New("the accumulator has already returned its statistics; use a new one")

// statistics writes the covariances to the given memory, which is the memory of the sums or, if it is nil, new memory.
func (a *Accumulator) statistics(names []string, memory []float64) (*Statistics, error) {
	if a.err != nil {
		return nil, a.err
	}
	c := len(a.state)
	names = naming.Classes(names, c)
	if len(names) != c {
		return nil, fmt.Errorf("the number of class names is %d, but the number of classes is %d; every class needs "+
			"one name", len(names), c)
	}
	if memory == nil {
		memory = hugepages.Make[float64](c * a.dim * a.dim)
	}
	out := &Statistics{Classes: slices.Clone(names), Counts: make([]int, c), Dim: a.dim,
		Means: make([]float64, c*a.dim), Covariances: memory}
	if a.weighted != nil {
		return out, a.weighted.statistics(out)
	}
	higher := a.state[0].cubic != nil
	if higher {
		out.Cubic, out.Quartic = make([]float64, c*a.dim), make([]float64, c)
	}
	parts := make([]*moments.Class, c)
	work := make([]workers, par.Workers(c, 1))
	err := par.Try(c, 1, func(worker, i, _ int) (err error) {
		if parts[i], err = a.state[i].moments(work[worker].ready(), out.cov(i), true); err == nil {
			out.setClass(i, parts[i])
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, m := range parts {
		higher = higher && vec.Finite(m.Quartic)
	}
	if !higher { // fourth powers overflowed; the covariances do not need them
		out.Cubic, out.Quartic = nil, nil
	}
	return out, nil
}

// Estimate returns the statistics of the rows of x with the given labels, ready for a fit: every class must have at
// least two rows. The number of classes is the number of names or, if classes is nil, the largest label plus one. See
// [Accumulator.Add] for the errors.
func Estimate(x mat.Matrix, labels []int, classes []string) (*Statistics, error) {
	return estimateWith(x, labels, classes, false)
}

// EstimateMoments is like [Estimate], and also computes the third and fourth moments that ledoit_wolf
// shrinkage needs.
func EstimateMoments(x mat.Matrix, labels []int, classes []string) (*Statistics, error) {
	return estimateWith(x, labels, classes, true)
}

func estimateWith(x mat.Matrix, labels []int, classes []string, moments bool) (*Statistics, error) {
	_, cols := x.Dims()
	c, err := indices.NumClasses("row", labels, classes)
	if err != nil {
		return nil, err
	}
	if c == 0 || cols == 0 {
		return nil, faults.Count(0, 1, "there are no data: %d labels and %d columns", len(labels), cols)
	}
	if err := statsarrays.CheckSize(cols, c); err != nil {
		return nil, err
	}
	a := NewAccumulator(cols, c)
	a.Borrow()
	if moments {
		a.CollectMoments()
	}
	if err := a.Add(x, labels); err != nil {
		return nil, err
	}
	s, err := a.Finish(classes)
	if err != nil {
		return nil, err
	}
	err = s.Validate()
	s.own = false // from here on callers may write to them
	return s, err
}
