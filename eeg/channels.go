package eeg

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rao"
	"rao/internal/indices"
	"rao/internal/linalg/vec"
	"rao/internal/optionvalues"
	"rao/internal/voltage"
)

// knowsKinds returns an error unless the recording has channels of every kind in kinds.
func (r *Recording) knowsKinds(kinds []string) error {
	var there []string
	for c := range r.Channels {
		for _, k := range append(indices.Pick(r.Types, []int{c}), r.kind(c)) {
			if k != "" && !slices.Contains(there, k) {
				there = append(there, k)
			}
		}
	}
	for _, k := range kinds {
		if k != optionvalues.AllKinds && !slices.Contains(there, k) {
			return fmt.Errorf("there is no channel of kind %q; the recording has channels of kind %s", k,
				strings.Join(there, ", "))
		}
	}
	return nil
}

// dropBad removes from all recordings the channels that are marked as bad in any of them, and returns their names. It
// returns an error if no channel is left.
func dropBad(recs []*Recording) ([]string, error) {
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
			return nil, fmt.Errorf("%s: no channel is left, because all are marked as bad (%s); keep at least one",
				r.Source, strings.Join(bad, ", "))
		}
		r.pick(keep)
	}
	return bad, nil
}

// amplitude parses an amplitude such as 150uV and converts it to the unit of the channels, which must be the same in
// all recordings. An amplitude without a unit is accepted only if the units of the channels are unknown.
func amplitude(text string, recs []*Recording) (float64, error) {
	digits := strings.TrimRight(strings.TrimSpace(text), "uµμmnVT ")
	unit := strings.TrimSpace(strings.TrimSpace(text)[len(digits):])
	v, err := strconv.ParseFloat(digits, 64)
	if err != nil || !vec.Positive(v) {
		return 0, fmt.Errorf("the amplitude must be a number and a unit, such as 150uV, not %q", text)
	}
	if unit != "" && !voltage.OfVoltage(unit) {
		return 0, fmt.Errorf("the amplitude %q must have one of the units V, mV, uV and nV", text)
	}
	have := ""
	for i, r := range recs {
		for c, name := range r.Channels {
			u := ""
			if r.Units != nil {
				u = voltage.Parse(r.Units[c])
			}
			switch {
			case unit == "" && u != "":
				return 0, fmt.Errorf("the amplitude %q has no unit, but channel %s of %s is in %s; give the amplitude "+
					"with its unit, such as 150uV", text, name, r.Source, u)
			case unit != "" && u == "":
				return 0, rao.Optionf("channel-unit",
					"%s: the unit of channel %s is unknown, so it cannot be compared with "+
						"the amplitude %s; give it with {channel-unit}", r.Source, name, text)
			case unit != "" && !voltage.OfVoltage(u):
				return 0, rao.Optionf("kinds", "%s: channel %s is in %s, which is not a voltage; choose channels with "+
					"{kinds=eeg}", r.Source, name, u)
			case i+c > 0 && u != have:
				return 0, rao.Optionf("channels", "%s: channel %s is in %s, but an earlier channel is in %s; choose "+
					"channels of one unit with {channels}", r.Source, name, u, have)
			}
			have = u
		}
	}
	s, _ := voltage.NewRescale(unit, have)
	return s.Of(v), nil
}
