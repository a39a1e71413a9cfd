// Package subclassrows computes sub-classes of rows that are read from files.
package subclassrows

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/dataset"
	"rao/internal/par"
	"rao/internal/provenance"
	"rao/internal/subclasses"
)

// Options are the options of [Estimate] and [OnDisk].
type Options struct {
	Of      subclasses.Options
	Hashing provenance.Hashing // hashing of the rows
	Rows    func(done int)     // receives the number of rows read in a pass; may be nil
}

// rowsPerBlock is the number of rows that are read at a time.
const rowsPerBlock = 4096

// Estimate streams the labeled vectors of a source twice and returns their sub-classes; see [subclasses.Estimate].
func Estimate(ctx context.Context, spec string, open dataset.OpenOptions, opt Options) (*subclasses.Statistics, error) {
	if open.Weights != "" {
		return nil, rao.Optionf("weight-column", "statistics of sub-classes do not support weights of rows; leave out "+
			"{weight-column}, or compute full statistics of classes")
	}
	open.RequireLabels = true
	return opt.estimate(ctx, spec, open, nil)
}

// OnDisk is like [Estimate] for data that were opened on disk.
func OnDisk(ctx context.Context, disk *dataset.OnDisk, opt Options) (*subclasses.Statistics, error) {
	return opt.estimate(ctx, disk.Data.Source, disk.Open, disk.Fill())
}

// estimate reads all rows with every call of read. fill has a replacement for the missing values of each column; nil if
// none are missing.
func (o *Options) estimate(ctx context.Context, spec string, open dataset.OpenOptions, fill []float64) (
	*subclasses.Statistics, error) {
	part := provenance.Builder{Hashing: o.Hashing}
	var basis, columns []string
	if o.Of.Basis != nil {
		basis = o.Of.Basis.Columns
	}
	passes := 0
	rows := func(each func(x mat.Matrix, labels []int, classes []string) error) error {
		passes++
		done := 0
		defer func() { open.OnReading = nil }() // once is enough
		return dataset.Blocks(ctx, spec, open, rowsPerBlock, func(d *dataset.Data, _ int) error {
			if d.X == nil {
				return fmt.Errorf("%s: the data are matrices, but sub-classes need vectors; give vectors", d.Source)
			}
			columns = nil
			n, cols := d.X.Dims()
			if v := d.Vars["columns"]; v != nil && len(v.Strings) == cols {
				columns = v.Strings
			}
			x, err := inOrder(d.X, basis, columns)
			if err != nil {
				return err
			}
			values := x
			if fill != nil { // rows are identified before missing values are replaced
				values = x.Filled(fill, false)
			}
			if passes == 1 {
				names := columns
				if basis != nil {
					names = basis
				}
				part.Hashing = part.Hashing.ByName(names)
				hashing := par.Begin(func() { part.AddAll(x) })
				defer hashing.Finish()
			}
			if done += n; o.Rows != nil {
				o.Rows(done)
			}
			return each(values.Matrix(), d.Labels, d.Classes)
		})
	}
	s, err := subclasses.Estimate(ctx, rows, o.Of)
	if err != nil {
		return nil, err
	}
	if s.Parts = []provenance.Part{part.Part()}; o.Of.Basis == nil {
		s.Basis.Columns = columns
	}
	return s, nil
}

// inOrder returns the table with its columns in the wanted order, or x itself if they are in this order or have no
// names.
func inOrder(x *dataset.Table, want, have []string) (*dataset.Table, error) {
	order, err := provenance.OrderColumns(want, have)
	if order == nil || err != nil {
		return x, err
	}
	n, cols := x.Dims()
	row, data := make([]float64, cols), make([]float64, 0, n*cols)
	for i := range n {
		x.Row(row, i)
		for _, j := range order {
			data = append(data, row[j])
		}
	}
	return dataset.NewTable(n, cols, data), nil
}
