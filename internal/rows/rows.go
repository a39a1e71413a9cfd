// Package rows reads blocks of rows of a matrix as float64. It is fast for matrices stored as rows of float64, float32
// or bytes, and reads other matrices element by element.
package rows

import (
	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/linalg/vec"
	"rao/internal/par"
)

// Stored contains the rows of a matrix in their stored type. Exactly one slice is not nil, and row i starts at index
// i*Stride of that slice. If all slices are nil, only At can read the matrix. A switch over the slices is only needed
// to instantiate a generic function; a [Reader] converts the values.
type Stored struct {
	Bytes  []byte
	F32    []float32
	F64    []float64
	Stride int
}

// Of returns the stored rows of a matrix with the method RawMatrix, or with RawRows() (u8 []byte, f32 []float32, f64
// []float64, stride int), of which at most one slice is not nil.
func Of(x mat.Matrix) Stored {
	if s, ok := x.(interface {
		RawRows() (u8 []byte, f32 []float32, f64 []float64, stride int)
	}); ok {
		if u8, f32, f64, stride := s.RawRows(); u8 != nil || f32 != nil || f64 != nil {
			return Stored{u8, f32, f64, stride}
		}
	}
	if s, ok := x.(mat.RawMatrixer); ok {
		raw := s.RawMatrix()
		return Stored{F64: raw.Data, Stride: raw.Stride}
	}
	return Stored{}
}

// Reader reads the rows of one matrix. It is safe for concurrent use if the matrix is.
type Reader struct {
	Rows, Cols int

	x mat.Matrix
	Stored
}

// New returns a reader of x.
func New(x mat.Matrix) *Reader {
	r := new(Reader) // on the stack of a caller that keeps the reader to itself, because New is inlined
	r.set(x)
	return r
}

func (r *Reader) set(x mat.Matrix) {
	r.x, r.Stored = x, Of(x)
	r.Rows, r.Cols = x.Dims()
}

// Read copies rows lo to hi-1, minus shift (nil: none), to dst, with a stride of ld values.
func (r *Reader) Read(dst []float64, ld, lo, hi int, shift []float64) {
	n, run := r.Cols, 1 // number of rows copied at a time
	if ld == n && r.Stride == n {
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

// copy copies len(dst) values from the start of row i to dst. The values may span several rows if the rows are
// contiguous.
func (r *Reader) copy(dst []float64, i int) {
	switch {
	case r.F64 != nil:
		copy(dst, r.F64[i*r.Stride:i*r.Stride+len(dst)])
	case r.F32 != nil:
		vec.Widen(dst, r.F32[i*r.Stride:i*r.Stride+len(dst)])
	case r.Bytes != nil:
		vec.WidenBytes(dst, r.Bytes[i*r.Stride:i*r.Stride+len(dst)])
	default:
		for j := range dst {
			dst[j] = r.x.At(i, j)
		}
	}
}

// Row returns row i: the original values if they are float64, and otherwise a copy in buf, which has Cols values.
func (r *Reader) Row(buf []float64, i int) []float64 {
	if r.F64 != nil {
		return r.F64[i*r.Stride : i*r.Stride+r.Cols]
	}
	r.copy(buf, i)
	return buf
}

// Flat reports whether all values of row i are equal.
func (r *Reader) Flat(i int) bool {
	at, end := i*r.Stride, i*r.Stride+r.Cols
	switch {
	case r.F64 != nil:
		return flat(r.F64[at:end])
	case r.F32 != nil:
		return flat(r.F32[at:end])
	case r.Bytes != nil:
		return flat(r.Bytes[at:end])
	}
	for j := 1; j < r.Cols; j++ {
		if r.x.At(i, j) != r.x.At(i, 0) {
			return false
		}
	}
	return true
}

func flat[T float64 | float32 | byte](row []T) bool {
	for _, v := range row {
		if v != row[0] {
			return false
		}
	}
	return true
}

// Single reports whether single precision represents all values, because they are stored as float32 or bytes.
func (r *Reader) Single() bool { return r.F32 != nil || r.Bytes != nil }

// Row32 is [Reader.Row] in single precision. It panics unless Single is true.
func (r *Reader) Row32(buf []float32, i int) []float32 {
	if r.F32 != nil {
		return r.F32[i*r.Stride : i*r.Stride+r.Cols]
	}
	vec.WidenBytes(buf, r.Bytes[i*r.Stride:i*r.Stride+r.Cols])
	return buf
}

// grain is the number of rows per chunk of a parallel loop.
const grain = 512

// All returns all rows, minus shift, as one slice of Rows*Cols values. If shift is nil and the rows are contiguous
// float64, it returns the original values. The caller must not modify the result.
func (r *Reader) All(shift []float64) []float64 {
	if shift == nil && r.F64 != nil && r.Stride == r.Cols {
		return r.F64[:r.Rows*r.Cols]
	}
	out := make([]float64, r.Rows*r.Cols)
	r.Block(out, 0, r.Rows, shift)
	return out
}

// Block is Read without a gap between rows. Many values are read in parallel.
func (r *Reader) Block(dst []float64, lo, hi int, shift []float64) {
	each := max(1, 1<<16/max(r.Cols, 1)) // rows per chunk
	if hi-lo <= each {
		r.Read(dst, r.Cols, lo, hi, shift)
		return
	}
	in := *r // a copy, so the reader of a few rows stays on the stack
	par.For(hi-lo, each, func(_, from, to int) { in.Read(dst[from*in.Cols:], in.Cols, lo+from, lo+to, shift) })
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

// CheckFinite returns a *[rao.ValueError] for the first value that is NaN or infinite.
func (r *Reader) CheckFinite() error {
	chunks := par.Chunks(r.Rows, grain)
	bad := make([]int, chunks) // 1 + row*cols + column of the first bad value
	par.For(r.Rows, grain, func(_, lo, hi int) {
		buf := make([]float64, r.Cols)
		for i := lo; i < hi; i++ {
			if j := vec.NotFinite(r.Row(buf, i)); j >= 0 {
				bad[lo/grain] = 1 + (i-lo)*r.Cols + j
				return
			}
		}
	})
	for c, b := range bad {
		if b > 0 {
			i, j := c*grain+(b-1)/r.Cols, (b-1)%r.Cols
			return &rao.ValueError{Row: i, Col: j, Value: r.x.At(i, j)}
		}
	}
	return nil
}
