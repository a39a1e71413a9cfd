package eeg

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// knowsKinds returns an error unless the recording has channels of each of the kinds.
func (r *Recording) knowsKinds(kinds []string) error {
	var there []string
	for _, k := range r.Types {
		if k != "" && !slices.Contains(there, k) {
			there = append(there, k)
		}
	}
	for _, k := range kinds {
		switch {
		case len(there) == 0:
			return fmt.Errorf("the recording does not tell the kinds of its channels; name those to keep "+
				"(--channels): it has %s", strings.Join(r.Channels, ", "))
		case !slices.Contains(there, k):
			return fmt.Errorf("no channel of kind %q; the recording has channels of kind %s",
				k, strings.Join(there, ", "))
		}
	}
	return nil
}

// DropBad leaves out of all recordings the channels that are marked as bad in any of them,
// and returns their names. That no channel is left is an error.
func DropBad(recs []*Recording) ([]string, error) {
	var bad []string
	for _, r := range recs {
		for _, b := range r.Bad {
			if !slices.Contains(bad, b) {
				bad = append(bad, b)
			}
		}
	}
	if bad == nil {
		return nil, nil
	}
	for _, r := range recs {
		var keep []int
		for c, name := range r.Channels {
			if !slices.Contains(bad, name) {
				keep = append(keep, c)
			}
		}
		if len(keep) == 0 {
			return nil, fmt.Errorf("%s: no channel is left when the bad ones are left out (%s)",
				r.Source, strings.Join(bad, ", "))
		}
		r.pick(keep)
	}
	return bad, nil
}

// Amplitude reads an amplitude such as 150uV, and returns it in the unit of the recordings'
// channels, which must all have one and the same. A bare number is in that unit.
func Amplitude(text string, recs []*Recording) (float64, error) {
	digits := strings.TrimRight(strings.TrimSpace(text), "uµμmnVT ")
	unit := strings.TrimSpace(strings.TrimSpace(text)[len(digits):])
	v, err := strconv.ParseFloat(digits, 64)
	if err != nil || !(v > 0) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("amplitude %q: write a number and a unit, such as 150uV", text)
	}
	if unit == "" {
		return v, nil
	}
	want, ok := volts[unit]
	if !ok {
		return 0, fmt.Errorf("amplitude %q: its unit must be one of V, mV, uV, nV", text)
	}
	scale := 0.0
	for _, r := range recs {
		for c, name := range r.Channels {
			have := 0.0
			if r.Units != nil {
				have = volts[r.Units[c]]
			}
			if have == 0 || scale != 0 && have != scale {
				return 0, fmt.Errorf("%s: the unit of channel %s is not known, or not that of the others; choose "+
					"channels (--pick eeg), or give the amplitude without a unit", r.Source, name)
			}
			scale = have
		}
	}
	return v * want / scale, nil
}

// volts are units of voltage.
var volts = map[string]float64{"V": 1, "mV": 1e-3, "uV": 1e-6, "µV": 1e-6, "μV": 1e-6, "nV": 1e-9}
