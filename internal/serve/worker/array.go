package worker

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sync/atomic"
	"unsafe"

	"gonum.org/v1/gonum/mat"

	"rao/dataset"
	"rao/internal/format/ndarray"
	"rao/internal/indices"
	"rao/internal/linalg/dense"
	"rao/internal/linalg/vec"
	"rao/internal/par"
	"rao/internal/text"
	"rao/spd"
)

// Array is an array in a frame: the description in the header, and the bytes.
type Array struct {
	Name  string `json:"name"`
	Type  string `json:"dtype"` // as in numpy: <f8 <f4 <i8 <i4 <i2 |i1 <u2 |u1
	Shape []int  `json:"shape"`
	Data  []byte `json:"-"`
}

// widths are the bytes per value of the array types.
var widths = map[string]int{"<f8": 8, "<f4": 4, "<i8": 8, "<i4": 4, "<i2": 2, "|i1": 1, "<u2": 2, "|u1": 1}

// bytes returns the length of the array in bytes. It returns an error if the header is wrong or the array is longer
// than limit.
func (a *Array) bytes(limit int) (int, error) {
	n, ok := widths[a.Type]
	if !ok {
		return 0, fmt.Errorf("array %q has the unknown type %q; send one of <f8, <f4, <i8, <i4, <i2, |i1, <u2 and |u1",
			a.Name, a.Type)
	}
	empty := slices.Contains(a.Shape, 0)
	for _, d := range a.Shape {
		if d < 0 || !empty && n > limit/d {
			return 0, fmt.Errorf("array %q: the shape %s needs more than the %d bytes of the frame; send a matching "+
				"shape", a.Name, text.Shape(a.Shape), limit)
		}
		n *= d
	}
	return n, nil
}

// cut splits a body into the arrays that the header lists.
func cut(arrays []Array, body []byte) error {
	for i := range arrays {
		a := &arrays[i]
		n, err := a.bytes(len(body))
		if err != nil {
			return err
		}
		if n > len(body) {
			return fmt.Errorf("array %q of shape %s is longer than its frame", a.Name, text.Shape(a.Shape))
		}
		a.Data = body[:n:n]
		body = body[min(len(body), n+padding(n)):]
	}
	return nil
}

func (a *Array) len() int { return len(a.Data) / widths[a.Type] }

// littleEndian reports whether the machine stores numbers in little-endian order, as frames do.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// view returns the values of an array whose type has the width of T. On a little-endian machine with aligned values,
// they are not copied.
func view[T float64 | float32 | int64 | int32 | int16 | uint16 | int8](b []byte) []T {
	var zero T
	size := int(unsafe.Sizeof(zero))
	if len(b) < size {
		return nil
	}
	if littleEndian && uintptr(unsafe.Pointer(unsafe.SliceData(b)))%uintptr(size) == 0 {
		return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/size)
	}
	out := make([]T, len(b)/size)
	binary.Decode(b, binary.LittleEndian, out) // b is long enough
	return out
}

// doubles returns the values as float64. The result may share the memory of the frame.
func (a *Array) doubles() []float64 {
	switch a.Type {
	case "<f8":
		return view[float64](a.Data)
	case "<f4":
		return vec.Converted[float64](view[float32](a.Data))
	case "<i8":
		return vec.Converted[float64](view[int64](a.Data))
	case "<i4":
		return vec.Converted[float64](view[int32](a.Data))
	}
	return vec.Converted[float64](a.singles())
}

// singles returns the values if float32 can represent them exactly, otherwise nil. The result may share the memory of
// the frame.
func (a *Array) singles() []float32 {
	switch a.Type {
	case "<f4":
		return view[float32](a.Data)
	case "<i2":
		return vec.Converted[float32](view[int16](a.Data))
	case "<u2":
		return vec.Converted[float32](view[uint16](a.Data))
	case "|i1":
		return vec.Converted[float32](view[int8](a.Data))
	case "|u1":
		return vec.Converted[float32](a.Data)
	}
	return nil
}

func (a *Array) ints() ([]int, error) {
	if a.Type[1] == 'f' {
		return nil, fmt.Errorf("array %q has the type %s, but must contain integers", a.Name, a.Type)
	}
	out := make([]int, a.len())
	for i, v := range a.doubles() {
		out[i] = int(v)
	}
	return out, nil
}

// oneOf returns the array as one integer per item, of which there are n. It returns an error for an integer below low
// or above high. item is the name of an item, such as "row".
func (a *Array) oneOf(item string, n, low, high int) ([]int, error) {
	of, err := a.ints()
	if err != nil {
		return nil, err
	}
	if err := indices.CheckOnePer("value", len(of), item, n); err != nil {
		return nil, fmt.Errorf("%s: %w", a.Name, err)
	}
	for i, v := range of {
		if v < low || v > high {
			return nil, fmt.Errorf("%s: %s %d has the number %d, but numbers must be from %d to %d", a.Name, item, i, v,
				low, high)
		}
	}
	return of, nil
}

// table returns a two-dimensional array as a table with one vector per row.
func (a *Array) table() (*dataset.Table, error) {
	if len(a.Shape) != 2 || a.Shape[1] == 0 {
		return nil, fmt.Errorf("array %q has the shape %s, but must have two axes, observations × columns; a single "+
			"vector is 1 × columns", a.Name, text.Shape(a.Shape))
	}
	n, d := a.Shape[0], a.Shape[1]
	switch a.Type {
	case "<f8", "<i8", "<i4":
		return dataset.NewTable(n, d, a.doubles()), nil
	case "|u1":
		return dataset.NewTable(n, d, a.Data), nil
	}
	return dataset.NewTable(n, d, a.singles()), nil
}

// stack returns a copy of the array as symmetric matrices.
func (a *Array) stack() (*spd.Stack, error) {
	x, err := a.shaped()
	if err != nil {
		return nil, err
	}
	own := spd.NewStack(x.Count, x.Dim)
	return own, par.Try(x.Count, stackGrain, func(_, lo, hi int) error {
		part := own.Slice(lo, hi)
		copy(part.Data, x.Slice(lo, hi).Data)
		return symmetrize(part, a.Name, lo)
	})
}

// stackGrain is the number of matrices that a goroutine processes at a time.
const stackGrain = 64

// lent returns the array as symmetric matrices, which are read-only and valid until the request is answered.
func (a *Array) lent() (*spd.Stack, error) {
	x, err := a.shaped()
	if err != nil {
		return nil, err
	}
	var skew atomic.Bool
	par.For(x.Count, stackGrain, func(_, lo, hi int) {
		for k := lo; k < hi && !skew.Load(); k++ {
			if !dense.Mirrored(x.Dim, x.At(k)) {
				skew.Store(true)
			}
		}
	})
	if skew.Load() {
		return a.stack()
	}
	return x, nil
}

// shaped returns the values of the array as square matrices.
func (a *Array) shaped() (*spd.Stack, error) {
	if len(a.Shape) != 3 || a.Shape[1] != a.Shape[2] || a.Shape[1] == 0 {
		return nil, fmt.Errorf("array %q has the shape %s, but stacks of matrices have the shape count × order × order",
			a.Name, text.Shape(a.Shape))
	}
	return spd.StackOf(a.Shape[0], a.Shape[1], a.doubles()), nil
}

// symmetrize replaces pairs of entries that differ only by rounding by their mean. first is the number of the first
// matrix in the array, for messages.
func symmetrize(x *spd.Stack, name string, first int) error {
	n := x.Dim
	for k := range x.Count {
		a := x.At(k)
		if dense.Mirrored(n, a) {
			continue
		}
		// NaN is reported elsewhere with its position
		if diff, i, j, largest := vec.Asymmetry(a, n); diff > ndarray.SymmetryTolerance*largest &&
			vec.NotFinite(a) < 0 {
			return fmt.Errorf("matrix %d of %s is not symmetric: entries (%d, %d) and (%d, %d) are %v and %v; "+
				"correct the matrix, or use the mean of it and its transpose", first+k, name, i, j, j, i, a[i*n+j],
				a[j*n+i])
		}
		vec.Symmetrize(a, n)
	}
	return nil
}

// symmetric returns the array as one symmetric matrix.
func (a *Array) symmetric() (*mat.SymDense, error) {
	if len(a.Shape) != 2 {
		return nil, fmt.Errorf("array %q has the shape %s, but a matrix must have the shape order × order", a.Name,
			text.Shape(a.Shape))
	}
	one := *a
	one.Shape = append([]int{1}, a.Shape...)
	x, err := one.stack()
	if err != nil {
		return nil, err
	}
	return x.Sym(0), nil
}

// float64Array returns values as an array of a reply. On a little-endian machine, it does not copy them.
func float64Array(name string, v []float64, shape ...int) Array {
	if !littleEndian {
		b, _ := binary.Append(nil, binary.LittleEndian, v)
		return Array{name, "<f8", shape, b}
	}
	return Array{name, "<f8", shape, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), 8*len(v))}
}

func denseArray(name string, m *mat.Dense) Array {
	r, c := m.Dims()
	if raw := m.RawMatrix(); raw.Stride != c {
		m = mat.DenseCopyOf(m)
	}
	return float64Array(name, m.RawMatrix().Data[:r*c], r, c)
}

func stackArray(name string, x *spd.Stack) Array {
	return float64Array(name, x.Contiguous(), x.Count, x.Dim, x.Dim)
}

func intArray(name string, v []int) Array {
	b, _ := binary.Append(make([]byte, 0, 8*len(v)), binary.LittleEndian, vec.Converted[int64](v))
	return Array{name, "<i8", []int{len(v)}, b}
}

func boolArray(name string, v []bool) Array {
	b, _ := binary.Append(make([]byte, 0, len(v)), binary.LittleEndian, v)
	return Array{name, "|u1", []int{len(v)}, b}
}
