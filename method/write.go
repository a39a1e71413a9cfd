package method

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
	"rao/model"
)

// Blocks reads data block by block and calls fn for each block; see [dataset.Blocks]. total is the number of
// observations in all blocks.
type Blocks func(fn func(d *dataset.Data, total int) error) error

// Predictions is the summary that [WritePredictions] returns.
type Predictions struct {
	N, Rejected int
	Source      string
	Notes       []string // remarks for the user, as sentences
}

// PredictionWriter writes predictions in one file format, for [WritePredictionsTo].
type PredictionWriter interface {
	// Begin starts a table with these column names. If ids is true, the first column is the name of the row. The next
	// three columns are the label, whether it is rejected, and whether the observation is an outlier. The remaining
	// columns are the class probabilities.
	Begin(names []string, ids bool) error
	// Row writes a row. id is empty if rows have no names. The caller reuses the slice of probabilities for the next
	// row.
	Row(id, label string, rejected, outlier bool, probabilities []float64) error
	Close() error
}

// WritePredictions classifies data and writes them as csv: a header, then one line per observation with its label,
// whether it is rejected, whether it is an outlier, and the probability of each class.
func WritePredictions(ctx context.Context, w io.Writer, m *model.Model, data Blocks) (*Predictions, error) {
	return WritePredictionsTo(ctx, newCSVPredictions(w), m, data)
}

// WritePredictionsTo is [WritePredictions] for formats other than csv. It closes w unless it fails.
func WritePredictionsTo(ctx context.Context, w PredictionWriter, m *model.Model, data Blocks) (*Predictions, error) {
	begun := false
	sum := &Predictions{}
	var notes model.Notes
	probabilities := make([]float64, len(m.Classes))
	err := data(func(d *dataset.Data, _ int) error {
		p, err := Predict(ctx, m, d)
		if err != nil {
			return err
		}
		ids := idsOf(m, d)
		if !begun {
			begun = true
			if err := w.Begin(predictionHeader(m, ids != nil), ids != nil); err != nil {
				return err
			}
		}
		notes.Add(p)
		sum.N += len(p.Label)
		sum.Source = d.Source
		id := ""
		for i, l := range p.Label {
			if p.Rejected[i] {
				sum.Rejected++
			}
			if ids != nil {
				id = ids[i]
			}
			for j := range probabilities {
				probabilities[j] = math.Exp(p.LogPosterior.At(i, j))
			}
			if err := w.Row(id, m.Classes[l], p.Rejected[i], p.Outlier[i], probabilities); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	sum.Notes = notes.All()
	return sum, w.Close()
}

// csvPredictions is the [PredictionWriter] for csv.
type csvPredictions struct {
	buffer *bufio.Writer
	out    *csv.Writer
	ids    bool
	record []string
}

func newCSVPredictions(w io.Writer) *csvPredictions {
	b := bufio.NewWriter(w)
	return &csvPredictions{buffer: b, out: csv.NewWriter(b)}
}

func (c *csvPredictions) Begin(names []string, ids bool) error {
	c.ids = ids
	return c.out.Write(names)
}

func (c *csvPredictions) Row(id, label string, rejected, outlier bool, probabilities []float64) error {
	c.record = c.record[:0]
	if c.ids {
		c.record = append(c.record, id)
	}
	c.record = append(c.record, label, strconv.FormatBool(rejected), strconv.FormatBool(outlier))
	for _, p := range probabilities {
		c.record = append(c.record, strconv.FormatFloat(p, 'g', 8, 64))
	}
	return c.out.Write(c.record)
}

func (c *csvPredictions) Close() error {
	c.out.Flush()
	if err := c.out.Error(); err != nil {
		return err
	}
	return c.buffer.Flush()
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

// Features is the summary that [WriteFeatures] returns: the shape N×Dim, or N×Dim×Dim for matrices.
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
// number of the first one in the file.
func finiteFeatures(values []float64, rows, first int) error {
	for i, v := range values {
		if v-v != 0 {
			per := len(values) / max(1, rows)
			return fmt.Errorf("value %d of row %d would be %v; examine the input (rows and values count from 0)",
				i%per, first+i/per, v)
		}
	}
	return nil
}
