package optionvalues

import (
	"errors"
	"fmt"
	"strconv"
)

// AutoCount is an integer above 0, or auto, which is stored as 0.
type AutoCount int

// Syntax returns the placeholder for a value in help texts.
func (AutoCount) Syntax() string { return "count|auto" }

// UnmarshalText implements encoding.TextUnmarshaler. It returns an error unless the text is auto or a whole number of
// 1 or more.
func (a *AutoCount) UnmarshalText(text []byte) error {
	n, err := atLeastOne(string(text), "or auto")
	*a = AutoCount(n)
	return err
}

// Number returns the count, and whether it is given.
func (a *AutoCount) Number() (float64, bool) { return float64(*a), *a != 0 }

// SomeCount is an integer above 0, auto (stored as 0), or none (stored as -1).
type SomeCount int

// Syntax returns the placeholder for a value in help texts.
func (SomeCount) Syntax() string { return "count|auto|none" }

// UnmarshalText implements encoding.TextUnmarshaler.
func (c *SomeCount) UnmarshalText(text []byte) error {
	if string(text) == "none" {
		*c = -1
		return nil
	}
	n, err := atLeastOne(string(text), "none or auto")
	*c = SomeCount(n)
	return err
}

// atLeastOne returns the whole number of 1 or more in the text, or 0 for auto. words names the other valid texts in the
// error.
func atLeastOne(text, words string) (int, error) {
	if text == "auto" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, strconv.IntSize)
	if err != nil && !errors.Is(err, strconv.ErrRange) || n < 1 {
		return 0, fmt.Errorf("the value must be a whole number of 1 or more, %s", words)
	}
	return int(n), nil // out of range: ParseInt returned the largest integer, which the bounds of the option exclude
}
