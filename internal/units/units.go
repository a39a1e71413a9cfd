// Package units changes values of one unit of voltage into another.
package units

import "strings"

// perVolt says how many of a unit are one volt.
var perVolt = map[string]float64{"V": 1, "mV": 1e3, "uV": 1e6, "nV": 1e9}

// unitNames are other spellings of units, in lower case.
var unitNames = map[string]string{"v": "V", "volt": "V", "volts": "V", "mv": "mV", "millivolt": "mV",
	"millivolts": "mV", "uv": "uV", "µv": "uV", "μv": "uV", "microvolt": "uV", "microvolts": "uV", "nv": "nV",
	"nanovolt": "nV", "nanovolts": "nV",
	// what programs write where they know none
	"n/a": "", "na": "", "none": "", "unknown": "", "1": "", "-": "", "?": "", "au": "", "a.u.": ""}

// Parse returns a unit by the name that recordings have: V, mV, uV or nV for the spellings of
// these, and "" for the ways to say that a unit is not known. Other units come back as they are.
func Parse(text string) string {
	text = strings.TrimSpace(text)
	if name, ok := unitNames[strings.ToLower(text)]; ok && text != "MV" { // which is a million volts
		return name
	}
	return text
}

// Rescale changes values of one unit of voltage into those of another. The zero value changes
// nothing. The nearest value is taken, so that files and streams of one signal agree to the bit.
type Rescale struct{ times, over float64 }

// NewRescale returns the change between two units; ok is false unless both are units of voltage.
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

// Of returns the value in the other unit.
func (s Rescale) Of(v float64) float64 {
	switch {
	case s.over != 0:
		return v / s.over
	case s.times != 0:
		return v * s.times
	}
	return v
}

// OfVoltage reports whether a unit is one of voltage, in any spelling.
func OfVoltage(unit string) bool { return perVolt[Parse(unit)] != 0 }
