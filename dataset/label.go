package dataset

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// labelText returns the canonical form of a label for all file formats: text without surrounding blanks, and numbers
// in their shortest decimal form, so 01, 1, +1, 1.0 and 1e0 are one class. Bytes that are not UTF-8 are read as
// Latin-1.
func labelText(s string) string {
	s = strings.TrimSpace(s)
	if !utf8.ValidString(s) {
		r := make([]rune, len(s))
		for i := range len(s) {
			r[i] = rune(s[i])
		}
		s = string(r)
	}
	if whole, ok := wholeText(s); ok {
		return whole
	}
	if !decimal(s) {
		return s
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(v, 0) {
		return s
	}
	if v == 0 {
		v = 0 // instead of -0
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// wholeText shortens an integer of any length: [+-]digits[.zeros].
func wholeText(s string) (string, bool) {
	sign, rest := "", s
	if strings.HasPrefix(s, "-") || strings.HasPrefix(s, "+") {
		rest = s[1:]
		if s[0] == '-' {
			sign = "-"
		}
	}
	whole, fraction, point := strings.Cut(rest, ".")
	if whole == "" || strings.Trim(whole, "0123456789") != "" || point && strings.Trim(fraction, "0") != "" {
		return "", false
	}
	if whole = strings.TrimLeft(whole, "0"); whole == "" {
		return "0", true
	}
	return sign + whole, true
}

// decimal reports whether s is written as a decimal number, with a point or an exponent, and is not a word such as nan
// or inf.
func decimal(s string) bool {
	return s != "" && strings.Trim(s, "0123456789+-.eE") == "" && strings.ContainsAny(s, "0123456789") && s[0] != 'e' &&
		s[0] != 'E'
}

// labelNames converts an array of labels to one name per observation.
func labelNames(a *Array) ([]string, error) {
	if err := oneAxis(a.Name, a.Shape); err != nil {
		return nil, err
	}
	names := make([]string, a.Len())
	for i := range names {
		var err error
		if names[i], err = labelOfArray(a, i, i); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// spellings finds labels of the same class with different spellings.
type spellings map[string][]byte

// record stores the spelling of a label, and returns a remark when a second spelling occurs.
func (s spellings) record(label string, field []byte) string {
	first, ok := s[label]
	switch {
	case !ok:
		s[label] = bytes.Clone(field)
	case first != nil && !bytes.Equal(first, field):
		s[label] = nil // only one remark per label
		return fmt.Sprintf("labels %s and %s are the same number and count as one class", first, field)
	}
	return ""
}
