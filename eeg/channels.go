package eeg

import (
	"fmt"
	"slices"
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
			return fmt.Errorf("the recording does not tell the kinds of its channels; name those to keep (--channels): it has %s", strings.Join(r.Channels, ", "))
		case !slices.Contains(there, k):
			return fmt.Errorf("no channel of kind %q; the recording has channels of kind %s", k, strings.Join(there, ", "))
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
			return nil, fmt.Errorf("%s: no channel is left when the bad ones are left out (%s)", r.Source, strings.Join(bad, ", "))
		}
		r.pick(keep)
	}
	return bad, nil
}
