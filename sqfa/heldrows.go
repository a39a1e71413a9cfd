package sqfa

import (
	"gonum.org/v1/gonum/mat"

	"rao/internal/linalg/vec"
	"rao/internal/rows"
)

// heldRows are rows of bytes, float32 or float64 that are not copied. A shift and a scale are applied when they are
// read.
type heldRows struct {
	n            int
	narrow       func(buf []float32, r int) []float32 // row r, converted in buf if necessary; nil for rows of float64
	wide         func(buf []float64, r int) []float64 // the same in float64
	shift, scale []float64
}

// holdRows returns the rows of x. Matrices with the methods listed at [gaussian.Accumulator.Add] are read without a
// copy.
func holdRows(x mat.Matrix) *heldRows {
	_, n := x.Dims()
	h := &heldRows{n: n, shift: make([]float64, n), scale: make([]float64, n)}
	for j := range h.scale {
		h.scale[j] = 1
	}
	switch s := rows.Of(x); {
	case s.Bytes != nil:
		h.narrow = func(buf []float32, r int) []float32 {
			for j, v := range s.Bytes[r*s.Stride : r*s.Stride+n] {
				buf[j] = float32(v)
			}
			return buf
		}
	case s.F32 != nil:
		h.narrow = func(_ []float32, r int) []float32 { return s.F32[r*s.Stride : r*s.Stride+n] }
	case s.F64 != nil:
		h.wide = func(_ []float64, r int) []float64 { return s.F64[r*s.Stride : r*s.Stride+n] }
	default:
		h.wide = func(buf []float64, r int) []float64 { return mat.Row(buf, r, x) }
	}
	return h
}

// affine replaces every row x by (x-shift)·scale; a nil shift is zero, and a single scale applies to every column.
func (h *heldRows) affine(shift, scale []float64) {
	for j := range h.scale {
		if shift != nil {
			h.shift[j] += shift[j] / h.scale[j]
		}
		h.scale[j] *= scale[j%len(scale)]
	}
}

// projector computes features of rows; the shift and scale of the rows are part of the filters and offsets.
type projector struct {
	rows    *heldRows
	filters [][]float64 // m filters of n values
	offsets []float64
}

// on returns the projector for filters, n×m.
func (h *heldRows) on(filters *mat.Dense) *projector {
	n, m := filters.Dims()
	p := &projector{rows: h, filters: make([][]float64, m), offsets: make([]float64, m)}
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

func (p *projector) buffer() *rowBuffer {
	if p.rows.narrow != nil {
		return &rowBuffer{narrow: make([]float32, p.rows.n)}
	}
	return &rowBuffer{wide: make([]float64, p.rows.n)}
}

func (p *projector) row(dst []float64, buf *rowBuffer, r int) {
	if p.rows.narrow != nil {
		x := p.rows.narrow(buf.narrow, r)
		for k, f := range p.filters {
			dst[k] = vec.DotNarrow(x, f) - p.offsets[k]
		}
		return
	}
	x := p.rows.wide(buf.wide, r)
	for k, f := range p.filters {
		dst[k] = vec.Dot(x, f) - p.offsets[k]
	}
}
