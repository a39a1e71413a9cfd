package eeg

import (
	"fmt"
	"slices"
	"strings"
)

// perVolt says how many of a unit are one volt.
var perVolt = map[string]float64{"V": 1, "mV": 1e3, "uV": 1e6, "nV": 1e9}

// unitNames are other spellings of units, in lower case.
var unitNames = map[string]string{"v": "V", "volt": "V", "volts": "V", "mv": "mV", "millivolt": "mV",
	"millivolts": "mV", "uv": "uV", "µv": "uV", "μv": "uV", "microvolt": "uV", "microvolts": "uV", "nv": "nV",
	"nanovolt": "nV", "nanovolts": "nV",
	// what programs write where they know none
	"n/a": "", "na": "", "none": "", "unknown": "", "1": "", "-": "", "?": "", "au": "", "a.u.": ""}

// ParseUnit returns a unit by the name that recordings have: V, mV, uV or nV for the spellings of
// these, and "" for the ways to say that a unit is not known. Other units come back as they are.
func ParseUnit(text string) string {
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
	a, b := perVolt[ParseUnit(from)], perVolt[ParseUnit(to)]
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

// SetUnit says in which unit the samples of those channels are whose unit is not known, and changes
// them to volts.
func (r *Recording) SetUnit(unit string) error {
	name := ParseUnit(unit)
	if perVolt[name] == 0 {
		return fmt.Errorf("%s: unit %q: it must be one of V, mV, uV, nV", r.Source, unit)
	}
	if r.Units == nil {
		r.Units = make([]string, len(r.Channels))
	} else {
		r.Units = slices.Clone(r.Units)
	}
	for c, u := range r.Units {
		if ParseUnit(u) == "" {
			r.Units[c] = name
		}
	}
	r.toVolts()
	return nil
}

// toVolts changes the channels whose unit is one of voltage to volts.
func (r *Recording) toVolts() {
	if r.Units == nil {
		return
	}
	r.Units = slices.Clone(r.Units)
	change := make([]Rescale, len(r.Channels))
	for c, u := range r.Units {
		r.Units[c] = ParseUnit(u)
		var ok bool
		if change[c], ok = NewRescale(u, "V"); ok {
			r.Units[c] = "V"
		}
	}
	if !slices.ContainsFunc(change, func(s Rescale) bool { return s != Rescale{} }) {
		return
	}
	if r.data != nil {
		r.data = slices.Clone(r.data)
		for i := range r.data {
			r.data[i] = change[i%len(change)].Of(r.data[i])
		}
		return
	}
	all := make([]Rescale, len(r.reader.Info().Channels))
	copy(all, r.rescale)
	for c, s := range change {
		if s == (Rescale{}) {
			continue
		}
		if r.keep != nil {
			all[r.keep[c]] = s
		} else {
			all[c] = s
		}
	}
	r.rescale = all
}

// Unit returns the unit of all channels, separated by commas where there are several; empty where
// that of one is not known.
func (r *Recording) Unit() string {
	var units []string
	for c := range r.Channels {
		if r.Units == nil || ParseUnit(r.Units[c]) == "" {
			return ""
		}
		if u := ParseUnit(r.Units[c]); !slices.Contains(units, u) {
			units = append(units, u)
		}
	}
	slices.Sort(units)
	return strings.Join(units, ",")
}

// checkUnits returns an error when a channel that the file says is EEG has another unit than of
// voltage.
func (r *Recording) checkUnits() error {
	for c, name := range r.Channels {
		if r.Units == nil || r.Types == nil || r.Types[c] != "eeg" {
			continue
		}
		if u := ParseUnit(r.Units[c]); u != "" && perVolt[u] == 0 {
			return fmt.Errorf("channel %s is EEG in the unit %q, which is not one of voltage; leave it out "+
				"(--drop %s), or correct the unit in the file", name, u, name)
		}
	}
	return nil
}
