package classifiers

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"rao/internal/argmax"
	"rao/internal/classifiers/common"
	"rao/internal/linalg/vec"
	"rao/internal/par"
	"rao/internal/rows"
	"rao/spd"
)

// MatrixKNNOptions are the options of [FitMatrixKNN].
type MatrixKNNOptions struct {
	// Metric is the metric of the distances. Default spd.Riemann.
	Metric spd.Metric
	// K is the number of neighbors that vote, 1 to the number of training matrices. Default 5, or the number of
	// training matrices if that is smaller.
	K int
	// Smoothing is the number of initial votes of each class, which makes every probability positive. Default 1/c: one
	// vote in total.
	Smoothing float64
}

// MatrixKNN classifies a matrix by the votes of the K nearest training matrices. Probabilities are as in
// [classify.KNN]: p(i|X) = (v_i + s)/(K + c s).
//
// The search is exact. In the affine-invariant metric, it does not compute most distances. The log-Euclidean distance
// is a lower bound (the exponential metric increasing property, Bhatia 2007, theorem 6.1.4), so candidates are tried in
// order of this bound, eight at a time, until the bound exceeds the K-th distance found. Among equally distant
// matrices, the first in the training data counts as nearer.
//
// The exported fields determine the model. Call [MatrixKNN.Prepare] after setting them.
type MatrixKNN struct {
	Classes   []string   `json:"classes"`   // c class names
	Metric    spd.Metric `json:"metric"`    // metric of the distances
	K         int        `json:"k"`         // number of neighbors
	Smoothing float64    `json:"smoothing"` // initial votes of each class
	Matrices  *spd.Stack `json:"matrices"`  // training matrices
	Labels    []int      `json:"labels"`    // one per training matrix, 0..c-1

	ready   bool      // Prepare has derived the fields below
	vectors []float64 // the training matrices in the flat space below the metric; nil if there is none
}

// FitMatrixKNN copies the training matrices. It returns an error that names the matrix, the class or the option that is
// not valid, or the error of ctx.
func FitMatrixKNN(ctx context.Context, x *spd.Stack, labels []int, classes []string,
	opt MatrixKNNOptions) (*MatrixKNN, error) {
	if err := common.CheckStack(x, labels, classes, 1); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	metric, err := spd.ParseMetric(string(opt.Metric))
	if err != nil {
		return nil, err
	}
	opt.K = cmp.Or(opt.K, min(5, x.Count))
	if opt.Smoothing == 0 {
		opt.Smoothing = 1 / float64(len(classes))
	}
	m := &MatrixKNN{Classes: slices.Clone(classes), Metric: metric, K: opt.K, Smoothing: opt.Smoothing,
		Matrices: x.Clone(), Labels: slices.Clone(labels)}
	if err := m.prepare(ctx); err != nil {
		return nil, err
	}
	if m.vectors == nil { // detects matrices that are not positive definite
		if err := spd.LogVectors(ctx, new(mat.Dense), x); err != nil {
			return nil, err
		}
		if err := spd.Distances(ctx, new(mat.Dense), metric, x, x.Slice(0, 1)); err != nil { // beyond the range
			return nil, err
		}
	}
	return m, nil
}

// NumClasses returns the number c of classes.
func (m *MatrixKNN) NumClasses() int { return len(m.Classes) }

// Dim returns the order of the matrices.
func (m *MatrixKNN) Dim() int { return m.Matrices.Dim }

// LogPosterior writes the N×c log-probabilities of the matrices of x to dst. An empty dst is resized; another shape
// panics with mat.ErrShape. Errors name the matrix. The cost is one distance per pair of matrices. With spd.Riemann,
// most of these are log-Euclidean distances, which are cheaper. If ctx ends, it returns the error of ctx, and the
// contents of dst are undefined.
func (m *MatrixKNN) LogPosterior(ctx context.Context, dst *mat.Dense, x *spd.Stack) error {
	if err := common.CheckOrder(x, m.Dim()); err != nil {
		return err
	}
	rows.Shape(dst, x.Count, m.NumClasses())
	if x.Count == 0 {
		return nil
	}
	s := knnSearches.Get().(*knnSearch)
	defer knnSearches.Put(s)
	if err := s.neighbors(ctx, m, x); err != nil {
		return err
	}
	for i := range x.Count {
		common.Vote(dst.RawRowView(i), s.near[i*m.K:(i+1)*m.K], m.Labels, m.Smoothing)
	}
	return nil
}

// Predict returns the most probable class of each matrix; the first class wins ties.
func (m *MatrixKNN) Predict(ctx context.Context, x *spd.Stack) ([]int, error) {
	return argmax.Matrices(ctx, m.LogPosterior, x)
}

// knnSearch has the variables of a search for neighbors.
type knnSearch struct {
	ctx  context.Context
	m    *MatrixKNN
	x    *spd.Stack
	rows mat.Dense // the vectors of x
	near []int     // the K nearest training matrices of each matrix of x, nearest first
	work []*knnWork
	errs []error
}

var knnSearches = sync.Pool{New: func() any { return new(knnSearch) }}

// neighbors finds the nearest training matrices of each matrix of x.
func (s *knnSearch) neighbors(ctx context.Context, m *MatrixKNN, x *spd.Stack) (err error) {
	if m.vectors == nil {
		s.near, err = m.neighborsByAll(ctx, x)
		return err
	}
	p := len(m.vectors) / m.Matrices.Count
	rows.Reshape(&s.rows, x.Count, p)
	if err := m.Metric.Below().Rows(ctx, &s.rows, x); err != nil {
		return err
	}
	s.ctx, s.m, s.x = ctx, m, x
	defer func() { s.ctx, s.m, s.x = nil, nil, nil }()
	vec.Room(&s.near, x.Count*m.K)
	vec.Room(&s.errs, x.Count)
	for len(s.work) < par.Workers(x.Count, 1) {
		s.work = append(s.work, new(knnWork))
	}
	par.ForWith(x.Count, 1, s, (*knnSearch).one)
	return cmp.Or(s.errs...)
}

// one finds the neighbors of matrix i.
func (s *knnSearch) one(worker, i, _ int) {
	if s.errs[i] = s.ctx.Err(); s.errs[i] != nil {
		return
	}
	m, w, near := s.m, s.work[worker], s.near[i*s.m.K:(i+1)*s.m.K]
	w.fill(m, s.rows.RawRowView(i))
	if m.Metric.Flat() != nil { // these are the exact distances
		for j := range near {
			near[j] = w.pop().index
		}
		return
	}
	w.one = spd.Stack{Count: 1, Dim: m.Dim(), Stride: s.x.Stride, Data: s.x.At(i)}
	if err := w.refine(s.ctx, m, &w.one, near); err != nil {
		s.errs[i] = common.Shifted(err, i)
	}
	w.one = spd.Stack{}
}

// neighborsByAll computes every distance, for one block of matrices at a time.
func (m *MatrixKNN) neighborsByAll(ctx context.Context, x *spd.Stack) ([]int, error) {
	out := make([]int, 0, x.Count*m.K)
	block := max(1, min(256, (1<<16)/m.Matrices.Count)) // a few tenths of a second at most
	var w knnWork
	for lo := 0; lo < x.Count; lo += block {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		part := x.Slice(lo, min(lo+block, x.Count))
		var d mat.Dense
		if err := spd.Distances(ctx, &d, m.Metric, part, m.Matrices); err != nil {
			return nil, common.Shifted(err, lo)
		}
		for i := range part.Count {
			w.heap = w.heap[:0]
			for k, v := range d.RawRowView(i) {
				w.heap = append(w.heap, candidate{v, k})
			}
			w.order()
			for range m.K {
				out = append(out, w.pop().index)
			}
		}
	}
	return out, nil
}

// candidate is a training matrix with its distance, or with a bound on the distance.
type candidate struct {
	distance float64
	index    int
}

// before orders candidates by distance, then by index.
func (a candidate) before(b candidate) bool {
	return a.distance < b.distance || a.distance == b.distance && a.index < b.index
}

// knnWork is the memory of one worker: a heap with the nearest candidate first, and memory for the exact distances.
type knnWork struct {
	heap     []candidate
	found    []candidate
	one      spd.Stack // the matrix
	batch    *spd.Stack
	distance mat.Dense
}

// fill builds a heap of the distances to the vector v in the flat space.
func (w *knnWork) fill(m *MatrixKNN, v []float64) {
	w.heap = w.heap[:0]
	p := len(v)
	for k := range m.Matrices.Count {
		w.heap = append(w.heap, candidate{math.Sqrt(vec.SquaredDistance(m.vectors[k*p:(k+1)*p], v)), k})
	}
	w.order()
}

// order arranges the candidates as a heap.
func (w *knnWork) order() {
	for i := len(w.heap)/2 - 1; i >= 0; i-- {
		w.sink(i)
	}
}

func (w *knnWork) sink(i int) {
	h := w.heap
	for {
		c := 2*i + 1
		if c >= len(h) {
			return
		}
		if c+1 < len(h) && h[c+1].before(h[c]) {
			c++
		}
		if !h[c].before(h[i]) {
			return
		}
		h[i], h[c] = h[c], h[i]
		i = c
	}
}

func (w *knnWork) pop() candidate {
	top, last := w.heap[0], len(w.heap)-1
	w.heap[0] = w.heap[last]
	w.heap = w.heap[:last]
	w.sink(0)
	return top
}

// knnBatch is the number of exact distances that are computed at a time.
const knnBatch = 8

// refine writes the indices of the nearest matrices in the metric to out. It tries candidates in the order of their
// bounds.
func (w *knnWork) refine(ctx context.Context, m *MatrixKNN, one *spd.Stack, out []int) error {
	if w.batch == nil || w.batch.Dim != m.Dim() {
		w.batch = spd.NewStack(knnBatch, m.Dim())
	}
	part := w.batch
	w.found = w.found[:0]
	for len(w.heap) > 0 {
		// Rounding errors of both distances must not exclude a neighbor.
		if len(w.found) == len(out) && w.heap[0].distance*(1-1e-9) > w.found[len(out)-1].distance {
			break
		}
		count := min(knnBatch, len(w.heap))
		part.Count = count
		var index [knnBatch]int
		for j := range count {
			index[j] = w.pop().index
			copy(part.At(j), m.Matrices.At(index[j]))
		}
		w.distance.Reset()
		if err := spd.Distances(ctx, &w.distance, m.Metric, one, part); err != nil {
			return err
		}
		for j := range count {
			w.found = append(w.found, candidate{w.distance.At(0, j), index[j]})
		}
		slices.SortFunc(w.found, func(a, b candidate) int {
			if a.before(b) {
				return -1
			}
			return 1
		})
		w.found = w.found[:min(len(out), len(w.found))]
	}
	for j, f := range w.found {
		out[j] = f.index
	}
	return nil
}

// Prepare checks the exported fields and derives the other fields from them. Call it after reading the fields from a
// file.
func (m *MatrixKNN) Prepare() error { return m.prepare(context.Background()) }

// prepare does the work of Prepare. It returns the error of ctx when ctx ends.
func (m *MatrixKNN) prepare(ctx context.Context) error {
	if err := m.check(); err != nil {
		return err
	}
	m.vectors = nil
	if f := m.Metric.Below(); f != nil {
		var err error
		if m.vectors, err = f.Vectors(ctx, m.Matrices, "matrix"); err != nil {
			return fmt.Errorf("training matrices: %w", err)
		}
	}
	m.ready = true
	return nil
}

// Validate returns an error if the exported fields are inconsistent or the model has not been prepared. It does not
// modify the model.
func (m *MatrixKNN) Validate() error { return common.Prepared(m.check(), m.ready) }

func (m *MatrixKNN) check() error {
	if _, err := spd.ParseMetric(string(m.Metric)); err != nil {
		return err
	}
	if m.Matrices == nil {
		return fmt.Errorf("the model has no training matrices; fit it again")
	}
	if err := common.CheckStack(m.Matrices, m.Labels, m.Classes, 0); err != nil {
		return err
	}
	if m.K < 1 || m.K > m.Matrices.Count {
		return fmt.Errorf("the number of neighbors is %d; it must be between 1 and %d, the number of training "+
			"matrices", m.K, m.Matrices.Count)
	}
	if !vec.Positive(m.Smoothing) {
		return fmt.Errorf("the smoothing is %g; it must be positive and finite", m.Smoothing)
	}
	return nil
}
