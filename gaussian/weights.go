package gaussian

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/classcolumns"
	"rao/internal/indices"
	"rao/internal/linalg/dense"
	"rao/internal/linalg/vec"
	"rao/internal/moments"
)

// A row of weight w counts as w equal rows. With the weights w_i of a class and their sum W,
//
//	μ = Σ w_i x_i / W,  Φ = Σ w_i (x_i - μ)(x_i - μ)' / (W - 1),
//
// and the shares of the classes are proportional to W. Integer weights give the statistics of repeated rows up to
// rounding. Rows of weight 0 are left out.

// Weight returns the weight of class i: the sum of the weights of its observations, or their number if they have no
// weights.
func (s *Statistics) Weight(i int) float64 { return classcolumns.WeightOf(s.Counts, s.Weights, i) }

// setWeight sets the number of observations of a class, and their weight if they are weighted.
func (s *Statistics) setWeight(i, rows int, weight float64) {
	if s.Counts[i] = rows; s.Weights != nil {
		s.Weights[i] = weight
	}
}

// sameWeighting returns an error if only one of the two has weighted rows.
func sameWeighting(s, t *Statistics) error {
	if (s.Weights == nil) != (t.Weights == nil) {
		return mixedWeights(1, t.Weights != nil)
	}
	return nil
}

// mixedWeights returns the error for a part (counted from 0) that differs from the first part in whether its rows have
// weights; weighted is true if the rows of the part do.
func mixedWeights(part int, weighted bool) error {
	with, without := 1, part+1
	if weighted {
		with, without = without, with
	}
	return fmt.Errorf("the rows of part %d have weights but the rows of part %d do not; compute both with weights, or "+
		"both without", with, without)
}

// WeightedAccumulator computes [Statistics] of rows with weights, in double precision. Rows are collected in blocks of
// a fixed size per class, so the result has the same bits however the rows are split over calls, and at any GOMAXPROCS.
// For c classes and n columns, it needs memory for c·n² values and c blocks of rows. One goroutine may use it at a
// time.
type WeightedAccumulator struct {
	dim, rows int
	state     []weightedSums
	sums      dense.Centered[float64]
	zero      []float64      // pivot for rows that are already centered
	ignored   []float64      // sums of the centered rows, which are not used
	block     *moments.Class // moments of one block
	lines     [][]float64    // rows of one block
}

// weightedSums are the sums of one class.
type weightedSums struct {
	all  *moments.Class
	x, w []float64 // rows that wait for a full block, and their weights
}

// NewWeightedAccumulator returns an accumulator for rows of dim values in the given number of classes. It panics if
// either is below one.
func NewWeightedAccumulator(dim, classes int) *WeightedAccumulator {
	if dim < 1 || classes < 1 {
		panic("gaussian: an accumulator needs at least one dimension and one class")
	}
	a := &WeightedAccumulator{dim: dim, state: make([]weightedSums, classes), zero: make([]float64, dim),
		ignored: make([]float64, dim), block: newMoments(dim)}
	for i := range a.state {
		a.state[i].all = newMoments(dim)
	}
	return a
}

func newMoments(n int) *moments.Class {
	return &moments.Class{Mean: make([]float64, n), Scatter: make([]float64, n*n)}
}

// weightedBlock is the number of rows of a class that are added at a time.
const weightedBlock = 256

// Add adds the rows of x. labels[i] in [0,classes) is the class of row i, and weights[i], finite and not negative, its
// weight. Rows of weight 0 are not counted. It returns an error if the lengths differ, a label or a weight is out of
// range, or a value or its square is not finite. The error names the row, counted from 0 over all calls.
func (a *WeightedAccumulator) Add(x mat.Matrix, labels []int, weights []float64) error {
	rows, cols := x.Dims()
	switch {
	case rows != len(labels):
		return indices.CheckOnePer("label", len(labels), "row", rows)
	case rows != len(weights):
		return indices.CheckOnePer("weight", len(weights), "row", rows)
	case cols != a.dim && rows > 0:
		return indices.CheckColumns(cols, a.dim, "the statistics have")
	}
	for i, label := range labels {
		w := weights[i]
		if err := indices.CheckLabel("row", a.rows+i, label, len(a.state)); err != nil {
			return err
		}
		if !vec.Finite(w) || w < 0 {
			return &rao.ValueError{Row: a.rows + i, Col: -1, Value: w, Message: fmt.Sprintf("row %d has weight %v; "+
				"weights must be finite and not negative", a.rows+i, w)}
		}
		for j := range cols {
			if v := x.At(i, j); !vec.Finite(v * v) {
				return &rao.ValueError{Row: a.rows + i, Col: j, Value: v}
			}
		}
		if w == 0 {
			continue
		}
		s := &a.state[label]
		for j := range cols {
			s.x = append(s.x, x.At(i, j))
		}
		if s.w = append(s.w, w); len(s.w) == weightedBlock {
			a.add(s)
		}
	}
	a.rows += rows
	return nil
}

// add adds the waiting rows to the sums of their class, about their own mean.
func (a *WeightedAccumulator) add(s *weightedSums) {
	n, b := a.dim, a.block
	if len(s.w) == 0 {
		return
	}
	b.Rows, b.Count = len(s.w), 0
	clear(b.Mean)
	clear(b.Scatter)
	for i, w := range s.w { // the mean moves by the share of each row, which is exact for equal rows
		b.Count += w
		for j, v := range s.x[i*n : (i+1)*n] {
			b.Mean[j] += w / b.Count * (v - b.Mean[j])
		}
	}
	a.lines = a.lines[:0]
	for i, w := range s.w {
		row := s.x[i*n : (i+1)*n : (i+1)*n]
		root := math.Sqrt(w)
		for j := range row {
			row[j] = root * (row[j] - b.Mean[j])
		}
		a.lines = append(a.lines, row)
	}
	a.sums.Add(a.lines, a.zero, a.ignored, b.Scatter, n)
	dense.Mirror(n, b.Scatter, n)
	s.all.Add(b)
	s.x, s.w = s.x[:0], s.w[:0]
}

// Finish returns the statistics. The accumulator cannot be used afterwards. names are the class names. It returns an
// error if the number of names is not the number of classes, or if the weights of a class sum to 1 or less, because the
// class then has no covariance.
func (a *WeightedAccumulator) Finish(names []string) (*Statistics, error) {
	if len(names) != len(a.state) {
		return nil, fmt.Errorf("the number of class names is %d, but the number of classes is %d; every class needs "+
			"one name",
			len(names), len(a.state))
	}
	out := New(names, a.dim)
	out.Weights = make([]float64, len(names))
	for i := range a.state {
		s := &a.state[i]
		a.add(s)
		out.setClass(i, s.all)
		if s.all.Rows > 0 && s.all.Count <= 1 {
			return nil, fmt.Errorf("the weights of class %s sum to %v, but a weight is a number of rows; scale all "+
				"weights so that their sum in each class is above 1", out.Name(i), s.all.Count)
		}
	}
	return out, nil
}
