package model

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"rao/dataset"
	"rao/internal/linalg/vec"
	"rao/internal/recipes"
	"rao/internal/rows"
	"rao/recipe"
)

// Drift measures how far observations have moved from the training data of a model. Its JSON names never change.
type Drift struct {
	N      int           `json:"n"`      // number of observations
	Values []DriftColumn `json:"values"` // columns of vectors, or the logarithm of the power of channels
	// Outliers is the fraction of observations far from the training data. Balance is half the sum of the absolute
	// differences between the class frequencies in the training data and among the decisions, 0 to 1. Both are NaN for
	// a model without a classifier.
	Outliers float64      `json:"-"`
	Balance  float64      `json:"-"`
	Shares   []ClassShare `json:"classes,omitempty"` // frequencies of the classes
	// Columns has one entry per column of the table. It is nil if the model does not read a table.
	Columns []ColumnShare `json:"columns,omitempty"`
}

// ColumnShare is the share of rows with a missing value in a column of a table, or with a text that is not in the
// training data.
type ColumnShare struct {
	Name     string  `json:"name"`             // name of the column
	Missing  float64 `json:"missing"`          // share of rows without a value
	Training float64 `json:"missing_training"` // the share in the training data
	// Unseen is the share of rows with a text that is not in the training data. Rare texts of the training data that
	// the model does not store are not counted. It is 0 for a numeric column.
	Unseen float64 `json:"unseen"`
}

// DriftColumn is the drift of one column or channel.
type DriftColumn struct {
	Name    string  `json:"name"`    // name of the column or channel
	Shift   float64 `json:"shift"`   // shift of the mean, in standard deviations of the training data
	Spread  float64 `json:"spread"`  // standard deviation divided by the standard deviation in the training data
	Missing float64 `json:"missing"` // share of missing values
	N       int     `json:"-"`       // number of values
}

// ClassShare is the frequency of a class in the training data and among the decisions.
type ClassShare struct {
	Class    string  `json:"class"`    // name of the class
	Training float64 `json:"training"` // share in the training data
	Decided  float64 `json:"decided"`  // share among the decisions
}

// DriftWatch compares observations with the training data of a model. It is safe for concurrent use.
type DriftWatch struct {
	m    *Model
	seen *driftTally
}

// driftTally accumulates the observations. With a memory, old observations count less.
type driftTally struct {
	memory   float64
	mu       sync.Mutex
	n        float64
	units    []float64 // by column: one over the standard deviation in the training data
	count    []float64 // by column: number of values, weighted
	sum      []float64 // by column: sum of the values in these units
	squares  []float64
	outliers float64
	decided  []float64
	texts    float64   // number of observations with counted texts, weighted
	missing  []float64 // by column of the table: number of missing texts
	unseen   []float64
}

// WatchDrift returns an empty watch. memory is the number of observations after which the weight of an observation
// falls to 1/e; 0 gives all observations equal weight. It returns an error if the model has no description of its
// training data, as in models of earlier versions; the returned watch then uses only decisions.
func (m *Model) WatchDrift(memory int) (*DriftWatch, error) {
	w := &DriftWatch{m: m, seen: &driftTally{memory: float64(memory), decided: make([]float64, len(m.Classes))}}
	if t := m.Input.Table; t != nil {
		w.seen.missing, w.seen.unseen = make([]float64, len(t.Columns)), make([]float64, len(t.Columns))
	}
	n := len(m.Training.Range.Usual)
	if n != m.Input.Dim || len(m.Training.Range.Deviations) != n {
		return w, errors.New("the model does not record the range of its training data; fit it again with this " +
			"version")
	}
	t := w.seen
	t.units, t.count, t.sum, t.squares = make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for j, sd := range m.Training.Range.Deviations {
		// The shift of a value that is constant in the training data is in the unit of the value.
		if t.units[j] = 1 / sd; !(t.units[j] <= math.MaxFloat64) {
			t.units[j] = 1
		}
	}
	return w, nil
}

// Of returns a watch for an updated model. If m has the same number of columns and of classes as the previous model,
// the new watch includes the observations so far. Otherwise it starts without observations.
func (w *DriftWatch) Of(m *Model) *DriftWatch {
	if fresh, err := m.WatchDrift(int(w.seen.memory)); len(fresh.seen.count) != len(w.seen.count) || err != nil ||
		len(m.Classes) != len(w.seen.decided) || len(fresh.seen.missing) != len(w.seen.missing) {
		return fresh
	}
	return &DriftWatch{m: m, seen: w.seen}
}

// Add adds the next observations, and classifies them if the model has a classifier. It returns the errors of
// [Model.Predict] about the observations.
func (w *DriftWatch) Add(ctx context.Context, b Batch) error {
	if w.m.Classifier != nil {
		_, err := w.Predict(ctx, b)
		return err
	}
	b, err := w.m.checkInput(ctx, b)
	if err == nil {
		w.observe(b, nil)
	}
	return err
}

// Predict is like [Model.Predict], and also records the observations and decisions.
func (w *DriftWatch) Predict(ctx context.Context, b Batch) (*Prediction, error) {
	if err := w.m.checkClassifier(); err != nil {
		return nil, err
	}
	b, err := w.m.checkInput(ctx, b)
	if err != nil {
		return nil, err
	}
	p := new(Prediction)
	if err := w.m.predict(ctx, p, b); err != nil {
		return nil, err
	}
	w.observe(b, p)
	return p, nil
}

// observe records observations that match the schema and, unless p is nil, their decisions.
func (w *DriftWatch) observe(b Batch, p *Prediction) {
	n := b.Len()
	defer w.seen.addLacks(b.Lacks, n)
	rowOf := w.valuesOf(b)
	for lo := 0; lo < n; lo += blockRows {
		hi := min(lo+blockRows, n)
		w.seen.mu.Lock()
		w.seen.forget(hi - lo)
		for i := lo; i < hi; i++ {
			if len(w.seen.count) > 0 {
				w.seen.row(rowOf(i), w.m.Training.Range.Usual)
			}
			if p != nil {
				w.seen.decision(p.Label[i], p.Outlier[i])
			}
		}
		w.seen.mu.Unlock()
	}
}

// record adds one observation and its decision to the statistics.
func (w *DriftWatch) record(values []float64, d Decision) {
	w.seen.mu.Lock()
	defer w.seen.mu.Unlock()
	w.seen.forget(1)
	if len(w.seen.count) > 0 {
		w.seen.row(values, w.m.Training.Range.Usual)
	}
	w.seen.decision(d.Label, d.Outlier)
}

// valuesOf returns a function for the values of each observation, in the order of the model. The values are valid
// until its next call.
func (w *DriftWatch) valuesOf(b Batch) func(i int) []float64 {
	if x, ok := b.X.(*mat.Dense); ok && b.order == nil && b.Kind() == KindVectors {
		return x.RawRowView
	}
	return copiedValues(b)
}

// copiedValues is valuesOf for values that are not stored as rows in the order of the model.
func copiedValues(b Batch) func(i int) []float64 {
	row := make([]float64, b.Dim())
	if b.Kind() == KindMatrices {
		return func(i int) []float64 {
			logPowers(row, b.Stack.At(i))
			return row
		}
	}
	reader, one := rows.New(b.X), mat.NewDense(1, len(row), row)
	return func(i int) []float64 {
		reader.Read(row, len(row), i, i+1, nil)
		reorderRows(one, b.order)
		return row
	}
}

// forget reduces the weight of the earlier observations and adds n new ones to the count.
func (t *driftTally) forget(n int) {
	if t.memory > 0 {
		keep := math.Exp(-float64(n) / t.memory)
		t.n *= keep
		t.outliers *= keep
		t.texts *= keep
		for _, v := range [][]float64{t.count, t.sum, t.squares, t.decided, t.missing, t.unseen} {
			floats.Scale(keep, v)
		}
	}
	t.n += float64(n)
}

// row adds the values of one observation. usual are the means of the training data.
func (t *driftTally) row(row, usual []float64) {
	count, sum, squares, units := t.count[:len(row)], t.sum[:len(row)], t.squares[:len(row)], t.units[:len(row)]
	usual = usual[:len(row)]
	for j, v := range row {
		z := (v - usual[j]) * units[j]
		if !(math.Abs(z) <= math.MaxFloat64) {
			continue
		}
		count[j]++
		sum[j] += z
		squares[j] += z * z
	}
}

// addLacks adds the missing and unseen texts of n observations.
func (t *driftTally) addLacks(l *dataset.Lacks, n int) {
	if l == nil || len(l.Missing) != len(t.missing) || len(l.Unseen) != len(t.unseen) {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.texts += float64(n)
	for k := range t.missing {
		t.missing[k] += float64(l.Missing[k])
		t.unseen[k] += float64(l.Unseen[k])
	}
}

// columns returns the shares of missing and unseen texts in the columns of the table, or nil before the first
// observation.
func (t *driftTally) columns(table *recipe.Encoding) (out []ColumnShare) {
	if table == nil || t.n == 0 {
		return nil
	}
	at := 0
	for k, c := range table.Columns {
		s := ColumnShare{Name: c.Name, Training: c.Missing}
		switch {
		case c.Values == nil && at < len(t.count):
			s.Missing = max(0, 1-t.count[at]/t.n)
		case c.Values != nil && t.texts > 0:
			s.Missing = min(1, t.missing[k]/t.texts)
			s.Unseen = max(0, min(1, t.unseen[k]/t.texts)-c.Rest)
		}
		out = append(out, s)
		at += recipes.Width(&c)
	}
	return out
}

// decision counts one decision, and an outlier if it is one.
func (t *driftTally) decision(label int, outlier bool) {
	t.decided[label]++
	if outlier {
		t.outliers++
	}
}

// Drift returns the drift of all observations so far.
func (w *DriftWatch) Drift() *Drift {
	t := w.seen
	t.mu.Lock()
	defer t.mu.Unlock()
	d := &Drift{N: int(math.Round(t.n)), Outliers: math.NaN(), Balance: math.NaN(), Values: []DriftColumn{}}
	in := w.m.Input
	names := in.Columns
	if in.Kind == KindMatrices {
		names = in.Channels
	}
	for j, n := range t.count {
		c := DriftColumn{Name: fmt.Sprint(j), N: int(math.Round(n)), Missing: max(0, 1-n/t.n)}
		if t.n == 0 {
			c.Missing = 0
		}
		if names != nil {
			c.Name = names[j]
		}
		if n > 0 {
			c.Shift = t.sum[j] / n
			c.Spread = math.Sqrt(max(0, t.squares[j]/n-c.Shift*c.Shift))
		}
		d.Values = append(d.Values, c)
	}
	d.Columns = t.columns(in.Table)
	if w.m.Classifier == nil || t.n == 0 {
		return d
	}
	d.Outliers, d.Balance = t.outliers/t.n, 0
	total := vec.Total(w.m.Training.Counts)
	for k, name := range w.m.Classes {
		c := ClassShare{Class: name, Decided: t.decided[k] / t.n}
		if k < len(w.m.Training.Counts) {
			c.Training = float64(w.m.Training.Counts[k]) / float64(max(1, total))
		}
		d.Balance += math.Abs(c.Training-c.Decided) / 2
		d.Shares = append(d.Shares, c)
	}
	return d
}
