package dataset

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Table is a matrix of observations, one a row, stored as float32 where the source
// type is exactly that (bytes, 16-bit integers, half and single precision) and as
// float64 otherwise. It implements mat.Matrix; [Table.Matrix] and
// [Table.RawRows32] are the fast ways in. A Table may be read by several
// goroutines at a time.
type Table struct {
	rows, cols int
	f64        []float64 // exactly one of the two is used
	f32        []float32
	single     bool
}

// NewTable64 wraps rows×cols row-major values without copying. It panics with
// mat.ErrShape if data has another length.
func NewTable64(rows, cols int, data []float64) *Table {
	if rows < 0 || cols < 0 || len(data) != rows*cols {
		panic(mat.ErrShape)
	}
	return &Table{rows: rows, cols: cols, f64: data}
}

// NewTable32 wraps rows×cols row-major values without copying. It panics with
// mat.ErrShape if data has another length.
func NewTable32(rows, cols int, data []float32) *Table {
	if rows < 0 || cols < 0 || len(data) != rows*cols {
		panic(mat.ErrShape)
	}
	return &Table{rows: rows, cols: cols, f32: data, single: true}
}

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
	if t.single {
		return float64(t.f32[i*t.cols+j])
	}
	return t.f64[i*t.cols+j]
}

// T returns the transpose as a view.
func (t *Table) T() mat.Matrix { return mat.Transpose{Matrix: t} }

// Single reports whether the values are stored as float32.
func (t *Table) Single() bool { return t.single }

// RawRows32 returns the rows, row i starting at data[i*stride], without copying.
// data is nil when the table is stored as float64 or has no rows.
func (t *Table) RawRows32() (data []float32, rows, cols, stride int) {
	if len(t.f32) == 0 {
		return nil, t.rows, t.cols, t.cols
	}
	return t.f32, t.rows, t.cols, t.cols
}

// RawRows64 returns the rows, row i starting at data[i*stride], without copying.
// data is nil when the table is stored as float32 or has no rows.
func (t *Table) RawRows64() (data []float64, rows, cols, stride int) {
	if len(t.f64) == 0 {
		return nil, t.rows, t.cols, t.cols
	}
	return t.f64, t.rows, t.cols, t.cols
}

// Matrix returns the table as the matrix that other packages read fastest: a
// *mat.Dense that shares the memory of a float64 table, t itself otherwise.
func (t *Table) Matrix() mat.Matrix {
	if t.single || t.rows == 0 || t.cols == 0 {
		return t
	}
	return mat.NewDense(t.rows, t.cols, t.f64)
}

// Dense returns the table as a *mat.Dense: a copy when it is stored as float32,
// sharing its memory otherwise. A table without rows or columns gives an empty
// matrix.
func (t *Table) Dense() *mat.Dense {
	if t.rows == 0 || t.cols == 0 {
		return &mat.Dense{}
	}
	if !t.single {
		return mat.NewDense(t.rows, t.cols, t.f64)
	}
	data := make([]float64, len(t.f32))
	for i, v := range t.f32 {
		data[i] = float64(v)
	}
	return mat.NewDense(t.rows, t.cols, data)
}

// Row copies row i to dst, which must have the table's number of columns.
func (t *Table) Row(dst []float64, i int) {
	if len(dst) != t.cols {
		panic(mat.ErrShape)
	}
	if !t.single {
		copy(dst, t.f64[i*t.cols:(i+1)*t.cols])
		return
	}
	for j, v := range t.f32[i*t.cols : (i+1)*t.cols] {
		dst[j] = float64(v)
	}
}

// Rows returns rows [lo,hi) as a table that shares t's memory.
func (t *Table) Rows(lo, hi int) *Table {
	if lo < 0 || hi < lo || hi > t.rows {
		panic(mat.ErrRowAccess)
	}
	out := *t
	out.rows = hi - lo
	if t.single {
		out.f32 = t.f32[lo*t.cols : hi*t.cols]
	} else {
		out.f64 = t.f64[lo*t.cols : hi*t.cols]
	}
	return &out
}

// moveRow copies a row over another.
func (t *Table) moveRow(to, from int) {
	if t.single {
		copy(t.f32[to*t.cols:(to+1)*t.cols], t.f32[from*t.cols:(from+1)*t.cols])
	} else {
		copy(t.f64[to*t.cols:(to+1)*t.cols], t.f64[from*t.cols:(from+1)*t.cols])
	}
}

// inOrder returns the table with its columns in another order, the table itself for nil.
func (t *Table) inOrder(order []int) *Table {
	if order == nil {
		return t
	}
	out := *t
	if t.single {
		out.f32 = reorder(t.f32, order, t.rows)
	} else {
		out.f64 = reorder(t.f64, order, t.rows)
	}
	return &out
}

// with returns the rows of t, whose memory it may take, and then those of o.
func (t *Table) with(o *Table) *Table {
	if t.single && o.single {
		return NewTable32(t.rows+o.rows, t.cols, append(t.f32, o.f32...))
	}
	if t.rows == 0 || o.rows == 0 || t.cols == 0 {
		return NewTable64(t.rows+o.rows, t.cols, append(t.f64, o.f64...))
	}
	return NewTable64(t.rows+o.rows, t.cols, append(t.Dense().RawMatrix().Data, o.Dense().RawMatrix().Data...))
}

// Select copies the rows of the given indices, in order, to a new table.
func (t *Table) Select(index []int) *Table {
	out := &Table{rows: len(index), cols: t.cols, single: t.single}
	if t.single {
		out.f32 = selectRows(t.f32, t.cols, index)
	} else {
		out.f64 = selectRows(t.f64, t.cols, index)
	}
	return out
}

func selectRows[T any](data []T, cols int, index []int) []T {
	out := make([]T, len(index)*cols)
	for i, k := range index {
		copy(out[i*cols:(i+1)*cols], data[k*cols:(k+1)*cols])
	}
	return out
}

// ValueError says where a value is that no method can use.
type ValueError struct {
	Source   string
	Row, Col int // counted from 0
	Value    float64
}

// Error implements error.
func (e *ValueError) Error() string {
	s := fmt.Sprintf("row %d, column %d is %v; remove the row or fill the value in (rows and columns count from 0)",
		e.Row, e.Col, e.Value)
	if e.Source != "" {
		return e.Source + ": " + s
	}
	return s
}

// Check returns a *ValueError for the first value that is NaN or infinite, and nil
// when there is none.
func (t *Table) Check() error {
	// v-v is 0 for finite values and NaN otherwise, and NaN is not equal to itself.
	if t.single {
		for i, v := range t.f32 {
			if v-v != 0 {
				return &ValueError{Row: i / t.cols, Col: i % t.cols, Value: float64(v)}
			}
		}
		return nil
	}
	for i, v := range t.f64 {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return &ValueError{Row: i / t.cols, Col: i % t.cols, Value: v}
		}
	}
	return nil
}
