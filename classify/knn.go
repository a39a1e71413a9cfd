package classify

import (
	"cmp"
	"context"
	"fmt"
	"sync"

	"gonum.org/v1/gonum/mat"

	"rao/internal/classifiers/common"
	"rao/internal/faults"
	"rao/internal/indices"
	"rao/internal/linalg/vec"
	"rao/internal/nearest"
	"rao/internal/rows"
)

// KNNOptions are the options of [FitKNN].
type KNNOptions struct {
	// K is the number of neighbors that vote, 1 to the number of training rows. Default 5, or all rows if there are
	// fewer.
	K int
	// Smoothing is the number of initial votes of each class, so no probability is zero. Default 1/c: one vote in
	// total.
	Smoothing float64
}

// KNN is a nearest-neighbor classifier: the K training rows with the smallest Euclidean distances vote. With v_i votes
// for class i,
//
//	p(i|x) = (v_i + s) / (K + c s)
//
// where s is the smoothing. The search is exact. Among equally distant rows, the first in the training data counts as
// nearer. If several classes have the most votes, the class of their nearest neighbor wins: it receives 2⁻⁴⁰ of an
// additional vote.
//
// The exported fields determine the model. If you set them yourself, call [KNN.Validate].
type KNN struct {
	Classes   []string   `json:"classes"`   // c class names
	K         int        `json:"k"`         // number of neighbors that vote
	Smoothing float64    `json:"smoothing"` // initial votes of each class
	Rows      *mat.Dense `json:"rows"`      // N×n training rows
	Labels    []int      `json:"labels"`    // N labels, 0..c-1

	search *nearest.References
}

// FitKNN stores a copy of the rows of x with their labels, 0..c-1 for c classes. It panics with mat.ErrShape if the
// number of labels differs from the number of rows.
//
// It returns an error if there are no rows or fewer than two classes, a label is out of range, a value is not finite
// (the error names its row and column), or an option is out of range.
func FitKNN(x mat.Matrix, labels []int, classes []string, opt KNNOptions) (*KNN, error) {
	in := rows.New(x)
	if len(labels) != in.Rows {
		panic(mat.ErrShape)
	}
	if in.Rows == 0 {
		return nil, faults.Count(0, 1, "there are no training rows; give at least one")
	}
	if err := in.CheckFinite(); err != nil {
		return nil, err
	}
	opt.K = cmp.Or(opt.K, min(5, in.Rows))
	if opt.Smoothing == 0 && len(classes) > 0 {
		opt.Smoothing = 1 / float64(len(classes))
	}
	data := make([]float64, in.Rows*in.Cols)
	in.Read(data, in.Cols, 0, in.Rows, nil)
	m := &KNN{Classes: append([]string(nil), classes...), K: opt.K, Smoothing: opt.Smoothing,
		Rows: mat.NewDense(in.Rows, in.Cols, data), Labels: append([]int(nil), labels...)}
	if err := m.Validate(); err != nil {
		return nil, err
	}
	return m, nil
}

// Dims returns n, the number of columns of the input, and the number of classes.
func (m *KNN) Dims() (in, classes int) { _, n := m.Rows.Dims(); return n, len(m.Classes) }

// votersBlock is the number of rows for which the neighbors are in memory at a time.
const votersBlock = 4096

// LogPosterior writes the N×c log-probabilities of the rows of x to dst. An empty dst is resized. It panics with
// mat.ErrShape if x does not have n columns or dst has another shape. The cost is 2n operations for each pair of a
// row and a training row. If ctx is canceled, it returns the error of ctx after the current block of rows.
func (m *KNN) LogPosterior(ctx context.Context, dst *mat.Dense, x mat.Matrix) error {
	in := rows.New(x)
	n, c := m.Dims()
	if in.Cols != n {
		panic(mat.ErrShape)
	}
	rows.Shape(dst, in.Rows, c)
	block := min(votersBlock, max(in.Rows, 1))
	w := knnWorks.Get().(*knnWork)
	defer knnWorks.Put(w)
	buf, distance := vec.Room(&w.buf, block*in.Cols), vec.Room(&w.distance, block*m.K)
	index := vec.Room(&w.index, block*m.K)
	for lo := 0; lo < in.Rows; lo += block {
		q := min(block, in.Rows-lo)
		in.Read(buf, in.Cols, lo, lo+q, nil)
		if err := m.search.Search(ctx, buf, q, m.K, false, index, distance); err != nil {
			return err
		}
		for i := range q {
			common.Vote(dst.RawRowView(lo+i), index[i*m.K:(i+1)*m.K], m.Labels, m.Smoothing)
		}
	}
	return nil
}

// knnWork is the scratch memory of predictions.
type knnWork struct {
	buf, distance []float64
	index         []int
}

var knnWorks = sync.Pool{New: func() any { return new(knnWork) }}

// Validate returns an error if the exported fields are invalid. It computes the unexported fields of a model whose
// fields were set by hand; of any other model it only reads, so other goroutines may predict.
func (m *KNN) Validate() error {
	c := len(m.Classes)
	if err := faults.OneClass(c); err != nil {
		return err
	}
	if m.Rows == nil || m.Rows.IsEmpty() {
		return fmt.Errorf("the model has no training rows; fit it again")
	}
	r, n := m.Rows.Dims()
	if err := indices.CheckOnePer("label", len(m.Labels), "training row", r); err != nil {
		return err
	}
	if err := indices.CheckLabels("row", m.Labels, c); err != nil {
		return err
	}
	if err := common.CheckVectors("training rows", m.Rows, r, n); err != nil {
		return err
	}
	if m.K < 1 || m.K > r {
		return faults.Option("the number of neighbors is %d, but there are %d training rows; choose a number "+
			"between 1 and %d", m.K, r, r)
	}
	if !vec.Positive(m.Smoothing) {
		return fmt.Errorf("the smoothing is %g; it must be positive and finite", m.Smoothing)
	}
	if m.search == nil {
		m.search = nearest.New(rows.New(m.Rows).All(nil), r, n)
	}
	return nil
}
