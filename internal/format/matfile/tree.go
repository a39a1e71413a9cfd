package matfile

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"rao/internal/format/ndarray"
	"rao/internal/text"
)

// These are the limits on the number and the depth of cells. A cell in a compressed file may need only a few bytes, but
// a hundred in memory.
const (
	maxNodes = 1 << 21
	maxDepth = 32
)

// tree reads the nested values of one variable.
type tree struct {
	path   string // path of the value, for error messages
	budget int64
	nodes  int
	only   []string // if not nil, the only fields of the outermost struct to read
}

// value reads a matrix element after its tag, or the part of it that steps selects. Without steps, it reads all of the
// element.
func (t *tree) value(e *element, steps []step, depth int) (*Value, error) {
	if t.nodes++; t.nodes > maxNodes || depth > maxDepth {
		return nil, fmt.Errorf("it has more than %d nested values or %d levels, too many to read; name a part of it",
			maxNodes, maxDepth)
	}
	if e.left == 0 { // an empty cell
		return (&Value{Class: "double", Shape: []int{0, 0}}).past(steps)
	}
	h, err := e.header()
	if err != nil {
		return nil, err
	}
	v := &Value{Class: h.Class, Shape: h.Shape}
	switch h.Class {
	case "cell":
		return t.cells(e, v, steps, depth)
	case "struct", "object":
		return t.fields(e, v, steps, depth)
	}
	h.Name = t.path
	if v.refused = h.Readable(); v.refused == nil {
		if v.Array, err = e.values(h, t.budget); err != nil {
			return nil, err
		}
	}
	if err := e.skip(e.left); err != nil {
		return nil, err
	}
	return v.past(steps)
}

// past returns v, or an error if steps is not empty.
func (v *Value) past(steps []step) (*Value, error) {
	if len(steps) > 0 {
		return nil, fmt.Errorf("it is of class %s and shape %s, and has no %v; leave this part of the path out",
			v.Class, text.Shape(v.Shape), steps[0])
	}
	return v, nil
}

// cells reads all cells of an array, or the cell that the first step selects.
func (t *tree) cells(e *element, v *Value, steps []step, depth int) (*Value, error) {
	n, err := ndarray.Count(v.Shape)
	if err != nil {
		return nil, err
	}
	if n > maxCells || int64(n) > e.left/8 {
		return nil, errEnds
	}
	want := -1
	if len(steps) > 0 {
		if steps[0].place == nil {
			return nil, fmt.Errorf("it is a cell array of shape %s; name a cell before %v, such as "+
				"{1}", text.Shape(v.Shape), steps[0])
		}
		if want, err = steps[0].offset(v.Shape, n); err != nil {
			return nil, err
		}
	}
	return t.items(e, v, n, want, max(len(steps)-1, 0), steps, depth)
}

// fields reads all fields of a struct array, or the field that the first steps select.
func (t *tree) fields(e *element, v *Value, steps []step, depth int) (*Value, error) {
	n, err := ndarray.Count(v.Shape)
	if err != nil {
		return nil, err
	}
	if v.Fields, err = e.fieldNames(v.Class); err != nil {
		return nil, err
	}
	items := n * len(v.Fields)
	if n > maxCells || len(v.Fields) > 0 && int64(n) > e.left/8/int64(len(v.Fields)) {
		return nil, errEnds
	}
	want, left := -1, len(steps)
	if left > 0 {
		k := 0
		if steps[0].place != nil {
			if k, err = steps[0].offset(v.Shape, n); err != nil {
				return nil, err
			}
			left--
		} else if n != 1 {
			return nil, fmt.Errorf("it is a struct array of shape %s; name an element before %v, such as (1)",
				text.Shape(v.Shape), steps[0])
		}
		if left == 0 {
			return t.element(e, v, k, depth)
		}
		i, err := steps[len(steps)-left].fieldIndex(v.Fields)
		if err != nil {
			return nil, err
		}
		want = k*len(v.Fields) + i
		left--
	}
	return t.items(e, v, items, want, left, steps, depth)
}

// items reads n values into v. If want is not negative, it returns only item want, to which it applies the last left
// steps.
func (t *tree) items(e *element, v *Value, n, want, left int, steps []step, depth int) (*Value, error) {
	for i := range n {
		inner, err := e.inner()
		if err != nil {
			return nil, err
		}
		if i == want {
			return t.value(inner, steps[len(steps)-left:], depth+1)
		}
		passed := depth == 0 && t.only != nil && len(v.Fields) > 0 &&
			!slices.Contains(t.only, v.Fields[i%len(v.Fields)])
		var item *Value
		if want >= 0 || passed {
			err = inner.skip(inner.left)
		} else {
			item, err = t.value(inner, nil, depth+1)
		}
		if want < 0 {
			v.Items = append(v.Items, item)
		}
		if err != nil {
			return nil, err
		}
	}
	return v, nil
}

// element reads only element k of a struct array.
func (t *tree) element(e *element, v *Value, k, depth int) (*Value, error) {
	one := &Value{Class: v.Class, Shape: []int{1, 1}, Fields: v.Fields}
	for range k * len(v.Fields) {
		inner, err := e.inner()
		if err == nil {
			err = inner.skip(inner.left)
		}
		if err != nil {
			return nil, err
		}
	}
	return t.items(e, one, len(v.Fields), -1, 0, nil, depth)
}

// inner opens the next matrix inside this one.
func (e *element) inner() (*element, error) {
	t, err := e.tag()
	if err != nil {
		return nil, err
	}
	if t.typ != miMATRIX || t.small || t.size > e.left {
		return nil, errEnds
	}
	e.left -= t.size
	return &element{r: e.r, order: e.order, left: t.size}, nil
}

// fieldNames reads the names of a struct's fields.
func (e *element) fieldNames(class string) ([]string, error) {
	if class == "object" {
		t, err := e.tag()
		if err != nil {
			return nil, err
		}
		if _, err := e.bytes(t, maxName); err != nil {
			return nil, err
		}
	}
	t, err := e.tag()
	if err != nil {
		return nil, err
	}
	size, err := e.bytes(t, 16)
	if err != nil {
		return nil, err
	}
	if t.typ != miINT32 || len(size) != 4 {
		return nil, errors.New("the length of its field names is corrupt; copy or save the file again")
	}
	each := int(int32(e.order.Uint32(size)))
	if t, err = e.tag(); err != nil {
		return nil, err
	}
	text, err := e.bytes(t, maxFields)
	if err != nil {
		return nil, err
	}
	if each < 1 || each > maxName || len(text)%each != 0 {
		return nil, errors.New("its field names are corrupt; copy or save the file again")
	}
	names := make([]string, 0, len(text)/each)
	for ; len(text) > 0; text = text[each:] {
		name, _, _ := strings.Cut(string(text[:each]), "\x00")
		names = append(names, name)
	}
	return names, nil
}

// maxFields limits the size of a struct's field names, in bytes.
const maxFields = 1 << 22
