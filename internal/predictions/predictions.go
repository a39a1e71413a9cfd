// Package predictions writes the predicted classes, features and values of a model for data.
package predictions

import (
	"bufio"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"rao/dataset"
	"rao/internal/format/npy"
	"rao/internal/linalg/vec"
	"rao/internal/memory"
	"rao/model"
)

// Blocks reads data block by block and calls fn for each block; see [dataset.Blocks]. total is the number of
// observations in all blocks.
type Blocks func(fn func(d *dataset.Data, total int) error) error

// Summary is the result of [Write].
type Summary struct {
	N, Rejected int
	Source      string
	Notes       []string // remarks for the user
}

// Writer writes predictions in one file format, for [WriteTo].
type Writer interface {
	// Begin starts a table with the given column names. The first columns are texts: the name of the row, if rows have
	// names, and the label. The next two columns are whether the decision is rejected, and whether the observation is
	// an outlier. The remaining columns are the class probabilities.
	Begin(names []string, texts int) error
	// Row writes a row. The caller reuses the slices for the next row.
	Row(texts []string, rejected, outlier bool, probabilities []float64) error
	Close() error
}

// Write classifies data and writes the decisions as csv: a header, then one line per observation with the label,
// whether the decision is rejected, whether the observation is an outlier, and the probability of each class.
func Write(ctx context.Context, w io.Writer, m *model.Model, data Blocks) (*Summary, error) {
	return WriteTo(ctx, NewCSV(w), m, data)
}

// WriteTo is [Write] for formats other than csv. Unless it returns an error, it closes w.
func WriteTo(ctx context.Context, w Writer, m *model.Model, data Blocks) (*Summary, error) {
	sum := &Summary{}
	var notes model.Prediction
	t := table{w: w, m: m}
	err := data(func(d *dataset.Data, _ int) error {
		p, err := m.Predict(ctx, model.BatchOf(d))
		if err != nil {
			return fmt.Errorf("%s: %w", d.Source, err)
		}
		notes.AddNotes(p)
		sum.N += len(p.Label)
		sum.Source = d.Source
		for _, rejected := range p.Rejected {
			if rejected {
				sum.Rejected++
			}
		}
		return t.add(p, idsOf(m, d))
	})
	if err != nil {
		return nil, err
	}
	sum.Notes = notes.Notes
	return sum, w.Close()
}

// WriteBlock writes one block of predictions with header and closes w.
func WriteBlock(w Writer, m *model.Model, p *model.Prediction) error {
	if err := (&table{w: w, m: m}).add(p, nil); err != nil {
		return err
	}
	return w.Close()
}

// table is a table of the predictions of a model. It begins with the first block.
type table struct {
	w             Writer
	m             *model.Model
	texts         []string
	probabilities []float64
}

func (t *table) add(p *model.Prediction, ids []string) error {
	if t.probabilities == nil {
		t.probabilities, t.texts = make([]float64, len(t.m.Classes)), make([]string, 1)
		if ids != nil {
			t.texts = make([]string, 2)
		}
		if err := t.w.Begin(predictionHeader(t.m, ids != nil), len(t.texts)); err != nil {
			return err
		}
	}
	for i, l := range p.Label {
		if ids != nil {
			t.texts[0] = ids[i]
		}
		t.texts[len(t.texts)-1] = t.m.Classes[l]
		for j := range t.probabilities {
			t.probabilities[j] = math.Exp(p.LogPosterior.At(i, j))
		}
		if err := t.w.Row(t.texts, p.Rejected[i], p.Outlier[i], t.probabilities); err != nil {
			return err
		}
	}
	return nil
}

type csvPredictions struct {
	buffer *bufio.Writer
	out    *csv.Writer
	record []string
}

// NewCSV returns a writer of csv. Probabilities have eight digits.
func NewCSV(w io.Writer) Writer {
	b := bufio.NewWriter(w)
	return &csvPredictions{buffer: b, out: csv.NewWriter(b)}
}

func (c *csvPredictions) Begin(names []string, _ int) error { return c.out.Write(names) }

func (c *csvPredictions) Row(texts []string, rejected, outlier bool, probabilities []float64) error {
	c.record = append(c.record[:0], texts...)
	c.record = append(c.record, strconv.FormatBool(rejected), strconv.FormatBool(outlier))
	for _, p := range probabilities {
		c.record = append(c.record, strconv.FormatFloat(p, 'g', 8, 64))
	}
	return c.out.Write(c.record)
}

func (c *csvPredictions) Close() error { return flush(c.out, c.buffer) }

func flush(c *csv.Writer, b *bufio.Writer) error {
	c.Flush()
	if err := c.Error(); err != nil {
		return err
	}
	return b.Flush()
}

// idsOf returns the names of the rows of d, or nil if they have none.
func idsOf(m *model.Model, d *dataset.Data) []string {
	t := m.Input.Table
	if t == nil || t.ID == "" {
		return nil
	}
	if v := d.Vars[t.ID]; v != nil && len(v.Strings) == d.N() {
		return v.Strings
	}
	return nil
}

func predictionHeader(m *model.Model, ids bool) []string {
	var header []string
	if ids {
		header = append(header, m.Input.Table.ID)
	}
	header = append(header, "label", "rejected", "outlier")
	for _, name := range m.Classes {
		header = append(header, "p_"+name)
	}
	return header
}

// Features is the result of [WriteFeatures]: the shape of the array, N×Dim, or N×Dim×Dim for matrices.
type Features struct {
	N, Dim   int
	Matrices bool
}

// WriteFeatures writes the output of the last stage of a model as an npy array: vectors N×Dim, or matrices N×Dim×Dim.
func WriteFeatures(ctx context.Context, w io.Writer, m *model.Model, data Blocks) (*Features, error) {
	sum := &Features{}
	var out *npy.Floats
	err := data(func(d *dataset.Data, total int) error {
		z, err := m.Transform(ctx, model.BatchOf(d))
		if err != nil {
			return fmt.Errorf("%s: %w", d.Source, err)
		}
		sum.Matrices, sum.Dim = z.Kind() == model.KindMatrices, z.Dim()
		var values []float64
		shape := []int{total, sum.Dim}
		if sum.Matrices {
			values, shape = z.Stack.Contiguous(), append(shape, sum.Dim)
		} else {
			values = mat.DenseCopyOf(z.X).RawMatrix().Data
		}
		if err := finiteFeatures(values, z.Len(), sum.N); err != nil {
			return fmt.Errorf("%s: %w", d.Source, err)
		}
		if out == nil {
			if out, err = npy.NewFloats(w, shape...); err != nil {
				return err
			}
		}
		sum.N += z.Len()
		return out.Write(values)
	})
	if err != nil {
		return nil, err
	}
	return sum, out.Close()
}

// finiteFeatures returns an error if a value is NaN or infinite. rows is the number of rows in values; first is the
// number of the first row in the file.
func finiteFeatures(values []float64, rows, first int) error {
	if i := vec.NotFinite(values); i >= 0 {
		per := len(values) / max(1, rows)
		return fmt.Errorf("value %d of row %d (counted from 0) would be %v; check the input", i%per, first+i/per,
			values[i])
	}
	return nil
}

// ValuePrefix, followed by the name of the target, is the column name of predicted values.
const ValuePrefix = "predicted_"

// WriteValues predicts values with a regression and writes them as csv: a header, then one line per observation. It
// returns the values.
func WriteValues(ctx context.Context, w io.Writer, m *model.Model, data Blocks) ([]float64, error) {
	t := NewValuesCSV(w, m)
	var all []float64
	err := data(func(d *dataset.Data, _ int) error {
		values, err := m.Values(ctx, model.BatchOf(d))
		if err != nil {
			return fmt.Errorf("%s: %w", d.Source, err)
		}
		all = append(all, values...)
		return t.Add(values, idsOf(m, d))
	})
	if err != nil {
		return nil, err
	}
	return all, t.Close()
}

// ValuesCSV writes the values that a regression predicts as csv.
type ValuesCSV struct {
	buffer *bufio.Writer
	out    *csv.Writer
	m      *model.Model
	begun  bool
}

// NewValuesCSV returns a writer of the values of m.
func NewValuesCSV(w io.Writer, m *model.Model) *ValuesCSV {
	b := bufio.NewWriter(w)
	return &ValuesCSV{buffer: b, out: csv.NewWriter(b), m: m}
}

// Add writes a block of values, after the header if it is the first block. ids are the names of the rows, or nil.
func (t *ValuesCSV) Add(values []float64, ids []string) error {
	record := []string{ValuePrefix + t.m.Target()}
	if ids != nil {
		record = []string{t.m.Input.Table.ID, record[0]}
	}
	if !t.begun {
		t.begun = true
		if err := t.out.Write(record); err != nil {
			return err
		}
	}
	for i, v := range values {
		if ids != nil {
			record[0] = ids[i]
		}
		record[len(record)-1] = strconv.FormatFloat(v, 'g', -1, 64)
		if err := t.out.Write(record); err != nil {
			return err
		}
	}
	return nil
}

// Close writes what is buffered. It does not close the underlying writer.
func (t *ValuesCSV) Close() error { return flush(t.out, t.buffer) }

// decisionMemory estimates the memory of predictions, scores and features, in addition to the data.
func decisionMemory(m *model.Model, d *dataset.Data) memory.Footprint {
	var f memory.Footprint
	n, values := float64(d.N()), 0.0
	if d.Stack != nil {
		values = float64(len(d.Stack.Data))
	}
	const remedy = "use fewer observations at a time with {where}"
	if d.Stack != nil && model.StageOf[*model.Adaptation](m) != nil {
		f.Add(2*values, fmt.Sprintf("%d adapted matrices", d.N()), remedy)
	}
	f.Add(n*float64(len(m.Classes)), fmt.Sprintf("the probabilities of %d classes", len(m.Classes)), remedy)
	if out, err := m.Output(); err == nil && d.Stack != nil {
		f.Add(n*float64(out.Dim)*float64(out.Dim), fmt.Sprintf("%d transformed matrices", d.N()), remedy)
	}
	return f
}

// WithinMemory wraps fn, which applies a model to blocks of data. The result first checks that the predictions for
// the block fit in memory. job names the task in the error.
func WithinMemory(job string, m *model.Model, fn func(d *dataset.Data, total int) error) func(*dataset.Data,
	int) error {
	return func(d *dataset.Data, total int) error {
		if err := memory.Check(job, decisionMemory(m, d)); err != nil {
			return err
		}
		return fn(d, total)
	}
}
