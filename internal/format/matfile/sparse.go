package matfile

import (
	"fmt"
	"math"
	"strings"

	"rao/internal/format/ndarray"
)

// A sparse matrix is expanded if it has at most smallDense values, or at most densest values per stored value. Without
// limits, a file of a few bytes could allocate gigabytes.
const (
	smallDense = 1 << 20
	densest    = 256
)

// sparse reads the rest of a sparse matrix in compressed column form: the rows of its values, the index at which each
// column starts, and the values.
func (e *element) sparse(v *Var, n int) (*ndarray.Array, error) {
	if len(v.Shape) != 2 {
		return nil, fmt.Errorf("the sparse matrix has %d axes, not 2; the file is corrupt, so copy it again",
			len(v.Shape))
	}
	rows, err := e.vector("rows")
	if err != nil {
		return nil, err
	}
	begins, err := e.vector("columns")
	if err != nil {
		return nil, err
	}
	values, err := e.vector("values")
	if err != nil {
		return nil, err
	}
	if n > smallDense && n/densest > len(values) {
		return nil, fmt.Errorf("the sparse matrix has %d × %d values, %d of them stored, too many to read; save only "+
			"the part you need", v.Shape[0], v.Shape[1], len(values))
	}
	if len(begins) != v.Shape[1]+1 {
		return nil, fmt.Errorf("the sparse matrix has %d starts of columns, and its number of columns is %d; the "+
			"file is corrupt, so copy it again", len(begins), v.Shape[1])
	}
	full := make([]float64, n)
	for col := range v.Shape[1] {
		from, to := begins[col], begins[col+1]
		if !(from >= 0 && from <= to && to <= float64(min(len(rows), len(values)))) {
			return nil, fmt.Errorf("column %d of the sparse matrix has the invalid index range [%v, %v) for %d "+
				"stored values; "+
				"the file is corrupt, so copy or save it again", col+1, from, to, min(len(rows), len(values)))
		}
		for i := int(from); i < int(to); i++ {
			row := rows[i]
			if !(row >= 0 && row < float64(v.Shape[0])) || row != math.Trunc(row) {
				return nil, fmt.Errorf("the sparse matrix has a value in row %v of %d; the file is corrupt, so copy "+
					"it again", row+1, v.Shape[0])
			}
			full[col*v.Shape[0]+int(row)] = values[i]
		}
	}
	return &ndarray.Array{Type: "f8", Shape: v.Shape, Fortran: true, Float64: full}, nil
}

// vector reads a numeric element of any type.
func (e *element) vector(what string) ([]float64, error) {
	t, typ, err := e.numericTag()
	if err != nil {
		return nil, err
	}
	n := int(t.size) / typ.Size
	if t.size%int64(typ.Size) != 0 || !t.small && t.size > e.left {
		return nil, fmt.Errorf("the sparse matrix has %d bytes of %s; the file is corrupt, so copy it again", t.size,
			what)
	}
	if t.small {
		a, err := ndarray.Read(strings.NewReader(string(t.data[:])), typ, n, t.size)
		if err != nil {
			return nil, unpackError(err)
		}
		return a.ToFloat64()
	}
	a, err := ndarray.Read(e.r, typ, n, ndarray.Budget(t.size))
	if err != nil {
		return nil, unpackError(err)
	}
	e.left -= t.size
	if err := e.skip(t.pad()); err != nil {
		return nil, err
	}
	return a.ToFloat64()
}
