// Package trialevents finds the events of a recording that start trials, and counts events.
package trialevents

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"rao/internal/eeg/format/signal"
)

// Class is a class of trials and its events: all events with its code (if not 0) or its label (if not empty).
type Class struct {
	Name  string // name of the class
	Code  int    // code of its events; 0: not used
	Label string // label of its events; empty: not used
}

// Match reports whether an event belongs to a class.
func Match(c Class, e signal.Event) bool {
	return c.Code != 0 && e.Code == c.Code || c.Label != "" && e.Label == c.Label
}

// ClassOf returns the index of the first class that an event belongs to, or -1.
func ClassOf(classes []Class, e signal.Event) int {
	return slices.IndexFunc(classes, func(c Class) bool { return Match(c, e) })
}

// Occurs reports whether an event of the class occurs.
func Occurs(events []signal.Event, c Class) bool {
	return slices.ContainsFunc(events, func(e signal.Event) bool { return Match(c, e) })
}

// Start is the event that the times of a trial are relative to, with the class of the trial.
type Start struct {
	signal.Event
	Class    int    // index into the classes
	Conflict string // name of another class with an event at the sample of the class event, or empty if there is none
}

// Starts returns the events at which trials start, with their classes. These are the events of the classes or, if
// the anchor has a code or a label, the anchor events. An anchor event gets the class of the last class event since the
// previous anchor, and is left out if there is none. A recording can contain the same event twice, for example if it
// was joined from parts by MNE; a class has at most one trial at a sample. The class of a trial with a conflict is
// unknown.
func Starts(events []signal.Event, classes []Class, anchor Class) (out []Start) {
	type place struct{ sample, class int }
	at := map[int][]int{} // classes of the events at a sample
	for _, e := range events {
		for k, c := range classes {
			if Match(c, e) && !slices.Contains(at[e.Sample], k) {
				at[e.Sample] = append(at[e.Sample], k)
			}
		}
	}
	pending, conflict, seen := -1, "", map[place]bool{}
	for _, e := range events {
		class := ClassOf(classes, e)
		if class >= 0 {
			pending, conflict = class, ""
			for _, k := range at[e.Sample] {
				if k != class {
					conflict = classes[k].Name
				}
			}
		}
		if anchor.Code != 0 || anchor.Label != "" {
			if !Match(anchor, e) || pending < 0 {
				continue
			}
			class, pending = pending, -1
		}
		if at := (place{e.Sample, class}); class >= 0 && !seen[at] {
			out, seen[at] = append(out, Start{e, class, conflict}), true
		}
	}
	return out
}

// Kind is a code and label of events, and how often they occur together.
type Kind struct {
	Code  int    // 0 if the events have only a label
	Label string // empty if the events have only a code
	Count int    // number of events
}

// String returns the code, the label in quotes, or both, for messages.
func (k Kind) String() string {
	switch {
	case k.Label == "" || k.Label == strconv.Itoa(k.Code):
		return strconv.Itoa(k.Code)
	case k.Code == 0:
		return strconv.Quote(k.Label)
	}
	return fmt.Sprintf("%d (%s)", k.Code, k.Label)
}

// Count counts the events of each kind. The kinds are sorted by code and label.
func Count(events []signal.Event) []Kind {
	var kinds []Kind
	place := map[Kind]int{}
	for _, e := range events {
		k := Kind{Code: e.Code, Label: e.Label}
		i, ok := place[k]
		if !ok {
			i, place[k] = len(kinds), len(kinds)
			kinds = append(kinds, k)
		}
		kinds[i].Count++
	}
	slices.SortFunc(kinds, func(a, b Kind) int {
		return cmp.Or(cmp.Compare(a.Code, b.Code), cmp.Compare(a.Label, b.Label))
	})
	return kinds
}
