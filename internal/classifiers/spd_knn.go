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
	"rao/internal/faults"
	"rao/internal/indices"
	"rao/internal/linalg/vec"
	"rao/internal/nearest"
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
// The exported fields determine the model. If you set them yourself, call [MatrixKNN.Validate].
type MatrixKNN struct {
	Classes   []string   `json:"classes"`   // c class names
	Metric    spd.Metric `json:"metric"`    // metric of the distances
	K         int        `json:"k"`         // number of neighbors
	Smoothing float64    `json:"smoothing"` // initial votes of each class
	Matrices  *spd.Stack `json:"matrices"`  // training matrices
	Labels    []int      `json:"labels"`    // one per training matrix, 0..c-1

	ready bool                // derive has set the field below
	below *nearest.References // the training matrices in the flat space below the metric; nil if there is none
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
	opt.Smoothing = cmp.Or(opt.Smoothing, 1/float64(len(classes)))
	m := &MatrixKNN{Classes: slices.Clone(classes), Metric: metric, K: opt.K, Smoothing: opt.Smoothing,
		Matrices: x.Clone(), Labels: slices.Clone(labels)}
	if err := m.check(); err != nil {
		return nil, err
	}
	if err := m.derive(ctx); err != nil {
		return nil, err
	}
	if m.below == nil { // detects matrices that are not positive definite
		if err := spd.LogEuclid.Flat().Rows(ctx, new(mat.Dense), x); err != nil {
			return nil, err
		}
		if err := spd.Distances(ctx, new(mat.Dense), metric, x, x.Slice(0, 1)); err != nil { // beyond the range
			return nil, err
		}
	}
	return m, nil
}

// Dims returns the order of the matrices, and the number of classes.
func (m *MatrixKNN) Dims() (in, classes int) { return m.Matrices.Dim, len(m.Classes) }

// LogPosterior writes the N×c log-probabilities of the matrices of x to dst. An empty dst is resized; another shape
// panics with mat.ErrShape. Matrices of another order give a *rao.ShapeError. Errors about a matrix name it. The cost
// is one distance from each matrix of x to each training matrix. With spd.Riemann, most of these are log-Euclidean
// distances, which are cheaper. If ctx ends, LogPosterior returns the error of ctx, and the contents of dst are
// undefined.
func (m *MatrixKNN) LogPosterior(ctx context.Context, dst *mat.Dense, x *spd.Stack) error {
	if err := common.CheckOrder(x, m.Matrices.Dim); err != nil {
		return err
	}
	rows.Shape(dst, x.Count, len(m.Classes))
	s := knnSearches.Get().(*knnSearch)
	defer knnSearches.Put(s)
	for lo := 0; lo < x.Count; lo += knnBlock {
		part := x
		if x.Count > knnBlock {
			part = x.Slice(lo, min(lo+knnBlock, x.Count))
		}
		near, err := s.neighbors(ctx, m, part)
		if err != nil {
			return common.Shifted(err, lo)
		}
		for i := range part.Count {
			common.Vote(dst.RawRowView(lo+i), near[i*m.K:(i+1)*m.K], m.Labels, m.Smoothing)
		}
	}
	return nil
}

// knnBlock is the number of matrices for which the neighbors are in memory at a time.
const knnBlock = 1024

// Predict returns the most probable class of each matrix; the first class wins ties.
func (m *MatrixKNN) Predict(ctx context.Context, x *spd.Stack) ([]int, error) {
	return argmax.Matrices(ctx, m.LogPosterior, x)
}

// knnSearch has the variables of a search for neighbors.
type knnSearch struct {
	ctx   context.Context
	m     *MatrixKNN
	x     *spd.Stack
	rows  mat.Dense // the vectors of x
	few   int       // number of candidates for each matrix of x
	index []int     // the candidates of each matrix, nearest first in the flat space
	bound []float64 // their squared distances in the flat space
	near  []int     // the K nearest training matrices of each matrix of x, nearest first
	work  []*knnWork
	errs  []error
}

var knnSearches = sync.Pool{New: func() any { return new(knnSearch) }}

// neighbors returns the K nearest training matrices of each matrix of x, nearest first.
func (s *knnSearch) neighbors(ctx context.Context, m *MatrixKNN, x *spd.Stack) ([]int, error) {
	if m.below == nil {
		return m.neighborsByAll(ctx, x)
	}
	rows.Reshape(&s.rows, x.Count, vec.PackedLen(m.Matrices.Dim))
	if err := m.Metric.Below().Rows(ctx, &s.rows, x); err != nil {
		return nil, err
	}
	s.few = m.K
	if m.Metric.Flat() == nil {
		s.few = min(m.K+firstCandidates, m.Matrices.Count)
	}
	vec.Room(&s.index, x.Count*s.few)
	vec.Room(&s.bound, x.Count*s.few)
	err := m.below.Search(ctx, s.rows.RawMatrix().Data, x.Count, s.few, false, s.index, s.bound)
	if err != nil || m.Metric.Flat() != nil { // in a flat metric these are the distances
		return s.index, err
	}
	s.ctx, s.m, s.x = ctx, m, x
	defer func() { s.ctx, s.m, s.x = nil, nil, nil }()
	vec.Room(&s.near, x.Count*m.K)
	vec.Room(&s.errs, x.Count)
	for len(s.work) < par.Workers(x.Count, 1) {
		s.work = append(s.work, new(knnWork))
	}
	par.ForWith(x.Count, 1, s, (*knnSearch).one)
	return s.near, cmp.Or(s.errs...)
}

// one finds the neighbors of matrix i.
func (s *knnSearch) one(worker, i, _ int) {
	w, at := s.work[worker], i*s.few
	w.one = spd.Stack{Count: 1, Dim: s.m.Matrices.Dim, Stride: s.x.Stride, Data: s.x.At(i)}
	err := w.refine(s.ctx, s.m, s.rows.RawRowView(i), s.index[at:at+s.few], s.bound[at:at+s.few],
		s.near[i*s.m.K:(i+1)*s.m.K])
	w.one = spd.Stack{}
	if s.errs[i] = err; err != nil {
		s.errs[i] = common.Shifted(err, i)
	}
}

// neighborsByAll computes every distance, for one block of matrices at a time.
func (m *MatrixKNN) neighborsByAll(ctx context.Context, x *spd.Stack) ([]int, error) {
	out := make([]int, 0, x.Count*m.K)
	block := max(1, min(256, (1<<16)/m.Matrices.Count)) // a few tenths of a second at most
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
			out = append(out, ascending(d.RawRowView(i))[:m.K]...)
		}
	}
	return out, nil
}

// ascending returns the indices of the distances, smallest first.
func ascending(d []float64) []int {
	return indices.Sorted(len(d), func(i, j int) int { return cmp.Compare(d[i], d[j]) })
}

// knnWork is the memory of one worker for the exact distances.
type knnWork struct {
	found    []candidate
	one      spd.Stack // the matrix
	batch    *spd.Stack
	distance mat.Dense
}

// candidate is a training matrix with its distance.
type candidate struct {
	distance float64
	index    int
}

// knnBatch is the number of exact distances that are computed at a time, and firstCandidates the number of candidates
// beyond K that are listed first.
const knnBatch, firstCandidates = 8, 64

// refine writes the indices of the nearest matrices in the metric to out. It tries the candidates in the order of their
// bounds, and lists more of them if all listed ones were tried. row is the matrix in the flat space.
func (w *knnWork) refine(ctx context.Context, m *MatrixKNN, row []float64, index []int, bound []float64,
	out []int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if w.batch == nil || w.batch.Dim != m.Matrices.Dim {
		w.batch = spd.NewStack(knnBatch, m.Matrices.Dim)
	}
	part := w.batch
	w.found = w.found[:0]
	for at := 0; at < m.Matrices.Count; at += part.Count {
		if at == len(index) {
			more := min(4*at, m.Matrices.Count)
			index, bound = make([]int, more), make([]float64, more)
			if err := m.below.Search(ctx, row, 1, more, false, index, bound); err != nil {
				return err
			}
		}
		// Rounding errors of both distances must not exclude a neighbor.
		if len(w.found) == len(out) && math.Sqrt(bound[at])*(1-1e-9) > w.found[len(out)-1].distance {
			break
		}
		part.Count = min(knnBatch, len(index)-at)
		for j := range part.Count {
			copy(part.At(j), m.Matrices.At(index[at+j]))
		}
		w.distance.Reset()
		if err := spd.Distances(ctx, &w.distance, m.Metric, &w.one, part); err != nil {
			return err
		}
		for j := range part.Count {
			w.found = append(w.found, candidate{w.distance.At(0, j), index[at+j]})
		}
		slices.SortFunc(w.found, func(a, b candidate) int {
			return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.index, b.index))
		})
		w.found = w.found[:min(len(out), len(w.found))]
	}
	for j, f := range w.found {
		out[j] = f.index
	}
	return nil
}

// derive computes the unexported fields, unless they are there, from valid exported fields. It returns the error of ctx
// when ctx ends.
func (m *MatrixKNN) derive(ctx context.Context) error {
	if m.ready {
		return nil
	}
	if f := m.Metric.Below(); f != nil {
		vectors, err := f.Vectors(ctx, m.Matrices, "matrix")
		if err != nil {
			return fmt.Errorf("training matrices: %w", err)
		}
		m.below = nearest.New(vectors, m.Matrices.Count, vec.PackedLen(m.Matrices.Dim))
	}
	m.ready = true
	return nil
}

// Validate returns an error if the exported fields are invalid. It computes the unexported fields of a model whose
// fields were set by hand; of any other model it only reads, so other goroutines may predict.
func (m *MatrixKNN) Validate() error {
	if err := m.check(); err != nil {
		return err
	}
	return m.derive(context.Background())
}

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
		return faults.Option("the number of neighbors is %d; it must be between 1 and %d, the number of training "+
			"matrices", m.K, m.Matrices.Count)
	}
	if !vec.Positive(m.Smoothing) {
		return fmt.Errorf("the smoothing is %g; it must be positive and finite", m.Smoothing)
	}
	return nil
}
