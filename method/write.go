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

// Blocks reads data a block at a time, as [dataset.Blocks] does, and calls fn with each.
type Blocks func(fn func(d *dataset.Data, total int) error) error

// Predictions sums up what [WritePredictions] wrote.
type Predictions struct {
	N, Rejected int
	Source      string
	Notes       []string // what a user should know of the observations, a sentence each
}

// WritePredictions classifies data and writes a csv: a line of names, and a line an
// observation with its label, whether it is rejected and an outlier, and the probability of
// each class.
func WritePredictions(ctx context.Context, w io.Writer, m *model.Model, data Blocks) (*Predictions, error) {
	b := bufio.NewWriter(w)
	c := csv.NewWriter(b)
	var record []string
	begun := false
	sum := &Predictions{}
	var notes model.Notes
	err := data(func(d *dataset.Data, _ int) error {
		p, err := Predict(ctx, m, d)
		if err != nil {
			return err
		}
		ids := idsOf(m, d)
		if !begun {
			begun = true
			if err := c.Write(predictionHeader(m, ids != nil)); err != nil {
				return err
			}
		}
		notes.Add(p)
		sum.N += len(p.Label)
		sum.Source = d.Source
		for i, l := range p.Label {
			if p.Rejected[i] {
				sum.Rejected++
			}
			record = record[:0]
			if ids != nil {
				record = append(record, ids[i])
			}
			record = append(record, m.Classes[l], strconv.FormatBool(p.Rejected[i]),
				strconv.FormatBool(p.Outlier[i]))
			for j := range m.Classes {
				record = append(record, strconv.FormatFloat(math.Exp(p.LogPosterior.At(i, j)), 'g', 8, 64))
			}
			if err := c.Write(record); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	c.Flush()
	if err := c.Error(); err != nil {
		return nil, err
	}
	sum.Notes = notes.All()
	return sum, b.Flush()
}

// idsOf returns the names of the rows of d, nil where it has none.
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

// Features sums up what [WriteFeatures] wrote: N×Dim values, or N matrices of order Dim.
type Features struct {
	N, Dim   int
	Matrices bool
}

// WriteFeatures writes what the stages of a model make of data as an npy array: vectors
// N×Dim, or matrices N×Dim×Dim.
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

// finiteFeatures returns an error if a value of the rows, which begin with number first, is
// NaN or infinite.
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
