package model

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao/internal/rows"
)

// Drift says how far observations have moved from those that a model was fitted to. Its JSON
// names do not change.
type Drift struct {
	N      int           `json:"n"`
	Values []DriftColumn `json:"values"` // columns of vectors, or the logarithm of the power of channels
	// Outliers is the share of observations far outside the training; Balance is half the sum
	// of the differences of the classes' shares, 0 to 1. Both are NaN in a model without a
	// classifier.
	Outliers float64      `json:"-"`
	Balance  float64      `json:"-"`
	Shares   []ClassShare `json:"classes,omitempty"`
}

// DriftColumn is a column or channel.
type DriftColumn struct {
	Name    string  `json:"name"`
	Shift   float64 `json:"shift"`  // of the mean, in standard deviations of the training
	Spread  float64 `json:"spread"` // standard deviation over that of the training
	Missing float64 `json:"missing"`
	N       int     `json:"-"` // values
}

// ClassShare is the share of a class in the training and among the decisions.
type ClassShare struct {
	Class    string  `json:"class"`
	Training float64 `json:"training"`
	Decided  float64 `json:"decided"`
}

// Beyond reports whether the shift is larger than limit by three times its standard error.
func (c *DriftColumn) Beyond(limit float64) bool {
	return math.Abs(c.Shift) > limit+3/math.Sqrt(float64(max(1, c.N)))
}

// DriftWatch compares observations with those that a model was fitted to.
type DriftWatch struct {
	m        *Model
	n        int
	count    []int
	sum      []float64 // of values in units of the training
	squares  []float64
	outliers int
	decided  []int
}

// WatchDrift returns a watch that has seen nothing. It is an error when the model does not
// know where its training lay, as those that were fitted by versions before this one.
func (m *Model) WatchDrift() (*DriftWatch, error) {
	n := len(m.Training.Range.Usual)
	if n != m.Input.Dim || len(m.Training.Range.Deviations) != n {
		return nil, errors.New("the model does not know where each value of its training lay; fit it again with " +
			"this version")
	}
	return &DriftWatch{m: m, count: make([]int, n), sum: make([]float64, n), squares: make([]float64, n),
		decided: make([]int, len(m.Classes))}, nil
}

// Add looks at the next observations, and decides on them where the model has a classifier.
func (w *DriftWatch) Add(ctx context.Context, b Batch) error {
	in, err := w.m.take(ctx, b)
	if err != nil {
		return err
	}
	if in.Kind() == KindVectors {
		w.vectors(in)
	} else {
		row := make([]float64, in.Dim())
		for k := range in.Len() {
			logPowers(row, in.Stack.At(k))
			w.row(row)
		}
	}
	w.n += in.Len()
	if w.m.Classifier == nil {
		return nil
	}
	p, err := w.m.Predict(ctx, b)
	if err != nil {
		return err
	}
	for i, far := range p.Outlier {
		w.decided[p.Label[i]]++
		if far {
			w.outliers++
		}
	}
	return nil
}

func (w *DriftWatch) vectors(in Batch) {
	reader, n := rows.New(in.X), in.Len()
	x := mat.NewDense(min(blockRows, n), in.Dim(), nil)
	for lo := 0; lo < n; lo += blockRows {
		hi := min(lo+blockRows, n)
		raw := x.RawMatrix()
		reader.Read(raw.Data, raw.Stride, lo, hi, nil)
		part := x.Slice(0, hi-lo, 0, in.Dim()).(*mat.Dense)
		reorderRows(part, in.order)
		for i := range hi - lo {
			w.row(part.RawRowView(i))
		}
	}
}

// row adds the values of one observation.
func (w *DriftWatch) row(row []float64) {
	r := &w.m.Training.Range
	for j, v := range row {
		if math.IsNaN(v) {
			continue
		}
		z := inUnits(v-r.Usual[j], r.Deviations[j])
		w.count[j]++
		w.sum[j] += z
		w.squares[j] += z * z
	}
}

// inUnits is a difference in standard deviations. A value that never changed in the training
// is as far off as it differs, in units of itself.
func inUnits(d, sd float64) float64 {
	if sd > 0 {
		return d / sd
	}
	return d
}

// Drift returns what was seen so far.
func (w *DriftWatch) Drift() *Drift {
	d := &Drift{N: w.n, Outliers: math.NaN(), Balance: math.NaN()}
	in := w.m.Input
	names := in.Columns
	if in.Kind == KindMatrices {
		names = in.Channels
	}
	for j, n := range w.count {
		c := DriftColumn{Name: fmt.Sprint(j), N: n, Missing: 1 - float64(n)/float64(max(1, w.n))}
		if names != nil {
			c.Name = names[j]
		}
		if n > 0 {
			c.Shift = w.sum[j] / float64(n)
			c.Spread = math.Sqrt(max(0, w.squares[j]/float64(n)-c.Shift*c.Shift))
		}
		d.Values = append(d.Values, c)
	}
	if w.m.Classifier == nil || w.n == 0 {
		return d
	}
	d.Outliers, d.Balance = float64(w.outliers)/float64(w.n), 0
	total := 0
	for _, n := range w.m.Training.Counts {
		total += n
	}
	for k, name := range w.m.Classes {
		c := ClassShare{Class: name, Decided: float64(w.decided[k]) / float64(w.n)}
		if k < len(w.m.Training.Counts) {
			c.Training = float64(w.m.Training.Counts[k]) / float64(max(1, total))
		}
		d.Balance += math.Abs(c.Training-c.Decided) / 2
		d.Shares = append(d.Shares, c)
	}
	return d
}
