package eeg

import (
	"fmt"
	"slices"

	"rao"
	"rao/internal/voltage"
)

// setUnit sets the voltage unit of channels without a known unit, and converts the samples of all channels with a
// voltage unit to volts. If unit is "", unknown units remain unknown. It returns an error if the unit is not V, mV, uV
// or nV.
func (r *Recording) setUnit(unit string) error {
	name := voltage.Parse(unit)
	if unit != "" && !voltage.OfVoltage(name) {
		return fmt.Errorf("%s: %w", r.Source,
			&rao.UnknownError{Kind: "unit", Name: unit, Known: []string{"V", "mV", "uV", "nV"}})
	}
	switch {
	case r.Units == nil && unit == "":
		return nil
	case r.Units == nil:
		r.Units = make([]string, len(r.Channels))
	default:
		r.Units = slices.Clone(r.Units)
	}
	for c, u := range r.Units {
		if voltage.Parse(u) == "" && unit != "" {
			r.Units[c] = name
		}
	}
	r.toVolts()
	return nil
}

// toVolts converts all channels with a voltage unit to volts.
func (r *Recording) toVolts() {
	if r.Units == nil {
		return
	}
	r.Units = slices.Clone(r.Units)
	change := make([]voltage.Rescale, len(r.Channels))
	for c, u := range r.Units {
		r.Units[c] = voltage.Parse(u)
		var ok bool
		if change[c], ok = voltage.NewRescale(u, "V"); ok {
			r.Units[c] = "V"
		}
	}
	if !slices.ContainsFunc(change, func(s voltage.Rescale) bool { return s != voltage.Rescale{} }) {
		return
	}
	if r.data != nil {
		r.data = slices.Clone(r.data)
		for i := range r.data {
			r.data[i] = change[i%len(change)].Of(r.data[i])
		}
		return
	}
	all := make([]voltage.Rescale, len(r.reader.Info().Channels))
	copy(all, r.rescale)
	for c, s := range change {
		if s == (voltage.Rescale{}) {
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

// checkUnits returns an error if a channel that the file marks as EEG has a unit other than voltage.
func (r *Recording) checkUnits() error {
	for c, name := range r.Channels {
		if r.Units == nil || r.Types == nil || r.Types[c] != "eeg" {
			continue
		}
		if u := voltage.Parse(r.Units[c]); u != "" && !voltage.OfVoltage(u) {
			return rao.Optionf("drop",
				"channel %s is EEG in the unit %q, which is not a voltage; leave it out with "+
					"{drop=%s}, or correct the unit in the file", name, u, name)
		}
	}
	return nil
}
