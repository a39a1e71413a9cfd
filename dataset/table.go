package dataset

import (
	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/linalg/vec"
)

// Table is a matrix of observations, one per row. Bytes are stored as bytes or float32, 16-bit integers and half and
// single precision as float32, and all other types as float64. Table implements mat.Matrix; [Table.Matrix] and
// [Table.RawRows] give fast access. Reading a Table is safe for concurrent use.
type Table struct {
	rows, cols int
	kind       storage
	u8         []byte // exactly one of the three is used
	f32        []float32
	f64        []float64
}

// NewTable wraps rows×cols row-major values without copying. It panics with mat.ErrShape if data has the wrong length.
func NewTable[T byte | float32 | float64](rows, cols int, data []T) *Table {
	if rows < 0 || cols < 0 || len(data) != rows*cols {
		panic(mat.ErrShape)
	}
	t := &Table{rows: rows, cols: cols}
	switch data := any(data).(type) {
	case []byte:
		t.kind, t.u8 = bytes8, data
	case []float32:
		t.kind, t.f32 = float32s, data
	case []float64:
		t.kind, t.f64 = float64s, data
	}
	return t
}

// singles returns bytes or float32 as float32, and nil for float64.
func (t *Table) singles() []float32 {
	if t.kind != bytes8 {
		return t.f32
	}
	out := make([]float32, len(t.u8))
	vec.WidenBytes(out, t.u8)
	return out
}

// storage is how values are stored.
type storage uint8

const (
	bytes8 storage = iota
	float32s
	float64s
)

// newTable returns a table of zeros.
func newTable(kind storage, rows, cols int) *Table {
	switch n := rows * cols; kind {
	case bytes8:
		return NewTable(rows, cols, make([]byte, n))
	case float32s:
		return NewTable(rows, cols, make([]float32, n))
	default:
		return NewTable(rows, cols, make([]float64, n))
	}
}

// size returns the number of bytes of a value.
func (k storage) size() int { return [...]int{bytes8: 1, float32s: 4, float64s: 8}[k] }

// Dims returns the number of rows and of columns.
func (t *Table) Dims() (rows, cols int) { return t.rows, t.cols }

// At returns the value in row i and column j. It panics if they are out of range.
func (t *Table) At(i, j int) float64 {
	if uint(i) >= uint(t.rows) {
		panic(mat.ErrRowAccess)
	}
	if uint(j) >= uint(t.cols) {
		panic(mat.ErrColAccess)
	}
	switch at := i*t.cols + j; {
	case t.kind == bytes8:
		return float64(t.u8[at])
	case t.kind == float32s:
		return float64(t.f32[at])
	default:
		return t.f64[at]
	}
}

// T returns the transpose as a view.
func (t *Table) T() mat.Matrix { return mat.Transpose{Matrix: t} }

// RawRows returns the rows without copying, in the type in which they are stored. Row i starts at index i*stride of the
// slice that is not nil.
func (t *Table) RawRows() (u8 []byte, f32 []float32, f64 []float64, stride int) {
	return t.u8, t.f32, t.f64, t.cols
}

// Matrix returns the table as the matrix type that other packages read fastest: a *mat.Dense that shares memory with a
// float64 table, and t itself otherwise.
func (t *Table) Matrix() mat.Matrix {
	if t.kind != float64s || t.rows == 0 || t.cols == 0 {
		return t
	}
	return mat.NewDense(t.rows, t.cols, t.f64)
}

// Dense returns the table as a *mat.Dense, which shares memory with a table stored as float64 and is a copy otherwise.
// A table without rows or columns gives an empty matrix.
func (t *Table) Dense() *mat.Dense {
	if t.rows == 0 || t.cols == 0 {
		return &mat.Dense{}
	}
	if t.kind == float64s {
		return mat.NewDense(t.rows, t.cols, t.f64)
	}
	out := mat.NewDense(t.rows, t.cols, nil)
	t.copy(out.RawMatrix().Data, 0)
	return out
}

// Row copies row i to dst. It panics with mat.ErrShape if the length of dst is not the number of columns.
func (t *Table) Row(dst []float64, i int) {
	if len(dst) != t.cols {
		panic(mat.ErrShape)
	}
	t.copy(dst, i)
}

// copy copies len(dst) values from the start of row i to dst.
func (t *Table) copy(dst []float64, i int) {
	switch lo, hi := i*t.cols, i*t.cols+len(dst); {
	case t.kind == bytes8:
		vec.WidenBytes(dst, t.u8[lo:hi])
	case t.kind == float32s:
		vec.Widen(dst, t.f32[lo:hi])
	default:
		copy(dst, t.f64[lo:hi])
	}
}

// Rows returns rows [lo,hi) as a table that shares t's memory. It panics if they are out of range.
func (t *Table) Rows(lo, hi int) *Table {
	if lo < 0 || hi < lo || hi > t.rows {
		panic(mat.ErrRowAccess)
	}
	out := *t
	out.rows = hi - lo
	switch lo, hi := lo*t.cols, hi*t.cols; {
	case t.kind == bytes8:
		out.u8 = t.u8[lo:hi]
	case t.kind == float32s:
		out.f32 = t.f32[lo:hi]
	default:
		out.f64 = t.f64[lo:hi]
	}
	return &out
}

// setRow copies rows i to i+n-1 of x to the rows of t from j on, which must not have been read as another type yet.
func (t *Table) setRow(j int, x *Table, i, n int) {
	to, from := [2]int{j * t.cols, (j + n) * t.cols}, [2]int{i * t.cols, (i + n) * t.cols}
	switch {
	case t.kind == bytes8:
		copy(t.u8[to[0]:to[1]], x.u8[from[0]:from[1]])
	case t.kind == float32s && x.kind == bytes8:
		vec.WidenBytes(t.f32[to[0]:to[1]], x.u8[from[0]:from[1]])
	case t.kind == float32s:
		copy(t.f32[to[0]:to[1]], x.f32[from[0]:from[1]])
	default:
		x.copy(t.f64[to[0]:to[1]], i)
	}
}

// setRows copies the given rows of x to the rows of t from j on, in their order.
func (t *Table) setRows(j int, x *Table, rows []int) {
	for n := 0; len(rows) > 0; j, rows = j+n, rows[n:] {
		for n = 1; n < len(rows) && rows[n] == rows[0]+n; n++ {
		}
		t.setRow(j, x, rows[0], n)
	}
}

// inOrder returns the table with its columns in another order, or the table itself if order is nil.
func (t *Table) inOrder(order []int) *Table {
	if order == nil {
		return t
	}
	out := *t
	switch {
	case t.kind == bytes8:
		out.u8 = reorder(t.u8, order, t.rows)
	case t.kind == float32s:
		out.f32 = reorder(t.f32, order, t.rows)
	default:
		out.f64 = reorder(t.f64, order, t.rows)
	}
	return &out
}

// selectRows copies the rows with the given indices, in order, to a new table.
func (t *Table) selectRows(index []int) *Table {
	out := newTable(t.kind, len(index), t.cols)
	out.setRows(0, t, index)
	return out
}

// check returns a *[rao.ValueError] for the first value that is NaN or infinite, or nil if there is none.
func (t *Table) check() error {
	if t.f32 != nil {
		if i := vec.NotFinite(t.f32); i >= 0 {
			return &rao.ValueError{Row: i / t.cols, Col: i % t.cols, Value: float64(t.f32[i])}
		}
		return nil
	}
	const block = 1 << 12 // values with a finite sum of squares are finite
	for lo := 0; lo < len(t.f64); lo += block {
		part := t.f64[lo:min(lo+block, len(t.f64))]
		if vec.Finite(vec.Dot(part, part)) {
			continue
		}
		if i := vec.NotFinite(part); i >= 0 {
			return &rao.ValueError{Row: (lo + i) / t.cols, Col: (lo + i) % t.cols, Value: part[i]}
		}
	}
	return nil
}
