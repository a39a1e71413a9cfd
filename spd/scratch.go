package spd

import (
	"sync"

	"gonum.org/v1/gonum/mat"

	"rao/internal/linalg/small"
	"rao/internal/linalg/vec"
	"rao/internal/par"
)

// unit is the rounding unit of float64.
const unit = 0x1p-52

// scratch is the memory of one worker. Its slices grow once to the size that a batch needs.
type scratch struct {
	w small.Workspace
	// bufs contain the matrices of a batch, vals their eigenvalues.
	bufs [4][]float64
	vals []float64
	one  Stack // stack of a matrix that is not in a stack
}

// buf returns scratch slice i with room for size values. Its contents are arbitrary.
func (s *scratch) buf(i, size int) []float64 {
	return vec.Room(&s.bufs[i], size)
}

func (s *scratch) values(size int) []float64 { return vec.Room(&s.vals, size) }

// batchSize returns the number of matrices of order n that a worker processes at once. It depends only on n, so
// results do not depend on the number of workers.
func batchSize(n int) int { return max(8, min(256, (1<<13)/(n*n)/8*8)) }

// team is the memory of the workers, kept for all passes of an iteration. The zero value is ready to use.
type team struct {
	narrow  bool // batches have at most narrowest matrices
	work    []*scratch
	errs    []error
	partial []float64
	pairs   pairs
}

// singles is a pool of memory for operations on one matrix.
var singles = sync.Pool{New: func() any { return new(scratch) }}

// teams is a pool of the memory of finished operations.
var teams = sync.Pool{New: func() any { return new(team) }}

// passes is a pool of teams for single passes, which are never narrow.
var passes = sync.Pool{New: func() any { return new(team) }}

// narrows is a pool of teams for the distances of at most narrowest matrices, such as a trial of a stream and a few
// class means.
var narrows = sync.Pool{New: func() any { return new(team) }}

// narrowest is the largest number of matrices that fit in vectors of half the width.
const narrowest = 4

// batches calls body for batches lo to hi-1 of count matrices of order n, and returns the error of the first batch
// that failed.
func (t *team) batches(count, n int, body func(s *scratch, lo, hi int) error) error {
	grain := batchSize(n)
	chunks := par.Chunks(count, grain)
	t.ready(par.Workers(count, grain), chunks)
	if chunks == 1 { // without allocation
		return body(t.work[0], 0, count)
	}
	par.For(count, grain, func(worker, lo, hi int) {
		t.errs[lo/grain] = body(t.work[worker], lo, hi)
	})
	return t.firstError()
}

// batchesWith is [team.batches] for a body that receives its variables in v instead of capturing them. With a single
// batch, it allocates nothing.
func batchesWith[T any](t *team, count, n int, v T, body func(v T, s *scratch, lo, hi int) error) error {
	if par.Chunks(count, batchSize(n)) == 1 {
		t.ready(1, 1)
		return body(v, t.work[0], 0, count)
	}
	shared := v
	return t.batches(count, n, func(s *scratch, lo, hi int) error { return body(shared, s, lo, hi) })
}

// narrowTo prepares the team for batches of at most count matrices. Vectors of half the width use half the memory,
// which must be read into the cache for each window of a stream.
func (t *team) narrowTo(count int) {
	if narrow := count <= narrowest; narrow != t.narrow {
		t.narrow, t.work = narrow, nil
	}
}

// ready allocates memory for the workers and for the errors of the chunks.
func (t *team) ready(workers, chunks int) {
	for len(t.work) < workers {
		t.work = append(t.work, &scratch{w: small.Workspace{Narrow: t.narrow}})
	}
	if cap(t.errs) < chunks {
		t.errs = make([]error, chunks)
	}
	t.errs = t.errs[:chunks]
	clear(t.errs)
}

// firstError returns the error of the first chunk that failed.
func (t *team) firstError() error {
	for _, err := range t.errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// accumulate returns the sum over the batches of x. body adds each batch to a partial sum of the given size; partial
// sums are merged in the order of the batches. The result is valid until the next call.
func (t *team) accumulate(x *Stack, size int,
	body func(s *scratch, lo, hi int, sum []float64) error) ([]float64, error) {
	grain := batchSize(x.Dim)
	if need := par.Chunks(x.Count, grain) * size; len(t.partial) != need {
		t.partial = make([]float64, need)
	}
	clear(t.partial)
	err := t.batches(x.Count, x.Dim, func(s *scratch, lo, hi int) error {
		p := lo / grain * size
		return body(s, lo, hi, t.partial[p:p+size])
	})
	if err != nil {
		return nil, err
	}
	for p := size; p < len(t.partial); p += size {
		vec.Axpy(t.partial[:size], 1, t.partial[p:p+size])
	}
	return t.partial[:size:size], nil
}

// batches is [team.batches] for a single pass.
func batches(count, n int, body func(s *scratch, lo, hi int) error) error {
	crew := passes.Get().(*team)
	defer passes.Put(crew)
	return crew.batches(count, n, body)
}

// block returns matrices lo to hi-1 as one slice: a view if the stack is dense, otherwise a copy in scratch slice 3.
func (s *Stack) block(lo, hi int, w *scratch) []float64 {
	nn := s.Dim * s.Dim
	if s.Stride == nn {
		return s.Data[lo*nn : hi*nn]
	}
	out := w.buf(3, (hi-lo)*nn)
	for k := lo; k < hi; k++ {
		copy(out[(k-lo)*nn:], s.At(k))
	}
	return out
}

// fit resizes an empty dst to the given size. It panics with mat.ErrShape if dst has another size, or is not dense.
func (s *Stack) fit(count, dim int) {
	s.mustExist()
	if s.Count == 0 && s.Dim == 0 {
		*s = *NewStack(count, dim)
		return
	}
	if s.Count != count || s.Dim != dim || s.Stride != dim*dim {
		panic(mat.ErrShape)
	}
}
