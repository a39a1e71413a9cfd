package app

import (
	"fmt"
	"math"
	"strconv"

	"github.com/spf13/pflag"
)

// CountFlag registers an integer flag with the range from low to high, which the help shows. Every count must be
// registered here, so an impossibly large number is a usage error and not a crash.
func CountFlag(f *pflag.FlagSet, value *int, name string, preset, low, high int, usage string) {
	*value = preset
	f.Var(&FlagValue{"count", func(s string) error {
		n, err := strconv.Atoi(s)
		if err != nil || n < low || n > high {
			return fmt.Errorf("the value must be a whole number from %d to %d", low, high)
		}
		*value = n
		return nil
	}, strconv.Itoa(preset)}, name, fmt.Sprintf("%s (from %d to %d)", usage, low, high))
}

// NumberFlag registers a flag for finite numbers from low to high. The help omits bounds of 1e6 or more in magnitude.
func NumberFlag(f *pflag.FlagSet, value *float64, name string, preset, low, high float64, usage string) {
	*value = preset
	const large = 1e6 // the help omits larger bounds, which only exclude what no machine can process
	must := "a finite number"
	switch {
	case high < large || low > 0:
		bounds := fmt.Sprintf("from %g to %g", low, high)
		must, usage = "a number "+bounds, usage+" ("+bounds+")"
	case low > -large:
		bounds := fmt.Sprintf("%g or more", low)
		must, usage = "a number of "+bounds, usage+" ("+bounds+")"
	}
	f.Var(&FlagValue{"number", func(s string) error {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil || math.IsInf(v, 0) || !(v >= low && v <= high) {
			return fmt.Errorf("the value must be %s", must)
		}
		*value = v
		return nil
	}, strconv.FormatFloat(preset, 'g', -1, 64)}, name, usage)
}
