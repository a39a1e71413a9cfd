// Package text formats values for output: numbers, counts and names as the tool and its pages
// show them, and numbers as JSON.
package text

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

// Number is a float64 that JSON writes as null when it is not finite.
type Number float64

// MarshalJSON implements json.Marshaler.
func (n Number) MarshalJSON() ([]byte, error) {
	if f := float64(n); math.IsNaN(f) || math.IsInf(f, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// Optional is a number of a result that may lack it.
func Optional(v float64) *Number {
	n := Number(v)
	return &n
}

// JSON is json.Marshal without the escapes that only a web page needs.
func JSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'}), err
}

// Percent writes a share with two decimals.
func Percent(x float64) string { return fmt.Sprintf("%.2f %%", 100*x) }

// Seconds writes a duration, short ones in milliseconds.
func Seconds(x float64) string {
	if x < 0.0995 {
		return fmt.Sprintf("%.1f ms", 1000*x)
	}
	return fmt.Sprintf("%.2f s", x)
}

// Plural writes a count with its noun.
func Plural(n int, one, many string) string {
	if n == 1 {
		return fmt.Sprintf("%d %s", n, one)
	}
	return fmt.Sprintf("%d %s", n, many)
}

// listed is how many names a message gives.
const listed = 10

// Listed names columns or channels with the verb that follows.
func Listed(what string, names []string) string {
	if len(names) == 1 {
		return what + " " + names[0] + " is"
	}
	if n := len(names); n > listed {
		return fmt.Sprintf("%ss %s and %d more are", what, strings.Join(names[:listed], ", "), n-listed)
	}
	return what + "s " + strings.Join(names, ", ") + " are"
}

// SplitList returns the items of a list with commas between them.
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
