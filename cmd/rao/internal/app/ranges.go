package app

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// CountFlag registers an integer flag with the range from low to high, which the help shows. Every count must be
// registered here, so an impossibly large number is a usage error and not a crash.
func CountFlag(f *pflag.FlagSet, value *int, name string, preset, low, high int, usage string) {
	*value = preset
	f.Var(&CountValue{value, low, high}, name, fmt.Sprintf("%s (from %d to %d)", usage, low, high))
}

type CountValue struct {
	value     *int
	Low, High int
}

func (c *CountValue) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil || n < c.Low || n > c.High {
		return fmt.Errorf("the value must be a whole number from %d to %d", c.Low, c.High)
	}
	*c.value = n
	return nil
}

func (c *CountValue) String() string {
	if c.value == nil {
		return ""
	}
	return strconv.Itoa(*c.value)
}

func (c *CountValue) Type() string { return "count" }

// NumberFlag registers a flag for finite numbers from low to high. The help omits infinite bounds.
func NumberFlag(f *pflag.FlagSet, value *float64, name string, preset, low, high float64, usage string) {
	*value = preset
	v := &numberValue{value, low, high}
	if s := v.bounds(); s != "" {
		usage += " (" + s + ")"
	}
	f.Var(v, name, usage)
}

type numberValue struct {
	value     *float64
	low, high float64
}

func (n *numberValue) bounds() string {
	const large = 1e6 // the help omits larger bounds, which only exclude what no machine can process
	switch {
	case n.high < large || n.low > 0:
		return fmt.Sprintf("from %g to %g", n.low, n.high)
	case n.low > -large:
		return fmt.Sprintf("%g or more", n.low)
	}
	return ""
}

func (n *numberValue) Set(s string) error {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(v, 0) || !(v >= n.low && v <= n.high) {
		switch b := n.bounds(); {
		case strings.HasPrefix(b, "from"):
			return fmt.Errorf("the value must be a number %s", b)
		case b != "":
			return fmt.Errorf("the value must be a number of %s", b)
		}
		return fmt.Errorf("the value must be a finite number")
	}
	*n.value = v
	return nil
}

func (n *numberValue) String() string {
	if n.value == nil {
		return ""
	}
	return strconv.FormatFloat(*n.value, 'g', -1, 64)
}

func (n *numberValue) Type() string { return "number" }
