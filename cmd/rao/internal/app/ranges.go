package app

import (
	"fmt"
	"math"
	"strconv"

	"github.com/spf13/pflag"
)

const large = 1e6 // the help omits larger bounds, which only exclude what no machine can process

// CountFlag registers an integer flag with the range from low to high, which the help shows without a large bound.
// Every count must be registered here, so an impossibly large number is a usage error and not a crash.
func CountFlag(f *pflag.FlagSet, value *int, name string, preset, low, high int, usage string) {
	*value = preset
	full := fmt.Sprintf("from %d to %d", low, high)
	of, bounds := "", full
	if high >= large {
		of, bounds = "of ", fmt.Sprintf("%d or more", low)
	}
	f.Var(&FlagValue{"count", func(s string) error {
		n, err := strconv.Atoi(s)
		if err != nil || n < low || n > high {
			if x, _ := strconv.ParseFloat(s, 64); x > float64(high) {
				return fmt.Errorf("the value must be a whole number %s", full)
			}
			return fmt.Errorf("the value must be a whole number %s%s", of, bounds)
		}
		*value = n
		return nil
	}, strconv.Itoa(preset)}, name, usage+" ("+bounds+")")
}

// NumberFlag registers a flag for finite numbers from low to high. The help omits bounds of 1e6 or more in magnitude.
func NumberFlag(f *pflag.FlagSet, value *float64, name string, preset, low, high float64, usage string) {
	*value = preset
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
