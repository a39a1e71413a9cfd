package dataset

import (
	"context"
	"fmt"
	"math"
	"slices"

	"rao"
	"rao/internal/linalg/vec"
	"rao/internal/optionvalues"
	"rao/internal/par"
	"rao/recipe"
)

// Typical returns for each column the value that replaces missing values (NaN): the median or the mean of its other
// values. For a mean, weights has the weight of each row; nil means equal weights. It returns an error for a median
// with weights, and for a column without any value or with a mean that overflows. The error contains the name of the
// column, or its index from 0 if names is nil. If ctx is canceled, Typical returns the error of ctx. The cost is one
// pass over the table. Medians also need memory for one column per processor.
func (t *Table) Typical(ctx context.Context, m recipe.Missing, weights []float64, names []string) ([]float64, error) {
	sums := means{names: names}
	switch {
	case m == optionvalues.MissingMedian && weights != nil:
		return nil, rao.Optionf("missing", "a median cannot be weighted; use {missing=mean} or {missing=drop}")
	case m == optionvalues.MissingMedian:
		return t.medians(ctx, names)
	case weights != nil:
		sums.add(t, weights)
		return sums.values()
	}
	sums.begin(t.cols)
	sums.rows = t.rows
	err := par.Try(t.cols, meanColumns, func(_, lo, hi int) error { // each column in the order of the rows
		n, sum, row := sums.n[lo:hi], sums.sum[lo:hi], make([]float64, t.cols)
		for i := range t.rows {
			if i%labelBlock == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			values := row
			if t.f64 != nil {
				values = t.f64[i*t.cols : (i+1)*t.cols]
			} else {
				t.Row(row, i)
			}
			for j, v := range values[lo:hi] {
				if v == v {
					n[j]++
					sum[j] += v
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return sums.values()
}

// meanColumns is the number of columns that one goroutine sums at a time: a few cache lines of each row.
const meanColumns = 32

func (t *Table) medians(ctx context.Context, names []string) ([]float64, error) {
	out := make([]float64, t.cols)
	columns := make([][]float64, par.Workers(t.cols, 1))
	return out, par.Try(t.cols, 1, func(w, j, _ int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		v := t.present(columns[w][:0], j)
		columns[w] = v
		if len(v) == 0 {
			return noValues(names, j, t.rows)
		}
		out[j] = vec.Median(v)
		return nil
	})
}

// tooLarge returns the error for a column with a mean that is not finite.
func tooLarge(names []string, j int) error {
	return rao.Optionf("drop", "the values of column %s are too large to compute a mean; scale the column, or leave "+
		"it out with {drop}",
		nameOf(names, j))
}

// nameOf returns the name of a column, or its number if it has none.
func nameOf(names []string, j int) string {
	if j < len(names) {
		return names[j]
	}
	return fmt.Sprint(j)
}

// noValues returns the error for a column without a value in any row.
func noValues(names []string, j, rows int) error {
	return rao.Optionf("drop", "column %s has no value in any of %d rows; leave it out with {drop}", nameOf(names, j),
		rows)
}

// present appends the values of a column that are not NaN.
func (t *Table) present(dst []float64, j int) []float64 {
	dst = slices.Grow(dst, t.rows)
	if t.f64 != nil {
		for at := j; at < len(t.f64); at += t.cols {
			if v := t.f64[at]; v == v {
				dst = append(dst, v)
			}
		}
		return dst
	}
	for i := range t.rows {
		if v := t.At(i, j); !math.IsNaN(v) {
			dst = append(dst, v)
		}
	}
	return dst
}

// Filled returns the table with every NaN replaced by the value for its column. The result is t itself if t is spare,
// and otherwise a copy. It panics if the number of values differs from the number of columns.
func (t *Table) Filled(values []float64, spare bool) *Table {
	if len(values) != t.cols {
		panic(fmt.Sprintf("dataset: %d values for %d columns", len(values), t.cols))
	}
	if !spare {
		copied := *t
		copied.u8, copied.f32, copied.f64 = slices.Clone(t.u8), slices.Clone(t.f32), slices.Clone(t.f64)
		t = &copied
	}
	for i, v := range t.f64 {
		if v != v {
			t.f64[i] = values[i%t.cols]
		}
	}
	for i, v := range t.f32 {
		if v != v {
			t.f32[i] = float32(values[i%t.cols])
		}
	}
	return t
}

// fillColumns fills in some columns of a table of float64.
func (t *Table) fillColumns(values []float64, columns []int) {
	for at := 0; at < len(t.f64); at += t.cols {
		row := t.f64[at : at+t.cols]
		for _, j := range columns {
			if v := row[j]; v != v {
				row[j] = values[j]
			}
		}
	}
}
