package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"rao/internal/format/table"
)

const (
	deepest  = 64       // values that a JSON value may be inside of
	mostAxes = 9        // of an array
	longest  = 64 << 10 // bytes of a string
)

// scanner reads JSON whose bulk is numbers: encoding/json takes five times as long.
type scanner struct {
	b     []byte
	i     int
	share *share // what the values are charged to
	ample bool   // an array had room for all numbers of the text
	// null is a missing number, which the model fills in
	missing bool
}

func (s *scanner) errorf(format string, a ...any) error {
	return badRequest("JSON at byte %d: %s", s.i, fmt.Sprintf(format, a...))
}

// next is the next byte that is no space, 0 at the end.
func (s *scanner) next() byte {
	for s.i < len(s.b) {
		switch c := s.b[s.i]; c {
		case ' ', '\t', '\n', '\r':
			s.i++
		default:
			return c
		}
	}
	return 0
}

func (s *scanner) expect(c byte) error {
	if got := s.next(); got != c {
		return s.errorf("want %q, got %s", c, s.here())
	}
	s.i++
	return nil
}

// here describes what stands at the place.
func (s *scanner) here() string {
	if s.i >= len(s.b) {
		return "the end"
	}
	end := min(s.i+12, len(s.b))
	return fmt.Sprintf("%q", s.b[s.i:end])
}

// end checks that nothing follows.
func (s *scanner) end() error {
	if s.next(); s.i < len(s.b) {
		return s.errorf("%s follows the value", s.here())
	}
	return nil
}

// raw skips a value and returns its text.
func (s *scanner) raw(depth int) ([]byte, error) {
	if depth > deepest {
		return nil, s.errorf("values are nested deeper than %d", deepest)
	}
	c := s.next()
	start := s.i
	switch c {
	case '{', '[':
		s.i++
		if err := s.list(closing(c), func() error {
			if c == '{' {
				if _, err := s.text(); err != nil {
					return err
				}
				if err := s.expect(':'); err != nil {
					return err
				}
			}
			_, err := s.raw(depth + 1)
			return err
		}); err != nil {
			return nil, err
		}
	case '"':
		if _, err := s.text(); err != nil {
			return nil, err
		}
	default:
		if len(s.token()) == 0 {
			return nil, s.errorf("want a value, got %s", s.here())
		}
		if !json.Valid(s.b[start:s.i]) {
			s.i = start
			return nil, s.errorf("%s is no value", s.here())
		}
	}
	return s.b[start:s.i], nil
}

func closing(c byte) byte {
	if c == '{' {
		return '}'
	}
	return ']'
}

// list reads items until the closing byte; the opening one has been read.
func (s *scanner) list(end byte, item func() error) error {
	if s.next() == end {
		s.i++
		return nil
	}
	for {
		if err := item(); err != nil {
			return err
		}
		switch s.next() {
		case ',':
			s.i++
		case end:
			s.i++
			return nil
		default:
			return s.errorf("want %q or a comma, got %s", end, s.here())
		}
	}
}

// object reads an object, a field at a time.
func (s *scanner) object(field func(name string) error) error {
	if err := s.expect('{'); err != nil {
		return err
	}
	var seen names
	return s.list('}', func() error {
		name, err := s.text()
		if err != nil {
			return err
		}
		if !seen.add(name) {
			return s.errorf("the field %q is there twice", name)
		}
		if err := s.expect(':'); err != nil {
			return err
		}
		return field(name)
	})
}

// names is a set of few names, or of many.
type names struct {
	few  [8]string
	n    int
	many map[string]bool
}

// add puts a name in and reports whether it was not there.
func (s *names) add(name string) bool {
	if slices.Contains(s.few[:s.n], name) || s.many[name] {
		return false
	}
	if s.n < len(s.few) {
		s.few[s.n] = name
		s.n++
		return true
	}
	if s.many == nil {
		s.many = map[string]bool{}
	}
	s.many[name] = true
	return true
}

// lengths reads an array of integers, not null.
func (s *scanner) lengths() ([]int, error) {
	if err := s.expect('['); err != nil {
		return nil, err
	}
	list := make([]int, 0, 4)
	err := s.list(']', func() error {
		if len(list) > mostAxes {
			return s.errorf("a shape of more than %d axes", mostAxes)
		}
		v, err := s.integer()
		list = append(list, v)
		return err
	})
	return list, err
}

// integer reads a whole number.
func (s *scanner) integer() (int, error) {
	s.next()
	start := s.i
	v, err := strconv.Atoi(string(s.token()))
	if err != nil || s.b[start] == '+' {
		s.i = start
		return 0, s.errorf("want a whole number, got %s", s.here())
	}
	return v, nil
}

// boolean reads true or false.
func (s *scanner) boolean() (bool, error) {
	s.next()
	start := s.i
	switch string(s.token()) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	s.i = start
	return false, s.errorf("want true or false, got %s", s.here())
}

// null reads null if it follows.
func (s *scanner) null() bool {
	if s.next() != 'n' {
		return false
	}
	start := s.i
	if string(s.token()) == "null" {
		return true
	}
	s.i = start
	return false
}

// text reads a string.
func (s *scanner) text() (string, error) {
	if s.next() != '"' {
		return "", s.errorf("want a string, got %s", s.here())
	}
	start, plain := s.i, true
	for s.i++; s.i < len(s.b); s.i++ {
		switch c := s.b[s.i]; {
		case s.i-start > longest:
			return "", s.errorf("a string of more than %d bytes", longest)
		case c == '"':
			s.i++
			if inner := s.b[start+1 : s.i-1]; plain && utf8.Valid(inner) {
				return string(inner), nil
			}
			var v string
			if err := json.Unmarshal(s.b[start:s.i], &v); err != nil {
				return "", s.errorf("%v", err)
			}
			return v, nil
		case c == '\\':
			plain = false
			s.i++
		case c < ' ':
			return "", s.errorf("a control character in a string")
		}
	}
	return "", s.errorf("a string without end")
}

// token reads a word: a number, true, false or null.
func (s *scanner) token() []byte {
	start := s.i
	for s.i < len(s.b) {
		switch c := s.b[s.i]; {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '+', c == '-', c == '.':
			s.i++
		default:
			return s.b[start:s.i]
		}
	}
	return s.b[start:s.i]
}

// decode reads any value by encoding/json.
func (s *scanner) decode(v any) error {
	raw, err := s.raw(0)
	if err != nil {
		return err
	}
	if err := s.share.takeEach(len(raw), 12); err != nil { // a list of empty strings grows most
		return err
	}
	if err := json.Unmarshal(raw, v); err != nil {
		return s.errorf("%v", err)
	}
	return nil
}

// number reads a number, or true and false as one and zero.
func (s *scanner) number() (float64, error) {
	c := s.next()
	start := s.i
	word := s.token()
	switch {
	case len(word) == 0:
	case c == '-' || c >= '0' && c <= '9':
		if v, ok := table.ParseFloat(word); ok {
			return v, nil
		}
	case string(word) == "true":
		return 1, nil
	case string(word) == "false":
		return 0, nil
	case string(word) == "null" && s.missing:
		return math.NaN(), nil
	case string(word) == "null":
		s.i = start
		return 0, s.errorf("a missing value (null); the model takes numbers")
	}
	s.i = start
	return 0, s.errorf("want a number, got %s", s.here())
}

// numbers appends the numbers of an array, nested or not, and returns the lengths of its
// axes. Arrays side by side have one length. At most limit numbers are read.
func (s *scanner) numbers(dst []float64, limit, depth int) ([]float64, []int, error) {
	if depth >= mostAxes {
		return dst, nil, s.errorf("an array of more than %d axes", mostAxes)
	}
	if err := s.expect('['); err != nil {
		return dst, nil, err
	}
	n := 0
	var inner []int
	err := s.list(']', func() error {
		if s.next() != '[' {
			if inner != nil {
				return s.errorf("a number stands beside an array")
			}
			v, err := s.number()
			if err != nil {
				return err
			}
			if len(dst) >= limit {
				return s.errorf("more than %d numbers", limit)
			}
			if len(dst) == cap(dst) {
				if dst, err = s.share.grow(dst, min(limit, s.ahead(depth))); err != nil {
					return err
				}
			}
			dst, n = append(dst, v), n+1
			return nil
		}
		if n > 0 && inner == nil {
			return s.errorf("an array stands beside a number")
		}
		var shape []int
		var err error
		if dst, shape, err = s.numbers(dst, limit, depth+1); err != nil {
			return err
		}
		if n > 0 && !sameShape(shape, inner) {
			return s.errorf("array %d has the shape %v, the one before it %v", n+1, shape, inner)
		}
		inner, n = shape, n+1
		return nil
	})
	return dst, append([]int{n}, inner...), err
}

// arrayOf reports whether an array follows whose first value begins with c.
func (s *scanner) arrayOf(c byte) bool {
	if s.next() != '[' {
		return false
	}
	at := s.i
	defer func() { s.i = at }()
	s.i++
	return s.next() == c
}

// texts reads an array of strings, limit at most.
func (s *scanner) texts(limit int) (list []string, err error) {
	if err := s.expect('['); err != nil {
		return nil, err
	}
	err = s.list(']', func() error {
		if len(list) >= limit {
			return s.errorf("more than %d texts", limit)
		}
		v, err := s.text()
		if err != nil {
			return err
		}
		if err := s.share.take(48 + int64(len(v))); err != nil { // the list grows by copies
			return err
		}
		list = append(list, v)
		return nil
	})
	return list, err
}

// ahead is how many numbers follow the first number of an array: those up to the next bracket in
// one without nesting, and all that the text can have in the first one with it.
func (s *scanner) ahead(depth int) int {
	rest := s.b[s.i:]
	if depth == 0 {
		rest = rest[:max(0, bytes.IndexByte(rest, ']'))]
	} else if s.ample {
		return 0
	}
	s.ample = s.ample || depth > 0
	return bytes.Count(rest, []byte{','}) + 1
}

func sameShape(a, b []int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
