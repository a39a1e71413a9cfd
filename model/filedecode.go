package model

import (
	"cmp"
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/format/archive"
	"rao/internal/linalg/vec"
	"rao/internal/text"
	"rao/spd"
)

// maxDepth limits the nesting of a model's fields. A file with deeper nesting was not written by this package.
const maxDepth = 32

type decoder struct {
	arrays map[string]archive.Array
	used   map[string]bool // arrays to which a field refers
}

func newDecoder(arrays []archive.Array) *decoder {
	d := &decoder{arrays: make(map[string]archive.Array, len(arrays)), used: map[string]bool{}}
	for _, a := range arrays {
		d.arrays[a.Name] = a
	}
	return d
}

// unused returns the name of an array that no field refers to, or "" if there is none.
func (d *decoder) unused() string {
	for _, name := range slices.Sorted(maps.Keys(d.arrays)) {
		if !d.used[name] {
			return name
		}
	}
	return ""
}

// decode sets v, which must be settable, from the tree. Fields that are missing in the tree keep their zero values. A
// tree that does not fit the type is an error.
func (d *decoder) decode(raw json.RawMessage, v reflect.Value, path string, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("field %s is nested more than %d levels deep; fit the model again", path, maxDepth)
	}
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	switch v.Type() {
	case denseType, symType, stackPtrType, stackType, floatsType, floats32Type, intsType:
		return d.decodeArray(raw, v, path)
	}
	if v.Kind() != reflect.Pointer {
		switch u := v.Addr().Interface().(type) {
		case json.Unmarshaler:
			return wrap(path, u.UnmarshalJSON(raw))
		case encoding.TextUnmarshaler:
			var s string
			if err := json.Unmarshal(raw, &s); err != nil {
				return wrap(path, err)
			}
			return wrap(path, u.UnmarshalText([]byte(s)))
		}
	}
	switch v.Kind() {
	case reflect.Float64, reflect.Float32:
		return wrap(path, decodeFloat(raw, v))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return d.decode(raw, v.Elem(), path, depth+1)
	case reflect.Struct:
		return d.decodeStruct(raw, v, path, depth)
	case reflect.Slice, reflect.Array:
		return d.decodeList(raw, v, path, depth)
	case reflect.Interface, reflect.Map, reflect.Func, reflect.Chan:
		return fmt.Errorf("field %s has type %s, which cannot be loaded", path, v.Type())
	}
	return wrap(path, json.Unmarshal(raw, v.Addr().Interface()))
}

// decodeFloat accepts a number, or a string for values that JSON numbers cannot represent.
func decodeFloat(raw json.RawMessage, v reflect.Value) error {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		f, err := strconv.ParseFloat(s, 64)
		if err != nil || vec.Finite(f) {
			return fmt.Errorf("%q is not a number", s)
		}
		v.SetFloat(f)
		return nil
	}
	return json.Unmarshal(raw, v.Addr().Interface())
}

// decodeStruct sets the exported fields. A field that the type does not have is an error, because the file was written
// by a later version and the value would be lost.
func (d *decoder) decodeStruct(raw json.RawMessage, v reflect.Value, path string, depth int) error {
	var tree map[string]json.RawMessage
	if err := json.Unmarshal(raw, &tree); err != nil {
		return wrap(path, err)
	}
	for _, f := range fieldsInFile(v.Type()) {
		name := nameInFile(f)
		if err := d.decode(tree[name], v.FieldByIndex(f.Index), join(path, name), depth+1); err != nil {
			return err
		}
		delete(tree, name)
	}
	if len(tree) > 0 {
		unknown := slices.Min(slices.Collect(maps.Keys(tree)))
		return fmt.Errorf("field %s is unknown to this version of rao (%s); use a newer version",
			join(path, unknown), rao.Version)
	}
	return nil
}

func (d *decoder) decodeList(raw json.RawMessage, v reflect.Value, path string, depth int) error {
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return wrap(path, err)
	}
	if v.Kind() == reflect.Slice {
		v.Set(reflect.MakeSlice(v.Type(), len(list), len(list)))
	} else if len(list) != v.Len() {
		return fmt.Errorf("field %s has %d values, but needs %d", path, len(list), v.Len())
	}
	for i := range list {
		if err := d.decode(list[i], v.Index(i), fmt.Sprintf("%s.%d", path, i), depth+1); err != nil {
			return err
		}
	}
	return nil
}

// array returns the array that raw refers to. It must have the given number of dimensions.
func (d *decoder) array(raw json.RawMessage, path string, dims int) (archive.Array, error) {
	var ref arrayRef
	if err := json.Unmarshal(raw, &ref); err != nil {
		return archive.Array{}, wrap(path, err)
	}
	a, ok := d.arrays[ref.Array]
	if !ok {
		return archive.Array{}, fmt.Errorf("field %s: the file has no array %q", path, ref.Array)
	}
	d.used[ref.Array] = true
	if len(a.Shape) != dims {
		return archive.Array{}, fmt.Errorf("array %s has %d dimensions, but needs %d", a.Name, len(a.Shape), dims)
	}
	return a, nil
}

func (d *decoder) symmetric(raw json.RawMessage, path string) (*mat.SymDense, error) {
	a, err := d.array(raw, path, 2)
	if err != nil {
		return nil, err
	}
	n := a.Shape[0]
	if n < 1 || a.Shape[1] != n || len(a.Float64) != n*n {
		return nil, fmt.Errorf("array %s has shape %s; it must be a symmetric matrix", a.Name, text.Shape(a.Shape))
	}
	if err := spd.StackOf(1, n, a.Float64).Verify(); err != nil {
		return nil, fmt.Errorf("array %s: %w", a.Name, err)
	}
	return mat.NewSymDense(n, a.Float64), nil
}

func (d *decoder) decodeArray(raw json.RawMessage, v reflect.Value, path string) error {
	if v.Type() == symType {
		m, err := d.symmetric(raw, path)
		v.Set(reflect.ValueOf(m))
		return err
	}
	dims := map[reflect.Type]int{denseType: 2, stackType: 3, stackPtrType: 3}[v.Type()]
	a, err := d.array(raw, path, max(dims, 1))
	if err != nil {
		return err
	}
	size := 1
	for _, n := range a.Shape {
		size *= n
	}
	var have int
	switch v.Type() {
	case intsType:
		have = len(a.Int64)
	case floats32Type:
		have = len(a.Float32)
	default:
		have = len(a.Float64)
	}
	if have != size {
		want := "float64"
		switch v.Type() {
		case intsType:
			want = "int64"
		case floats32Type:
			want = "float32"
		}
		return fmt.Errorf("array %s: the values cannot be stored in field %s; save them as %s", a.Name, path, want)
	}
	switch v.Type() {
	case floatsType:
		v.Set(reflect.ValueOf(a.Float64))
	case floats32Type:
		v.Set(reflect.ValueOf(a.Float32))
	case intsType:
		return d.setInts(a, v)
	case denseType:
		if size == 0 {
			return fmt.Errorf("array %s is empty", a.Name)
		}
		v.Set(reflect.ValueOf(mat.NewDense(a.Shape[0], a.Shape[1], a.Float64)))
	case stackType, stackPtrType:
		if a.Shape[1] != a.Shape[2] {
			return fmt.Errorf("array %s has matrices of %d×%d; they must be square", a.Name, a.Shape[1], a.Shape[2])
		}
		s := spd.StackOf(a.Shape[0], a.Shape[1], a.Float64)
		if v.Type() == stackType {
			v.Set(reflect.ValueOf(*s))
		} else {
			v.Set(reflect.ValueOf(s))
		}
	}
	return nil
}

func (d *decoder) setInts(a archive.Array, v reflect.Value) error {
	out := make([]int, len(a.Int64))
	for i, n := range a.Int64 {
		if int64(int(n)) != n {
			return fmt.Errorf("array %s: value %d is too large for the integers of this machine; use a 64-bit machine",
				a.Name, n)
		}
		out[i] = int(n)
	}
	v.Set(reflect.ValueOf(out))
	return nil
}

func wrap(path string, err error) error {
	if err != nil {
		return fmt.Errorf("field %s: %w", cmp.Or(path, "model"), text.JSONError(err))
	}
	return nil
}
