package model

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/format/archive"
	"rao/internal/linalg/vec"
	"rao/spd"
)

// The codec converts a struct to a tree for rao.json and a list of arrays, and back. It encodes exported fields, each
// under the name in its json tag, which is required. Numeric slices, matrices and stacks become arrays, which are
// named by their path; the tree refers to them as {"array": name}. Everything else is in the tree.

// arrayRef is the placeholder of an array in the tree.
type arrayRef struct {
	Array string `json:"array"`
}

var (
	denseType    = reflect.TypeFor[*mat.Dense]()
	symType      = reflect.TypeFor[*mat.SymDense]()
	stackPtrType = reflect.TypeFor[*spd.Stack]()
	stackType    = reflect.TypeFor[spd.Stack]()
	floatsType   = reflect.TypeFor[[]float64]()
	floats32Type = reflect.TypeFor[[]float32]()
	intsType     = reflect.TypeFor[[]int]()
	reportType   = reflect.TypeFor[rao.Report]()
)

type encoder struct {
	arrays []archive.Array
}

func (e *encoder) put(a archive.Array) arrayRef {
	e.arrays = append(e.arrays, a)
	return arrayRef{a.Name}
}

// encode returns the tree of v. It returns an error for a kind of field that a model must not have: an interface, a
// map, a function or a channel.
func (e *encoder) encode(v reflect.Value, path string) (any, error) {
	switch v.Type() {
	case denseType, symType, stackPtrType, floatsType, floats32Type, intsType:
		if v.IsNil() {
			return nil, nil
		}
		return e.encodeArray(v, path), nil
	case reportType:
		r := v.Interface().(rao.Report)
		r.Elapsed = 0 // equal fits must give equal bytes
		return r, nil
	case stackType:
		return e.encodeStack(v.Addr().Interface().(*spd.Stack), path), nil
	}
	if m, ok := v.Interface().(json.Marshaler); ok && v.Kind() != reflect.Pointer {
		b, err := m.MarshalJSON()
		return json.RawMessage(b), err
	}
	if m, ok := v.Interface().(encoding.TextMarshaler); ok && v.Kind() != reflect.Pointer {
		b, err := m.MarshalText()
		return string(b), err
	}
	switch v.Kind() {
	case reflect.Bool, reflect.String, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return v.Interface(), nil
	case reflect.Float64, reflect.Float32:
		if f := v.Float(); !vec.Finite(f) {
			return fmt.Sprint(f), nil
		}
		return v.Float(), nil
	case reflect.Pointer:
		if v.IsNil() {
			return nil, nil
		}
		return e.encode(v.Elem(), path)
	case reflect.Struct:
		return e.encodeStruct(v, path)
	case reflect.Slice, reflect.Array:
		return e.encodeList(v, path)
	}
	return nil, fmt.Errorf("field %s of the model has type %s, which cannot be saved", path, v.Type())
}

func (e *encoder) encodeArray(v reflect.Value, path string) arrayRef {
	switch x := v.Interface().(type) {
	case *mat.Dense:
		r, c := x.Dims()
		data := make([]float64, 0, r*c)
		for i := range r {
			data = append(data, x.RawRowView(i)...)
		}
		return e.put(archive.Array{Name: path, Shape: []int{r, c}, Float64: data})
	case *mat.SymDense:
		one := spd.NewStack(1, x.SymmetricDim())
		one.Set(0, x)
		return e.put(archive.Array{Name: path, Shape: []int{one.Dim, one.Dim}, Float64: one.Data})
	case *spd.Stack:
		return e.encodeStack(x, path)
	case []float64:
		return e.put(archive.Array{Name: path, Shape: []int{len(x)}, Float64: x})
	case []float32:
		return e.put(archive.Array{Name: path, Shape: []int{len(x)}, Float32: x})
	case []int:
		return e.put(archive.Array{Name: path, Shape: []int{len(x)}, Int64: vec.Converted[int64](x)})
	}
	panic("model: not an array type: " + v.Type().String())
}

func (e *encoder) encodeStack(s *spd.Stack, path string) arrayRef {
	return e.put(archive.Array{Name: path, Shape: []int{s.Count, s.Dim, s.Dim}, Float64: s.Contiguous()})
}

func (e *encoder) encodeStruct(v reflect.Value, path string) (any, error) {
	tree := map[string]any{}
	for _, f := range fieldsInFile(v.Type()) {
		name := nameInFile(f)
		if name == "" {
			return nil, fmt.Errorf("field %s of %s has no name in files; give it a json tag", f.Name, v.Type())
		}
		sub, err := e.encode(v.FieldByIndex(f.Index), join(path, name))
		if err != nil {
			return nil, err
		}
		if sub != nil {
			tree[name] = sub
		}
	}
	return tree, nil
}

func (e *encoder) encodeList(v reflect.Value, path string) (any, error) {
	if v.Kind() == reflect.Slice && v.IsNil() {
		return nil, nil
	}
	list := make([]any, v.Len())
	for i := range list {
		sub, err := e.encode(v.Index(i), fmt.Sprintf("%s.%d", path, i))
		if err != nil {
			return nil, err
		}
		list[i] = sub
	}
	return list, nil
}

// fieldsInFile returns the exported fields of a struct and of its embedded structs.
func fieldsInFile(t reflect.Type) (fields []reflect.StructField) {
	for i := range t.NumField() {
		f := t.Field(i)
		switch {
		case !f.IsExported():
		case f.Anonymous && f.Type.Kind() == reflect.Struct && nameInFile(f) == "":
			for _, sub := range fieldsInFile(f.Type) {
				sub.Index = append([]int{i}, sub.Index...)
				fields = append(fields, sub)
			}
		default:
			fields = append(fields, f)
		}
	}
	return fields
}

// nameInFile returns the name of a field in files, from its json tag, or "" if it has none.
func nameInFile(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

func join(path, field string) string {
	if path == "" {
		return field
	}
	return path + "." + field
}
