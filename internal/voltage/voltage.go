// Package voltage converts values between units of voltage.
package voltage

import (
	"slices"
	"strings"
)

// perVolt maps each unit to the number of these units in one volt.
var perVolt = map[string]float64{"V": 1, "mV": 1e3, "uV": 1e6, "nV": 1e9}

// unitNames maps other spellings of units, in lower case, to their names.
var unitNames = map[string]string{"v": "V", "volt": "V", "volts": "V", "mv": "mV", "millivolt": "mV",
	"millivolts": "mV", "uv": "uV", "µv": "uV", "μv": "uV", "microvolt": "uV", "microvolts": "uV", "nv": "nV",
	"nanovolt": "nV", "nanovolts": "nV",
	// The following names mean an unknown unit.
	"n/a": "", "na": "", "none": "", "unknown": "", "1": "", "-": "", "?": "", "au": "", "a.u.": ""}

// Parse normalizes the name of a unit in a recording: V, mV, uV or nV for any of their spellings, "" for names that
// mean unknown, and other units unchanged.
func Parse(text string) string {
	text = strings.TrimSpace(text)
	if name, ok := unitNames[strings.ToLower(text)]; ok && text != "MV" { // MV is a million volts
		return name
	}
	return text
}

// Rescale converts values from one unit of voltage to another. The zero value changes nothing. Results are correctly
// rounded, so files and streams of the same signal have the same bits.
type Rescale struct{ times, over float64 }

// NewRescale returns the conversion between two units. ok is false unless both are units of voltage.
func NewRescale(from, to string) (s Rescale, ok bool) {
	a, b := perVolt[Parse(from)], perVolt[Parse(to)]
	switch {
	case a == 0 || b == 0:
		return s, false
	case a > b:
		return Rescale{over: a / b}, true
	case a < b:
		return Rescale{times: b / a}, true
	}
	return s, true
}

// Of returns v in the other unit.
func (s Rescale) Of(v float64) float64 {
	switch {
	case s.over != 0:
		return v / s.over
	case s.times != 0:
		return v * s.times
	}
	return v
}

// OfVoltage reports whether unit, in any spelling, is a unit of voltage.
func OfVoltage(unit string) bool { return perVolt[Parse(unit)] != 0 }

// Common returns the unit of channels with the given units, or all their units separated by commas. It is empty if the
// unit of any channel is unknown.
func Common(units []string) string {
	names := make([]string, len(units))
	for i, u := range units {
		if names[i] = Parse(u); names[i] == "" {
			return ""
		}
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ",")
}
