package matfile

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"

	"rao/internal/format/hdf5"
	"rao/internal/format/ndarray"
	"rao/internal/text"
)

// scan73 lists the variables of a file of version 7.3, which is HDF5.
func (f *File) scan73() error {
	h, err := hdf5.New(f.r, f.size)
	if err != nil {
		return err
	}
	root, err := h.Root()
	if err != nil {
		return err
	}
	f.links, err = root.Links()
	if err != nil {
		return err
	}
	f.h5, f.top = h, root
	f.links = slices.DeleteFunc(f.links, func(l hdf5.Link) bool { return strings.HasPrefix(l.Name, "#") })
	for _, l := range f.links {
		o, err := root.Open(l)
		if err != nil {
			return inVariable(l.Name, err)
		}
		v := Var{Name: l.Name, Class: class73(o), Shape: shape73(o)}
		f.Vars = append(f.Vars, v)
	}
	return nil
}

func class73(o *hdf5.Object) string {
	class := o.Text("MATLAB_class")
	switch {
	case o.Has("MATLAB_sparse"):
		return "unknown"
	case class == "" && o.IsGroup(), class == "struct":
		return "struct"
	case class == "" && o.IsReference():
		return "cell"
	case class == "logical":
		return "uint8"
	case class == "":
		return map[string]string{"f8": "double", "f4": "single", "i1": "int8", "u1": "uint8", "i2": "int16",
			"u2": "uint16",
			"i4": "int32", "u4": "uint32", "i8": "int64", "u8": "uint64", "S": "char"}[o.ElemType()]
	}
	return class
}

// shape73 returns the shape in MATLAB's order: the axes reversed, and at least two.
func shape73(o *hdf5.Object) []int {
	if o.IsGroup() {
		return []int{1, 1}
	}
	shape := slices.Clone(o.Shape())
	slices.Reverse(shape)
	for len(shape) < 2 {
		shape = append(shape, 1)
	}
	return shape
}

// value73 reads a variable of a file of version 7.3, or the part of it that steps selects.
func (f *File) value73(name string, steps []step, only []string) (*Value, error) {
	i := slices.IndexFunc(f.links, func(l hdf5.Link) bool { return l.Name == name })
	o, err := f.top.Open(f.links[i])
	if err != nil {
		return nil, err
	}
	t := &tree73{tree: tree{path: name, only: only}, f: f.h5}
	return t.value(o, steps, 0)
}

// tree73 reads the nested values of a variable in a file of version 7.3.
type tree73 struct {
	tree
	f *hdf5.File
}

func (t *tree73) value(o *hdf5.Object, steps []step, depth int) (*Value, error) {
	if t.nodes++; t.nodes > maxNodes || depth > maxDepth {
		return nil, fmt.Errorf("it has more than %d nested values or %d levels, too many to read; name a part of it",
			maxNodes, maxDepth)
	}
	v := &Value{Class: class73(o), Shape: shape73(o)}
	switch {
	case o.Has("MATLAB_empty"):
		return t.empty(o, v, steps)
	case v.Class == "unknown" || v.Class == "":
		v.refused = fmt.Errorf("variable %q contains values that are not supported, such as a sparse or complex "+
			"array; "+
			"save it in full, as real numbers", t.path)
		return v.past(steps)
	case o.IsGroup():
		v.Class = "struct"
		return t.fields(o, v, steps, depth)
	case o.IsReference():
		return t.cells(o, v, steps, depth)
	case v.Class == "cell" || v.Class == "struct":
		return nil, fmt.Errorf("a variable of class %s contains numbers; the file is corrupt, so copy it again",
			v.Class)
	}
	a, err := o.Read()
	if err != nil {
		v.refused = fmt.Errorf("variable %q: %w", t.path, err)
		return v.past(steps)
	}
	v.Array = ndarray.Reversed(a)
	v.Array.Shape = v.Shape
	if v.Class == "char" {
		if v.Array, err = text73(a, v.Shape); err != nil {
			return nil, err
		}
	}
	return v.past(steps)
}

// text73 converts UTF-16 units to rows of text.
func text73(a *ndarray.Array, shape []int) (*ndarray.Array, error) {
	if a.Strings != nil || len(shape) != 2 {
		return a, nil
	}
	units := make([]uint16, a.Len())
	for i := range units {
		units[i] = uint16(a.Value(i))
	}
	chars := utf16.Decode(units)
	if len(chars) != len(units) {
		return nil, errors.New("text with characters above U+FFFF cannot be read; save the text without these " +
			"characters")
	}
	if len(chars) == 0 {
		return emptyText(shape[0])
	}
	return textArray(chars, shape[0], shape[1]), nil
}

// empty completes v as an array without elements; the file contains only its shape.
func (t *tree73) empty(o *hdf5.Object, v *Value, steps []step) (*Value, error) {
	v.Shape = []int{0, 0}
	if a, err := o.Read(); err == nil && a.Len() >= 2 && a.Len() <= maxAxes && a.Strings == nil {
		v.Shape = nil
		for i := range a.Len() {
			v.Shape = append(v.Shape, int(max(0, min(a.Value(i), 1<<31-1))))
		}
		if n, err := ndarray.Count(v.Shape); err != nil || n != 0 {
			v.Shape = []int{0, 0}
		}
	}
	switch v.Class {
	case "cell", "struct":
	case "char":
		v.Array = &ndarray.Array{Type: "U", Shape: []int{0}, Strings: []string{}}
	default:
		v.Array = &ndarray.Array{Type: "f8", Shape: v.Shape, Fortran: true, Float64: []float64{}}
	}
	return v.past(steps)
}

// fields reads a struct. The members of the group are its fields. The fields of a struct array are data sets of
// references, one per element.
func (t *tree73) fields(o *hdf5.Object, v *Value, steps []step, depth int) (*Value, error) {
	links, err := o.Links()
	if err != nil {
		return nil, err
	}
	parts := make([]*hdf5.Object, len(links))
	elements, array := 0, false
	for i, l := range links {
		v.Fields = append(v.Fields, l.Name)
		if parts[i], err = o.Open(l); err != nil {
			return nil, fmt.Errorf("field %q: %w", l.Name, err)
		}
		if parts[i].IsReference() && parts[i].Text("MATLAB_class") == "" {
			if n, err := ndarray.Count(parts[i].Shape()); err == nil {
				elements, array, v.Shape = n, true, shape73(parts[i])
			}
		}
	}
	if array {
		return t.elements(v, parts, elements, steps, depth)
	}
	if len(steps) > 0 && steps[0].place != nil {
		if _, err := steps[0].offset(v.Shape, 1); err != nil {
			return nil, err
		}
		steps = steps[1:]
	}
	if len(steps) > 0 {
		i, err := steps[0].fieldIndex(v.Fields)
		if err != nil {
			return nil, err
		}
		return t.value(parts[i], steps[1:], depth+1)
	}
	for i, p := range parts {
		var item *Value
		if depth > 0 || t.only == nil || slices.Contains(t.only, v.Fields[i]) {
			if item, err = t.value(p, nil, depth+1); err != nil {
				return nil, fmt.Errorf("field %q: %w", v.Fields[i], err)
			}
		}
		v.Items = append(v.Items, item)
	}
	return v, nil
}

// elements reads a struct array, or the element or field that steps selects.
func (t *tree73) elements(v *Value, parts []*hdf5.Object, n int, steps []step, depth int) (*Value, error) {
	refs := make([][]uint64, len(parts))
	for i, p := range parts {
		var err error
		if refs[i], err = p.References(); err != nil || len(refs[i]) != n {
			return nil, fmt.Errorf("the fields of a struct array do not have %d values each; the file is corrupt, so "+
				"copy it again", n)
		}
	}
	from, to := 0, n
	if len(steps) > 0 {
		if steps[0].place == nil {
			return nil, fmt.Errorf("it is a struct array of shape %s; name an element before %v, such as (1)",
				text.Shape(v.Shape), steps[0])
		}
		k, err := steps[0].offset(v.Shape, n)
		if err != nil {
			return nil, err
		}
		if len(steps) > 1 {
			i, err := steps[1].fieldIndex(v.Fields)
			if err != nil {
				return nil, err
			}
			return t.follow(refs[i][k], steps[2:], depth)
		}
		from, to, v.Shape = k, k+1, []int{1, 1}
	}
	for k := from; k < to; k++ {
		for i := range parts {
			item, err := t.follow(refs[i][k], nil, depth)
			if err != nil {
				return nil, err
			}
			v.Items = append(v.Items, item)
		}
	}
	return v, nil
}

// cells reads a cell array, or the cell that steps selects.
func (t *tree73) cells(o *hdf5.Object, v *Value, steps []step, depth int) (*Value, error) {
	v.Class = "cell"
	refs, err := o.References()
	if err != nil {
		return nil, err
	}
	if len(steps) > 0 {
		if steps[0].place == nil {
			return nil, fmt.Errorf("it is a cell array of shape %s; name a cell before %v, such as "+
				"{1}", text.Shape(v.Shape), steps[0])
		}
		k, err := steps[0].offset(v.Shape, len(refs))
		if err != nil {
			return nil, err
		}
		return t.follow(refs[k], steps[1:], depth)
	}
	for _, r := range refs {
		item, err := t.follow(r, nil, depth)
		if err != nil {
			return nil, err
		}
		v.Items = append(v.Items, item)
	}
	return v, nil
}

// follow reads the object at a reference. A null reference gives an empty array.
func (t *tree73) follow(addr uint64, steps []step, depth int) (*Value, error) {
	if addr == 0 || addr == ^uint64(0) {
		return (&Value{Class: "double", Shape: []int{0, 0}}).past(steps)
	}
	o, err := t.f.Object(addr)
	if err != nil {
		return nil, err
	}
	return t.value(o, steps, depth+1)
}
