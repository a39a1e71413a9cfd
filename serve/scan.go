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
	"rao/internal/text"
)

const (
	deepest  = 64       // limit for the depth of nested JSON values
	mostAxes = 9        // limit for the axes of an array
	longest  = 64 << 10 // limit for the bytes of a string
)

// scanner parses JSON that consists mainly of numbers. It is five times faster than encoding/json.
type scanner struct {
	b     []byte
	i     int
	share *share // the share to which the memory of the values is added
	ample bool   // whether an array had room for all numbers of the text
	// missing allows null as a missing number, which the model fills in.
	missing bool
}

func (s *scanner) errorf(format string, a ...any) error {
	return badRequest("JSON at byte %d: %s", s.i, fmt.Sprintf(format, a...))
}

// next returns the next byte that is not a space, or 0 at the end.
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
		return s.errorf("expected %q, but found %s", c, s.here())
	}
	s.i++
	return nil
}

// here quotes the text at the current position for a message.
func (s *scanner) here() string {
	if s.i >= len(s.b) {
		return "the end of the body"
	}
	end := min(s.i+12, len(s.b))
	return fmt.Sprintf("%q", s.b[s.i:end])
}

// end returns an error if more text follows.
func (s *scanner) end() error {
	if s.next(); s.i < len(s.b) {
		return s.errorf("%s follows the JSON value; send one value", s.here())
	}
	return nil
}

// raw skips a value and returns its text.
func (s *scanner) raw(depth int) ([]byte, error) {
	if depth > deepest {
		return nil, s.errorf("values are nested more than %d levels deep", deepest)
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
			return nil, s.errorf("expected a value, but found %s", s.here())
		}
		if !json.Valid(s.b[start:s.i]) {
			s.i = start
			return nil, s.errorf("%s is not a valid JSON value", s.here())
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

// list parses items up to the closing byte. The opening byte must have been read.
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
			return s.errorf("expected %q or a comma, but found %s", end, s.here())
		}
	}
}

// object parses an object, one field at a time.
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
			return s.errorf("the field %q occurs twice; send it once", name)
		}
		if err := s.expect(':'); err != nil {
			return err
		}
		return field(name)
	})
}

// names is a set of names. The first few names are in an array, the others in a map.
type names struct {
	few  [8]string
	n    int
	many map[string]bool
}

// add adds a name and reports whether it is new.
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

// lengths parses an array of integers. null is an error.
func (s *scanner) lengths() ([]int, error) {
	if err := s.expect('['); err != nil {
		return nil, err
	}
	list := make([]int, 0, 4)
	err := s.list(']', func() error {
		if len(list) > mostAxes {
			return s.errorf("the shape has more than %d axes", mostAxes)
		}
		v, err := s.integer()
		list = append(list, v)
		return err
	})
	return list, err
}

func (s *scanner) integer() (int, error) {
	s.next()
	start := s.i
	v, err := strconv.Atoi(string(s.token()))
	if err != nil || s.b[start] == '+' {
		s.i = start
		return 0, s.errorf("expected an integer, but found %s", s.here())
	}
	return v, nil
}

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
	return false, s.errorf("expected true or false, but found %s", s.here())
}

// null returns true if the next value is null, and skips it.
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

func (s *scanner) text() (string, error) {
	if s.next() != '"' {
		return "", s.errorf("expected a string, but found %s", s.here())
	}
	start, plain := s.i, true
	for s.i++; s.i < len(s.b); s.i++ {
		switch c := s.b[s.i]; {
		case s.i-start > longest:
			return "", s.errorf("the string is longer than the limit of %d bytes", longest)
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
			return "", s.errorf("the string contains a control character; escape the character")
		}
	}
	return "", s.errorf("the string has no closing quote")
}

// token returns the next word: a number, true, false or null.
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

// decode parses any value with encoding/json.
func (s *scanner) decode(v any) error {
	raw, err := s.raw(0)
	if err != nil {
		return err
	}
	if err := s.share.reserveEach(len(raw), 12); err != nil { // enough even for empty strings
		return err
	}
	if err := json.Unmarshal(raw, v); err != nil {
		return s.errorf("%v", text.JSONError(err))
	}
	return nil
}

// number parses a number. It parses true as one and false as zero.
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
		return 0, s.errorf("a value is missing (null), but the model needs a number")
	}
	s.i = start
	return 0, s.errorf("expected a number, but found %s", s.here())
}

// numbers appends the numbers of an array to dst and returns the lengths of the array's axes. Arrays on the same level
// must have the same length. More than limit numbers are an error.
func (s *scanner) numbers(dst []float64, limit, depth int) ([]float64, []int, error) {
	if depth >= mostAxes {
		return dst, nil, s.errorf("the array has more than %d axes", mostAxes)
	}
	if err := s.expect('['); err != nil {
		return dst, nil, err
	}
	n := 0
	var inner []int
	err := s.list(']', func() error {
		if s.next() != '[' {
			if inner != nil {
				return s.errorf("the array contains both numbers and arrays; use only one kind")
			}
			v, err := s.number()
			if err != nil {
				return err
			}
			if len(dst) >= limit {
				return s.errorf("there are more than %d numbers; send fewer observations at a time", limit)
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
			return s.errorf("the array contains both numbers and arrays; use only one kind")
		}
		var shape []int
		var err error
		if dst, shape, err = s.numbers(dst, limit, depth+1); err != nil {
			return err
		}
		if n > 0 && !slices.Equal(shape, inner) {
			return s.errorf("array %d has the shape [%s], but the previous one has [%s]",
				n+1, join(shape), join(inner))
		}
		inner, n = shape, n+1
		return nil
	})
	return dst, append([]int{n}, inner...), err
}

// arrayOf reports whether the next value is an array whose first value begins with c.
func (s *scanner) arrayOf(c byte) bool {
	if s.next() != '[' {
		return false
	}
	at := s.i
	defer func() { s.i = at }()
	s.i++
	return s.next() == c
}

// texts parses an array of at most limit strings.
func (s *scanner) texts(limit int) (list []string, err error) {
	if err := s.expect('['); err != nil {
		return nil, err
	}
	err = s.list(']', func() error {
		if len(list) >= limit {
			return s.errorf("there are more than %d strings; send fewer observations at a time", limit)
		}
		v, err := s.text()
		if err != nil {
			return err
		}
		if err := s.share.reserve(48 + int64(len(v))); err != nil { // the list is copied when it grows
			return err
		}
		list = append(list, v)
		return nil
	})
	return list, err
}

// ahead estimates how many numbers follow the first number of an array. In an array that is not nested, it counts up to
// the next bracket. In the first nested array, it counts to the end of the text.
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
