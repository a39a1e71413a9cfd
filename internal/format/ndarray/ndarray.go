// Package ndarray defines the array type that all file readers return: a shape, the element type in the file, and the
// values in one of four Go slices. It also contains code that binary readers share. This code decodes element types,
// and never allocates much more memory than the input can fill.
package ndarray

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"rao/internal/faults"
	"rao/internal/indices"
	"rao/internal/text"
)

// SymmetryTolerance is the largest difference between mirrored entries of a symmetric matrix, relative to the largest
// magnitude in the matrix. It allows for covariances computed in single precision. Reading a data set replaces
// mirrored entries by their mean.
const SymmetryTolerance = 1e-5

// Array is an n-dimensional array. Its values are in exactly one of Float64, Int64, Float32 and Strings; an array
// without elements may have none.
type Array struct {
	Name    string // name in the file, without extension; empty if there is none
	Type    string // element type in the file, such as "f8", "u1", "bool", "U"; empty if created in memory
	Shape   []int  // length of each axis; empty for a scalar
	Fortran bool   // the first axis varies fastest (column-major), otherwise the last

	Float64 []float64
	Int64   []int64
	Float32 []float32
	Strings []string

	// Unsigned contains the exact values of an array of unsigned integers with a value above the largest int64. Float64
	// then contains the rounded values.
	Unsigned []uint64
}

// Count returns the number of elements of the shape. It returns an error if a length is negative or the product does
// not fit in an int.
func Count(shape []int) (int, error) {
	n, huge := 1, 1
	for _, d := range shape {
		if d < 0 {
			return 0, fmt.Errorf("the shape %s has a negative length; lengths must be 0 or more", text.Shape(shape))
		}
		if d > 0 {
			if huge > math.MaxInt/16/d {
				return 0, fmt.Errorf("the shape %s is too large for the memory of this machine; use smaller parts",
					text.Shape(shape))
			}
			huge *= d
		}
		n *= d
	}
	return n, nil
}

// Len returns the number of elements stored.
func (a *Array) Len() int {
	return max(len(a.Float64), len(a.Int64), len(a.Float32), len(a.Strings))
}

// Check returns an error if the number of values does not match the shape, or if more than one slice has values.
func Check(a *Array) error {
	n, err := Count(a.Shape)
	if err != nil {
		return fmt.Errorf("array %q: %w", a.Name, err)
	}
	used := 0
	for _, l := range [...]int{len(a.Float64), len(a.Int64), len(a.Float32), len(a.Strings)} {
		if l > 0 {
			used++
		}
	}
	if used > 1 {
		return fmt.Errorf("array %q has values of more than one type; use one type per array", a.Name)
	}
	if a.Len() != n {
		return fmt.Errorf("array %q has %d values, but its shape %s needs %d", a.Name, a.Len(), text.Shape(a.Shape), n)
	}
	return nil
}

// Value returns element i, in storage order, as a float64. It is NaN for strings.
func (a *Array) Value(i int) float64 {
	switch {
	case a.Float64 != nil:
		return a.Float64[i]
	case a.Float32 != nil:
		return float64(a.Float32[i])
	case a.Int64 != nil:
		return float64(a.Int64[i])
	}
	return math.NaN()
}

// Text returns element i, in storage order, as text. Strings are unchanged; integers have no decimal point.
func (a *Array) Text(i int) string {
	switch {
	case a.Strings != nil:
		return a.Strings[i]
	case a.Int64 != nil:
		return strconv.FormatInt(a.Int64[i], 10)
	case a.Float32 != nil:
		return strconv.FormatFloat(float64(a.Float32[i]), 'f', -1, 32)
	case a.Unsigned != nil:
		return strconv.FormatUint(a.Unsigned[i], 10)
	}
	return strconv.FormatFloat(a.Float64[i], 'f', -1, 64)
}

// ToFloat64 returns the values as float64 in storage order. It does not copy values that are stored as float64. It
// returns an error for strings.
func (a *Array) ToFloat64() ([]float64, error) {
	if a.Strings != nil {
		return nil, fmt.Errorf("array %q contains text, but numbers are needed; name another array", a.Name)
	}
	if a.Float64 != nil {
		return a.Float64, nil
	}
	out := make([]float64, a.Len())
	for i, v := range a.Float32 {
		out[i] = float64(v)
	}
	for i, v := range a.Int64 {
		out[i] = float64(v)
	}
	return out, nil
}

// Contiguous returns the array in C order, with the last axis varying fastest. It returns a itself if it already has
// this order.
func Contiguous(a *Array) *Array {
	if !a.Fortran {
		return a
	}
	out := *a
	out.Fortran = false
	long := indices.Count(a.Shape, func(d int) bool { return d != 1 })
	if long < 2 {
		return &out
	}
	out.Float64 = toC(a.Float64, a.Shape)
	out.Float32 = toC(a.Float32, a.Shape)
	out.Int64 = toC(a.Int64, a.Shape)
	out.Strings = toC(a.Strings, a.Shape)
	out.Unsigned = toC(a.Unsigned, a.Shape)
	return &out
}

// Reversed returns the array with its axes in reverse order. For a column-major array it does not move the values.
func Reversed(a *Array) *Array {
	out := *a
	out.Shape = make([]int, len(a.Shape))
	for i, d := range a.Shape {
		out.Shape[len(a.Shape)-1-i] = d
	}
	out.Fortran = !a.Fortran
	return &out
}

// toC copies column-major values to row-major order.
func toC[T any](src []T, shape []int) []T {
	if src == nil {
		return nil
	}
	dst := make([]T, len(src))
	if len(src) == 0 {
		return dst
	}
	// Row-major strides, in the order of the source.
	strides := make([]int, len(shape))
	s := 1
	for i := len(shape) - 1; i >= 0; i-- {
		strides[i] = s
		s *= shape[i]
	}
	if len(shape) == 2 {
		transpose2(dst, src, shape[0], shape[1])
		return dst
	}
	index := make([]int, len(shape))
	at := 0
	for _, v := range src {
		dst[at] = v
		for axis := range shape {
			index[axis]++
			at += strides[axis]
			if index[axis] < shape[axis] {
				break
			}
			at -= shape[axis] * strides[axis]
			index[axis] = 0
		}
	}
	return dst
}

// transpose2 writes the rows×cols column-major src to dst in row-major order, in tiles that fit in the cache.
func transpose2[T any](dst, src []T, rows, cols int) {
	const tile = 32
	for i0 := 0; i0 < rows; i0 += tile {
		i1 := min(i0+tile, rows)
		for j0 := 0; j0 < cols; j0 += tile {
			j1 := min(j0+tile, cols)
			for i := i0; i < i1; i++ {
				for j := j0; j < j1; j++ {
					dst[i*cols+j] = src[j*rows+i]
				}
			}
		}
	}
}

// EndsInside returns the error for a read that failed inside a part of a file, such as "the npy header". An error other
// than the end of the file is returned unchanged.
func EndsInside(part string, err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return faults.Also(fmt.Errorf("the file ends inside %s; it is truncated, so copy or download it again", part),
			io.ErrUnexpectedEOF)
	}
	return err
}

// ErrTruncated means that the input ended before the array did.
var ErrTruncated = faults.Also(errors.New("the file ends before the array does; it is truncated, so copy or download "+
	"it again"), io.ErrUnexpectedEOF)
