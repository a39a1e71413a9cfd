package model

import (
	"fmt"
	"math"
	"slices"

	"rao/internal/linalg/vec"
	"rao/internal/naming"
)

// far records which observations of a call are far outside the training data.
type far struct {
	is     []bool
	absurd []bool    // beyond the range of the arithmetic
	flat   []bool    // vectors of equal values, unlike the training data
	factor []float64 // multiple of the usual value or, with a column, of the column's standard deviation
	column []int32   // number, from 1, of the column that is outside; 0: the entire observation is outside
}

func newFar(n int) *far {
	flags := make([]bool, 3*n)
	return &far{flags[:n:n], flags[n : 2*n : 2*n], flags[2*n:], make([]float64, n), make([]int32, n)}
}

// measure finds the matrices of b far outside the training data. Matrices beyond the range of the arithmetic are
// replaced by the identity, so they do not affect others. moves is true if the matrices are adapted afterwards.
func (f *far) measure(m *Model, b *Batch, moves bool) {
	x := b.Stack
	for k := range x.Count {
		f.factor[k], f.is[k], f.absurd[k] = m.Training.Range.power(x.At(k), x.Dim, moves)
		f.column[k] = 0
		if !f.absurd[k] {
			continue
		}
		if b.Stack == x {
			b.Stack = x.Clone()
		}
		copy(b.Stack.At(k), vec.Identity(x.Dim))
	}
}

// outliers counts observations that are far outside the training data.
type outliers struct {
	of, count int
	first     int     // index of the first outlier
	factor    float64 // as in far; 0 if unknown
	flat      bool    // all values of the first outlier are equal
	column    string  // the column of the first outlier that is outside; empty if the entire observation is outside
}

// outliers counts the outliers among observations of the columns. The first observation has index first.
func (f *far) outliers(is []bool, first int, columns []string) outliers {
	o := outliers{of: len(is)}
	for i, yes := range is {
		if !yes {
			continue
		}
		if o.count == 0 {
			o.first, o.flat = first+i, f.flat[i]
			if v := f.factor[i]; f.is[i] && vec.Positive(v) {
				o.factor = v
			}
			if j := int(f.column[i]) - 1; f.is[i] && j >= 0 {
				o.column = naming.Class(columns, j)
			}
		}
		o.count++
	}
	return o
}

// notes returns a note on the outliers, or nil if there are none.
func (o outliers) notes() []string {
	if o.count == 0 {
		return nil
	}
	what := fmt.Sprintf("observations far outside the training data: %d of %d; check their units and scaling",
		o.count, o.of)
	switch {
	case o.flat:
		return []string{fmt.Sprintf("%s (the first is observation %d, whose values are all equal)", what, o.first)}
	case o.column != "" && o.factor > 0:
		return []string{fmt.Sprintf("%s (the first is observation %d, whose column %s differs from its mean by %.3g "+
			"standard deviations)", what, o.first, o.column, o.factor)}
	case o.column != "":
		return []string{fmt.Sprintf("%s (the first is observation %d, whose column %s was constant in the training "+
			"data)", what, o.first, o.column)}
	case o.factor > 0:
		return []string{fmt.Sprintf("%s (the first is observation %d, at %.3g times the usual size)",
			what, o.first, o.factor)}
	}
	return []string{fmt.Sprintf("%s (the first is observation %d)", what, o.first)}
}

// AddNotes adds the notes of the prediction for the next block of data, so p.Notes are the notes on all blocks. The
// note on outliers, if any, comes first.
func (p *Prediction) AddNotes(next *Prediction) {
	single := slices.Concat(p.outliers.notes(), next.outliers.notes()) // replaced by one note on all blocks
	more := slices.Concat(p.Notes, next.Notes)
	if sum := &p.outliers; sum.count == 0 {
		of := sum.of
		*sum = next.outliers
		sum.of += of
	} else {
		sum.of += next.outliers.of
		sum.count += next.outliers.count
	}
	p.Notes = p.outliers.notes()
	for _, s := range more {
		if !slices.Contains(single, s) && !slices.Contains(p.Notes, s) {
			p.Notes = append(p.Notes, s)
		}
	}
}

// usable reports whether a row has valid log-posteriors; see best.
func usable(logp []float64) bool {
	_, ok := best(logp)
	return ok
}

// best returns the index of the largest log-posterior, the first one in a tie, and whether the row is valid: no value
// is NaN or +Inf, and not all are -Inf.
func best(logp []float64) (label int, usable bool) {
	top, bottom := int64(math.MinInt64), int64(math.MaxInt64)
	for _, v := range logp {
		top, bottom = max(top, rank(v)), min(bottom, rank(v))
	}
	for j := len(logp) - 1; j >= 0; j-- {
		if rank(logp[j]) == top {
			label = j
		}
	}
	return label, bottom >= rank(math.Inf(-1)) && top >= rank(-math.MaxFloat64) && top <= rank(math.MaxFloat64)
}

// rank maps values to integers in the same order; NaN is beyond all other values at either end. Comparing ranks needs
// no branch that the processor might mispredict.
func rank(v float64) int64 {
	bits := int64(math.Float64bits(v))
	return bits ^ int64(uint64(bits>>63)>>1)
}

func uniform(logp []float64) {
	for j := range logp {
		logp[j] = -math.Log(float64(len(logp)))
	}
}
