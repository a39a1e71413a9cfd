package eeg

import (
	"slices"
	"strings"
)

// isJoint reports whether an event of the label marks where pieces of a signal were joined: MNE's
// marks of concatenated recordings, EEGLAB's and BrainVision's.
func isJoint(label string) bool {
	switch strings.ToLower(strings.TrimRight(strings.TrimSpace(label), "/")) {
	case "bad boundary", "edge boundary", "boundary", "new segment":
		return true
	}
	return false
}

// takeJoints turns the events that mark joints into breaks. A mark with a length stays an event too,
// whose span is bad.
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
