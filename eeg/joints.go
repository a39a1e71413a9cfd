package eeg

import (
	"slices"
	"strings"
)

// isJoint reports whether a label marks a point where pieces of a signal were joined: MNE's marks of concatenated
// recordings, and the marks of EEGLAB and BrainVision.
func isJoint(label string) bool {
	switch strings.ToLower(strings.TrimRight(strings.TrimSpace(label), "/")) {
	case "bad boundary", "edge boundary", "boundary", "new segment":
		return true
	}
	return false
}

// takeJoints converts events that mark joints to breaks. A mark with a duration also remains as an event that marks a
// bad span.
func (r *Recording) takeJoints() {
	if !slices.ContainsFunc(r.Events, func(e Event) bool { return isJoint(e.Label) }) {
		return
	}
	breaks := slices.Clone(r.Breaks)
	r.Events = slices.DeleteFunc(slices.Clone(r.Events), func(e Event) bool {
		if !isJoint(e.Label) {
			return false
		}
		if e.Sample > 0 && e.Sample < r.samples {
			breaks = append(breaks, e.Sample)
		}
		return e.Duration == 0
	})
	slices.Sort(breaks)
	r.Breaks = slices.Compact(breaks)
}
