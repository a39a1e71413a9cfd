package matfile

import (
	"fmt"
	"strings"

	"rao/internal/format/ndarray"
	"rao/internal/text"
)

// Value is an array of any class. Numbers and text are in Array. The contents of a cell array or a struct array are in
// Items.
type Value struct {
	Class string
	Shape []int
	Array *ndarray.Array // nil for cells, structs, and classes that cannot be read
	// Fields are the names of a struct's fields, in file order.
	Fields []string
	// Items are the cells in column-major order or, for a struct, the fields of each element, with elements in
	// column-major order.
	Items []*Value

	refused error // why Array is nil for a class that cannot be read
}

// Len returns the number of elements. It is 0 for nil.
func (v *Value) Len() int {
	if v == nil {
		return 0
	}
	n, err := ndarray.Count(v.Shape)
	if err != nil {
		return 0
	}
	return n
}

// Field returns a field of element k of a struct array, counted from 0, or nil if it does not exist.
func (v *Value) Field(k int, name string) *Value {
	if v == nil {
		return nil
	}
	for i, f := range v.Fields {
		if at := k*len(v.Fields) + i; f == name && at < len(v.Items) {
			return v.Items[at]
		}
	}
	return nil
}

// Text returns the text of a character array with one row, or "" for an empty character array. ok is false for any
// other value.
func (v *Value) Text() (text string, ok bool) {
	switch {
	case v == nil || v.Class != "char":
		return "", false
	case v.Array == nil || len(v.Array.Strings) == 0:
		return "", v.Len() == 0
	}
	return v.Array.Strings[0], len(v.Array.Strings) == 1
}

// Number returns the value of a numeric array with one element. ok is false for any other value.
func (v *Value) Number() (x float64, ok bool) {
	if v == nil || v.Array == nil || v.Array.Strings != nil || v.Array.Len() != 1 {
		return 0, false
	}
	return v.Array.Value(0), true
}

// Numbers returns the values of a numeric array in column-major order, or nil for any other value.
func (v *Value) Numbers() []float64 {
	if v == nil || v.Array == nil || v.Array.Strings != nil {
		return nil
	}
	out := make([]float64, v.Array.Len())
	for i := range out {
		out[i] = v.Array.Value(i)
	}
	return out
}

// Texts returns the rows of a character array or the texts of a cell array, or nil for any other value.
func (v *Value) Texts() []string {
	switch {
	case v == nil:
		return nil
	case v.Class == "char" && v.Array != nil:
		return v.Array.Strings
	case v.Class != "cell":
		return nil
	}
	out := make([]string, len(v.Items))
	for i, c := range v.Items {
		text, ok := c.Text()
		if !ok && c.Len() > 0 {
			return nil
		}
		out[i] = text
	}
	return out
}

func (v *Value) array() (*ndarray.Array, error) {
	switch {
	case v.refused != nil:
		return nil, v.refused
	case v.Array != nil:
		return v.Array, nil
	case v.Class == "struct":
		return nil, fmt.Errorf("it is a struct of shape %s; name one of its fields: %s",
			text.Shape(v.Shape), strings.Join(v.Fields, ", "))
	case v.Class != "cell":
		return nil, fmt.Errorf("it is of class %s, which contains neither numbers nor text; name another variable",
			v.Class)
	}
	texts := v.Texts()
	if texts == nil {
		return nil, fmt.Errorf("it is a cell array of shape %s, not all of text; name one of its cells, such as "+
			"{1}", text.Shape(v.Shape))
	}
	return &ndarray.Array{Type: "U", Shape: v.Shape, Fortran: true, Strings: texts}, nil
}

// Select reads only the named fields of a struct variable. Other fields are skipped and are nil in the value. Names
// that the struct does not have are ignored.
func (f *File) Select(name string, fields ...string) (*Value, error) {
	v := f.Lookup(name)
	if v == nil || v.Class != "struct" {
		return nil, fmt.Errorf("%s: the file has no struct %q; its variables are %s", f.path, name,
			strings.Join(f.Names(), ", "))
	}
	read := func() (*Value, error) { return f.value5(v, nil, fields) }
	if f.h5 != nil {
		read = func() (*Value, error) { return f.value73(name, nil, fields) }
	}
	value, err := read()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.path, inVariable(name, err))
	}
	return value, nil
}

// At reads the value at a path in MATLAB notation: a variable, then any number of fields .NAME, cells {I} and elements
// (I), with indices from 1. Examples are data{1}.X and mrk.pos. Values outside the path are skipped without storing
// them.
func (f *File) At(path string) (*Value, error) {
	name, steps, err := parsePath(path)
	if err != nil {
		return nil, err
	}
	v := f.Lookup(name)
	if v == nil {
		return nil, fmt.Errorf("%s: the file has no variable %q; its variables are %s", f.path, name,
			strings.Join(f.Names(), ", "))
	}
	var value *Value
	switch {
	case f.h5 != nil:
		value, err = f.value73(name, steps, nil)
	case f.order == nil:
		value, err = f.value4(v, steps)
	default:
		value, err = f.value5(v, steps, nil)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.path, inVariable(path, err))
	}
	return value, nil
}

func (f *File) value4(v *Var, steps []step) (*Value, error) {
	if len(steps) > 0 {
		return nil, fmt.Errorf("it is of class %s and has no %v; leave this part of the path out", v.Class, steps[0])
	}
	if err := v.Readable(); err != nil {
		return nil, err
	}
	a, err := f.read4(v)
	return &Value{Class: v.Class, Shape: v.Shape, Array: a}, err
}

func (f *File) value5(v *Var, steps []step, only []string) (*Value, error) {
	e, c, err := f.matrix(v)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	return (&tree{path: v.Name, budget: v.budget(), only: only}).value(e, steps, 0)
}
