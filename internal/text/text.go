// Package text formats numbers, counts and names for the tool and its pages, and numbers as JSON.
package text

import (
	"bytes"
	"encoding/json"
	"fmt"
	"rao/internal/linalg/vec"
	"strconv"
	"strings"
)

// Number is a float64 that becomes null in JSON if it is not finite.
type Number float64

// MarshalJSON implements json.Marshaler.
func (n Number) MarshalJSON() ([]byte, error) {
	if !vec.Finite(float64(n)) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// Optional returns a pointer to v, for optional numbers of results.
func Optional(v float64) *Number {
	n := Number(v)
	return &n
}

// JSON is json.Marshal without the escapes of <, > and &.
func JSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'}), err
}

// Join returns the values in their default format, separated by commas.
func Join[T any](values []T) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = fmt.Sprint(v)
	}
	return strings.Join(words, ", ")
}

// Percent formats a fraction as a percentage with two decimals.
func Percent(x float64) string { return fmt.Sprintf("%.2f %%", 100*x) }

// Seconds formats a duration in seconds, or in milliseconds if it is shorter than 0.1 s.
func Seconds(x float64) string {
	if x < 0.0995 {
		return fmt.Sprintf("%.1f ms", 1000*x)
	}
	return fmt.Sprintf("%.2f s", x)
}

// Plural returns n followed by one if n is 1, and otherwise n followed by many.
func Plural(n int, one, many string) string {
	if n == 1 {
		return fmt.Sprintf("%d %s", n, one)
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Shape writes the shape of an array, such as 10×3.
func Shape(shape []int) string {
	if len(shape) == 0 {
		return "scalar"
	}
	s := make([]string, len(shape))
	for i, n := range shape {
		s[i] = strconv.Itoa(n)
	}
	return strings.Join(s, "×")
}

// NoMatrices explains that data are not SPD matrices. image is the shape of an observation, or zero for vectors.
func NoMatrices(source string, image [3]int) string {
	switch rows, columns, depth := image[0], image[1], image[2]; {
	case rows == 0:
		return source + " has vectors"
	case rows == columns && depth <= 1:
		return fmt.Sprintf("most of the %d×%d arrays in %s are not symmetric", rows, columns, source)
	case depth <= 1:
		return fmt.Sprintf("%s has arrays of %d×%d", source, rows, columns)
	}
	return fmt.Sprintf("%s has images of %d×%d×%d", source, image[0], image[1], image[2])
}

// listed is the largest number of names in a message.
const listed = 10

// Listed lists the names of columns or channels, followed by "is" or "are".
func Listed(what string, names []string) string {
	if len(names) == 1 {
		return what + " " + names[0] + " is"
	}
	if n := len(names); n > listed {
		return fmt.Sprintf("%ss %s and %d more are", what, strings.Join(names[:listed], ", "), n-listed)
	}
	return what + "s " + strings.Join(names, ", ") + " are"
}

// SplitList returns the items of a list separated by commas.
func SplitList(s string) []string {
	if s == "" {
		return nil
	}
	parts := strings.Split(s, ",")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}
