// Package rows reads blocks of rows of a matrix as float64. It is fast for matrices stored as rows of float64, float32
// or bytes, and reads others element by element.
package rows

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao/internal/linalg/vec"
	"rao/internal/par"
)

// raw32 is a matrix stored as float32 rows. Data is nil if it is stored otherwise.
type raw32 interface {
	RawRows32() (data []float32, rows, cols, stride int)
}

// raw8 is a matrix stored as rows of bytes.
type raw8 interface {
	RawRows8() (data []byte, rows, cols, stride int)
}

// raw64 is a matrix stored as float64 rows.
type raw64 interface {
	RawRows64() (data []float64, rows, cols, stride int)
}

// Reader reads the rows of one matrix. It is safe for concurrent use if the matrix is.
type Reader struct {
	Rows, Cols int

	x        mat.Matrix
	f64      []float64
	f32      []float32
	bytes    []byte
	stride64 int
	stride32 int
	stride8  int
}

// New returns a reader of x.
func New(x mat.Matrix) *Reader {
	r := &Reader{x: x}
	r.Rows, r.Cols = x.Dims()
	if s, ok := x.(raw8); ok {
		if data, _, _, stride := s.RawRows8(); data != nil {
			r.bytes, r.stride8 = data, stride
			return r
		}
	}
	if s, ok := x.(raw32); ok {
		data, _, _, stride := s.RawRows32()
		if data != nil {
			r.f32, r.stride32 = data, stride
			return r
		}
	}
	if s, ok := x.(raw64); ok {
		if data, _, _, stride := s.RawRows64(); data != nil {
			r.f64, r.stride64 = data, stride
			return r
		}
	}
	if s, ok := x.(mat.RawMatrixer); ok {
		raw := s.RawMatrix()
		r.f64, r.stride64 = raw.Data, raw.Stride
	}
	return r
}

// Raw returns the values and the stride of rows that are stored as float64, and nil otherwise.
func (r *Reader) Raw() (data []float64, stride int) { return r.f64, r.stride64 }

// Read copies rows lo to hi-1, minus shift (nil: none), to dst, with a stride of ld values.
func (r *Reader) Read(dst []float64, ld, lo, hi int, shift []float64) {
	n, run := r.Cols, 1 // number of rows copied at a time
	if ld == n && r.stride() == n {
		run = hi - lo
	}
	for i := lo; i < hi; i += run {
		d := dst[(i-lo)*ld : (i-lo)*ld+run*n]
		r.copy(d, i)
		if shift == nil {
			continue
		}
		for ; len(d) > 0; d = d[n:] {
			vec.Axpy(d[:n], -1, shift)
		}
	}
}

// stride returns the stride of the rows, or 0 if they are read value by value.
func (r *Reader) stride() int {
	switch {
	case r.f64 != nil:
		return r.stride64
	case r.f32 != nil:
		return r.stride32
	case r.bytes != nil:
		return r.stride8
	}
	return 0
}

// copy copies len(dst) values from the start of row i to dst. They may be several rows if the rows are contiguous.
func (r *Reader) copy(dst []float64, i int) {
	switch {
	case r.f64 != nil:
		copy(dst, r.f64[i*r.stride64:i*r.stride64+len(dst)])
	case r.f32 != nil:
		vec.Widen(dst, r.f32[i*r.stride32:i*r.stride32+len(dst)])
	case r.bytes != nil:
		for j, v := range r.bytes[i*r.stride8 : i*r.stride8+len(dst)] {
			dst[j] = float64(v)
		}
	default:
		for j := range dst {
			dst[j] = r.x.At(i, j)
		}
	}
}

// grain is the number of rows per chunk of a parallel loop.
const grain = 512

// All returns all rows, minus shift, as one slice of Rows*Cols values. If shift is nil and the rows are contiguous
// float64, it returns the original values, which the caller must not modify.
func (r *Reader) All(shift []float64) []float64 {
	if shift == nil && r.f64 != nil && r.stride64 == r.Cols {
		return r.f64[:r.Rows*r.Cols]
	}
	out := make([]float64, r.Rows*r.Cols)
	par.For(r.Rows, grain, func(_, lo, hi int) {
		r.Read(out[lo*r.Cols:], r.Cols, lo, hi, shift)
	})
	return out
}

// Select returns the rows with the given indices, in order, minus shift.
func (r *Reader) Select(index []int, shift []float64) []float64 {
	out := make([]float64, len(index)*r.Cols)
	par.For(len(index), grain, func(_, lo, hi int) {
		for k := lo; k < hi; k++ {
			r.Read(out[k*r.Cols:], r.Cols, index[k], index[k]+1, shift)
		}
	})
	return out
}

// CheckFinite returns an error that names the first row and column with a NaN or an infinity.
func (r *Reader) CheckFinite() error {
	chunks := par.Chunks(r.Rows, grain)
	bad := make([]int, chunks) // 1 + row*cols + column of the first bad value
	par.For(r.Rows, grain, func(_, lo, hi int) {
		buf := make([]float64, r.Cols)
		for i := lo; i < hi; i++ {
			row := buf
			if r.f64 != nil {
				row = r.f64[i*r.stride64 : i*r.stride64+r.Cols]
			} else {
				r.Read(buf, r.Cols, i, i+1, nil)
			}
			for j, v := range row {
				if v-v != 0 {
					bad[lo/grain] = 1 + (i-lo)*r.Cols + j
					return
				}
			}
		}
	})
	for c, b := range bad {
		if b > 0 {
			i, j := c*grain+(b-1)/r.Cols, (b-1)%r.Cols
			v := r.x.At(i, j)
			what := "infinite"
			if math.IsNaN(v) {
				what = "NaN"
			}
			return fmt.Errorf("row %d, column %d is %s; remove the row or fill in the value", i, j, what)
		}
	}
	return nil
}
