package matfile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rao/internal/text"
)

// step is one step of a path: a field, or the index of a cell or element, counted from 0.
type step struct {
	field string
	place []int
	brace bool
}

func (s step) String() string {
	if s.field != "" {
		return "field " + strconv.Quote(s.field)
	}
	return "element " + s.index()
}

func (s step) index() string {
	var words []string
	for _, k := range s.place {
		words = append(words, strconv.Itoa(k+1))
	}
	if s.brace {
		return "{" + strings.Join(words, ",") + "}"
	}
	return "(" + strings.Join(words, ",") + ")"
}

// parsePath splits a path into the name of a variable and the steps after it.
func parsePath(path string) (name string, steps []step, err error) {
	end := strings.IndexAny(path, ".{(")
	if end < 0 {
		return path, nil, nil
	}
	wrong := fmt.Errorf("path %q is not in the notation of MATLAB; write a variable, then fields, cells and "+
		"elements, such as data{1}.X", path)
	name = path[:end]
	for rest := path[end:]; rest != ""; {
		closing := map[byte]string{'{': "}", '(': ")"}[rest[0]]
		var s step
		if closing == "" {
			if rest[0] != '.' {
				return "", nil, wrong
			}
			rest = rest[1:]
			if end = strings.IndexAny(rest, ".{("); end < 0 {
				end = len(rest)
			}
			s.field, rest = rest[:end], rest[end:]
			if s.field == "" {
				return "", nil, wrong
			}
		} else {
			s.brace = closing == "}"
			words, after, found := strings.Cut(rest[1:], closing)
			for _, w := range strings.Split(words, ",") {
				k, err := strconv.Atoi(strings.TrimSpace(w))
				if err != nil || k < 1 || k > maxCells || !found {
					return "", nil, wrong
				}
				s.place = append(s.place, k-1)
			}
			rest = after
		}
		steps = append(steps, s)
	}
	if name == "" {
		return "", nil, wrong
	}
	return name, steps, nil
}

// offset converts an index along one or all axes to an offset in column-major order.
func (s step) offset(shape []int, n int) (int, error) {
	at, stride := 0, 1
	switch len(s.place) {
	case 1:
		at = s.place[0]
	case len(shape):
		for i, k := range s.place {
			if k >= shape[i] {
				at = n
			}
			at += k * stride
			stride *= shape[i]
		}
	default:
		return 0, fmt.Errorf("%s needs one index or %d, because its shape is %s",
			s.index(), len(shape), text.Shape(shape))
	}
	if at >= n {
		return 0, fmt.Errorf("it has no element %s; its shape is %s", s.index(), text.Shape(shape))
	}
	return at, nil
}

func (s step) fieldIndex(fields []string) (int, error) {
	if i := slices.Index(fields, s.field); i >= 0 {
		return i, nil
	}
	return 0, fmt.Errorf("it has no field %q; its fields are %s", s.field, strings.Join(fields, ", "))
}
