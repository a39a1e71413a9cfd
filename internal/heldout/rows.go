package heldout

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/internal/linalg/vec"
	"rao/internal/rows"
)

// Rows are rows of bytes, float32 or float64 that are not copied. A shift and a scale are applied when they are
// read.
type Rows struct {
	*rows.Reader
	shift, scale []float64
}

// NewRows returns the rows of x. Matrices with the methods listed at [gaussian.Accumulator.Add] are read without a
// copy.
func NewRows(x mat.Matrix) *Rows {
	in := rows.New(x)
	return &Rows{in, make([]float64, in.Cols), slices.Repeat([]float64{1}, in.Cols)}
}

// affine replaces every row x by (x-shift)·scale; a nil shift is zero, and a single scale applies to every column.
func (h *Rows) affine(shift, scale []float64) {
	for j := range h.scale {
		if shift != nil {
			h.shift[j] += shift[j] / h.scale[j]
		}
		h.scale[j] *= scale[j%len(scale)]
	}
}

// Projector computes features of rows; the shift and scale of the rows are part of the filters and offsets.
type Projector struct {
	rows    *Rows
	filters [][]float64 // m filters of n values
	offsets []float64
}

// On returns the projector for filters, n×m.
func (h *Rows) On(filters *mat.Dense) *Projector {
	n, m := filters.Dims()
	p := &Projector{rows: h, filters: make([][]float64, m), offsets: make([]float64, m)}
	for k := range m {
		f := make([]float64, n)
		for j := range f {
			f[j] = filters.At(j, k) * h.scale[j]
		}
		p.filters[k], p.offsets[k] = f, vec.Dot(h.shift, f)
	}
	return p
}

// rowBuffer is the scratch memory for a row.
type rowBuffer struct {
	narrow []float32
	wide   []float64
}

// Buffer returns the scratch memory for [Projector.Row].
func (p *Projector) Buffer() *rowBuffer {
	if p.rows.Single() {
		return &rowBuffer{narrow: make([]float32, p.rows.Cols)}
	}
	return &rowBuffer{wide: make([]float64, p.rows.Cols)}
}

// Row stores the features of row r in dst.
func (p *Projector) Row(dst []float64, buf *rowBuffer, r int) {
	if p.rows.Single() {
		x := p.rows.Row32(buf.narrow, r)
		for k, f := range p.filters {
			dst[k] = vec.DotNarrow(x, f) - p.offsets[k]
		}
		return
	}
	x := p.rows.Row(buf.wide, r)
	for k, f := range p.filters {
		dst[k] = vec.Dot(x, f) - p.offsets[k]
	}
}
