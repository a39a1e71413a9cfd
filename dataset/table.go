package dataset

import (
	"sync"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/linalg/vec"
	"rao/internal/par"
)

// Table is a matrix of observations, one per row. Bytes are stored as bytes or float32, 16-bit integers and half and
// single precision as float32, and all other types as float64. Table implements mat.Matrix; [Table.Matrix] and
// [Table.RawRows32] give fast access. Reading a Table is safe for concurrent use.
type Table struct {
	rows, cols int
	f64        []float64 // exactly one of the three is used
	f32        []float32
	pixels     *pixels
	single     bool
}

// pixels are byte values, which are converted to float32 at the first use as float32.
type pixels struct {
	bytes []byte
	once  sync.Once
	wide  []float32
}

func (p *pixels) singles() []float32 {
	p.once.Do(func() {
		p.wide = make([]float32, len(p.bytes))
		par.For(len(p.bytes), 1<<18, func(_, lo, hi int) {
			vec.WidenBytes(p.wide[lo:], p.bytes[lo:hi])
		})
	})
	return p.wide
}

// NewTable8 wraps rows×cols row-major bytes without copying. The bytes are converted to float32 when float32 values are
// first needed. It panics with mat.ErrShape if data has the wrong length.
func NewTable8(rows, cols int, data []byte) *Table {
	if rows < 0 || cols < 0 || len(data) != rows*cols {
		panic(mat.ErrShape)
	}
	return &Table{rows: rows, cols: cols, pixels: &pixels{bytes: data}, single: true}
}

func (t *Table) singles() []float32 {
	if t.pixels != nil {
		return t.pixels.singles()
	}
	return t.f32
}

// NewTable64 wraps rows×cols row-major values without copying. It panics with mat.ErrShape if data has the wrong
// length.
func NewTable64(rows, cols int, data []float64) *Table {
	if rows < 0 || cols < 0 || len(data) != rows*cols {
		panic(mat.ErrShape)
	}
	return &Table{rows: rows, cols: cols, f64: data}
}

// NewTable32 wraps rows×cols row-major values without copying. It panics with mat.ErrShape if data has the wrong
// length.
func NewTable32(rows, cols int, data []float32) *Table {
	if rows < 0 || cols < 0 || len(data) != rows*cols {
		panic(mat.ErrShape)
	}
	return &Table{rows: rows, cols: cols, f32: data, single: true}
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
		return NewTable8(rows, cols, make([]byte, n))
	case float32s:
		return NewTable32(rows, cols, make([]float32, n))
	default:
		return NewTable64(rows, cols, make([]float64, n))
	}
}

func (t *Table) storage() storage {
	switch {
	case t.pixels != nil:
		return bytes8
	case t.single:
		return float32s
	}
	return float64s
}

// Dims returns the number of rows and of columns.
func (t *Table) Dims() (rows, cols int) { return t.rows, t.cols }

func (t *Table) bytes() int {
	switch {
	case t.pixels != nil:
		return len(t.pixels.bytes)
	case t.f32 != nil:
		return 4 * len(t.f32)
	}
	return 8 * len(t.f64)
}

// At returns the value in row i and column j. It panics if they are out of range.
func (t *Table) At(i, j int) float64 {
	if uint(i) >= uint(t.rows) {
		panic(mat.ErrRowAccess)
	}
	if uint(j) >= uint(t.cols) {
		panic(mat.ErrColAccess)
	}
	switch at := i*t.cols + j; {
	case t.pixels != nil:
		return float64(t.pixels.bytes[at])
	case t.single:
		return float64(t.f32[at])
	default:
		return t.f64[at]
	}
}

// T returns the transpose as a view.
func (t *Table) T() mat.Matrix { return mat.Transpose{Matrix: t} }

// Single reports whether the values are stored as float32 or bytes.
func (t *Table) Single() bool { return t.single }

// RawRows32 returns the rows without copying, except that bytes are converted in the first call. Row i starts at
// data[i*stride]. data is nil if the table is stored as float64 or has no rows.
func (t *Table) RawRows32() (data []float32, rows, cols, stride int) {
	if f32 := t.singles(); len(f32) > 0 {
		data = f32
	}
	return data, t.rows, t.cols, t.cols
}

// RawRows8 returns the rows without copying; row i starts at data[i*stride]. data is nil if the table is not stored as
// bytes or has no rows.
func (t *Table) RawRows8() (data []byte, rows, cols, stride int) {
	if t.pixels != nil && len(t.pixels.bytes) > 0 {
		data = t.pixels.bytes
	}
	return data, t.rows, t.cols, t.cols
}

// RawRows64 returns the rows without copying; row i starts at data[i*stride]. data is nil if the table is not stored as
// float64 or has no rows.
func (t *Table) RawRows64() (data []float64, rows, cols, stride int) {
	if len(t.f64) == 0 {
		return nil, t.rows, t.cols, t.cols
	}
	return t.f64, t.rows, t.cols, t.cols
}

// Matrix returns the table as the matrix type that other packages read fastest: a *mat.Dense that shares memory with a
// float64 table, and t itself otherwise.
func (t *Table) Matrix() mat.Matrix {
	if t.single || t.rows == 0 || t.cols == 0 {
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
	if !t.single {
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
	case t.pixels != nil:
		vec.WidenBytes(dst, t.pixels.bytes[lo:hi])
	case t.single:
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
	case t.pixels != nil:
		out.pixels = &pixels{bytes: t.pixels.bytes[lo:hi]}
	case t.single:
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
	case t.pixels != nil:
		copy(t.pixels.bytes[to[0]:to[1]], x.pixels.bytes[from[0]:from[1]])
	case t.single && x.pixels != nil:
		vec.WidenBytes(t.f32[to[0]:to[1]], x.pixels.bytes[from[0]:from[1]])
	case t.single:
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
	case t.pixels != nil:
		out.pixels = &pixels{bytes: reorder(t.pixels.bytes, order, t.rows)}
	case t.single:
		out.f32 = reorder(t.f32, order, t.rows)
	default:
		out.f64 = reorder(t.f64, order, t.rows)
	}
	return &out
}

// selectRows copies the rows with the given indices, in order, to a new table.
func (t *Table) selectRows(index []int) *Table {
	out := newTable(t.storage(), len(index), t.cols)
	out.setRows(0, t, index)
	return out
}

// check returns a *[rao.ValueError] for the first value that is NaN or infinite, or nil if there is none.
func (t *Table) check() error {
	if t.single {
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
