package gaussian

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/faults"
	"rao/internal/indices"
	"rao/internal/linalg/dense"
	"rao/internal/linalg/vec"
	"rao/internal/moments"
	"rao/internal/naming"
)

// A row of weight w counts as w equal rows. With the weights w_i of a class and their sum W,
//
//	μ = Σ w_i x_i / W,  Φ = Σ w_i (x_i - μ)(x_i - μ)' / (W - 1),
//
// and the shares of the classes are proportional to W. Integer weights give the statistics of repeated rows up to
// rounding. Rows of weight 0 are left out.

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
	return faults.Data("the rows of part %d have weights but the rows of part %d do not; compute both with weights, "+
		"or both without", with, without)
}

// weightedSums are the sums of rows with weights, in double precision.
type weightedSums struct {
	classes []weightedClass
	sums    dense.Centered[float64]
	zero    []float64      // pivot for rows that are already centered
	ignored []float64      // sums of the centered rows, which are not used
	block   *moments.Class // moments of one block
	lines   [][]float64    // rows of one block
}

// weightedClass are the sums of one class.
type weightedClass struct {
	all  *moments.Class
	x, w []float64 // rows that wait for a full block, and their weights
}

// newWeightedSums returns empty sums of the rows of an accumulator, in the memory of its sums.
func newWeightedSums(a *Accumulator) *weightedSums {
	n := a.dim
	w := &weightedSums{classes: make([]weightedClass, len(a.state)), zero: make([]float64, n),
		ignored: make([]float64, n), block: &moments.Class{Mean: make([]float64, n), Scatter: make([]float64, n*n)}}
	for i := range w.classes {
		w.classes[i].all = &moments.Class{Mean: make([]float64, n), Scatter: a.state[i].second}
	}
	return w
}

// weightedBlock is the number of rows of a class that are added at a time.
const weightedBlock = 256

// AddWeighted is like [Accumulator.Add] for rows with weights, in double precision; nil weights are all 1. weights[i],
// finite and not negative, is the weight of row i: a row of weight w counts as w equal rows, and a row of weight 0 is
// left out. An accumulator can add rows with weights or without, but not both, and no third and fourth moments of rows
// with weights. AddWeighted also returns an error if a weight is out of range, or the square of a value is not finite.
func (a *Accumulator) AddWeighted(x mat.Matrix, labels []int, weights []float64) error {
	if weights == nil {
		return a.Add(x, labels)
	}
	n, cols := x.Dims()
	if err := a.fits(n, cols, labels); err != nil {
		return err
	}
	switch {
	case n != len(weights):
		a.err = indices.CheckOnePer("weight", len(weights), "row", n)
		return a.err
	case a.weighted == nil && a.rows > 0:
		a.err = errMixed
		return a.err
	case a.state[0].cubic != nil:
		a.err = errors.New("third and fourth moments do not support weights; leave out one of them")
		return a.err
	case a.weighted == nil:
		a.weighted = newWeightedSums(a)
	}
	for i := range n {
		if a.err = a.addWeighted(x, i, labels[i], weights[i]); a.err != nil {
			return a.err
		}
	}
	a.rows += n
	return nil
}

var errMixed = errors.New("rows with weights and rows without cannot be added to the same statistics; give each row " +
	"a weight, or none")

// addWeighted adds row i of x.
func (a *Accumulator) addWeighted(x mat.Matrix, i, label int, w float64) error {
	if err := indices.CheckLabel("row", a.rows+i, label, len(a.state)); err != nil {
		return err
	}
	if !vec.NotNegative(w) {
		return &rao.ValueError{Row: a.rows + i, Col: -1, Value: w, Message: fmt.Sprintf("row %d has weight %v; "+
			"weights must be finite and not negative", a.rows+i, w)}
	}
	for j := range a.dim {
		if v := x.At(i, j); !vec.Finite(v * v) {
			return &rao.ValueError{Row: a.rows + i, Col: j, Value: v}
		}
	}
	if w == 0 {
		return nil
	}
	s := &a.weighted.classes[label]
	for j := range a.dim {
		s.x = append(s.x, x.At(i, j))
	}
	if s.w = append(s.w, w); len(s.w) == weightedBlock {
		a.weighted.add(s)
	}
	return nil
}

// add adds the waiting rows to the sums of their class, about their own mean.
func (a *weightedSums) add(s *weightedClass) {
	n, b := len(a.zero), a.block
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

// statistics writes the statistics of all rows to out. If its covariances are not the memory of the sums, more rows can
// be added later. It returns an error if the weights of a class sum to 1 or less, because the class then has no
// covariance.
func (a *weightedSums) statistics(out *Statistics) error {
	out.Weights = make([]float64, len(a.classes))
	for i := range a.classes {
		s := a.classes[i]
		if memory := out.cov(i); &memory[0] != &s.all.Scatter[0] {
			all := *s.all
			all.Mean, all.Scatter = slices.Clone(all.Mean), memory
			copy(memory, s.all.Scatter)
			s.all, s.x = &all, slices.Clone(s.x)
		}
		a.add(&s)
		out.setClass(i, s.all)
		if s.all.Rows > 0 && s.all.Count <= 1 {
			return faults.Data("the weights of class %s sum to %v, but a weight is a number of rows; scale all "+
				"weights so that their sum in each class is above 1", naming.Class(out.Classes, i), s.all.Count)
		}
	}
	return nil
}
