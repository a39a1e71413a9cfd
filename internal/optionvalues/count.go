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
	n, err := AtLeastOne(string(text), "or auto")
	*a = AutoCount(n)
	return err
}

// Number returns the count, and whether it is given.
func (a *AutoCount) Number() (float64, bool) { return float64(*a), *a != 0 }

// AtLeastOne returns the whole number of 1 or more in the text, or 0 for auto. words names the other valid texts in the
// error.
func AtLeastOne(text, words string) (int, error) {
	if text == "auto" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, strconv.IntSize)
	if err != nil && !errors.Is(err, strconv.ErrRange) || n < 1 {
		return 0, fmt.Errorf("the value must be a whole number of 1 or more, %s", words)
	}
	return int(n), nil // out of range: ParseInt returned the largest integer, which the bounds of the option exclude
}
