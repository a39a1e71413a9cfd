package main

import (
	"fmt"
	"slices"
	"strings"

	"rao/eeg"
)

// listedRecording is what --list says of a recording.
type listedRecording struct {
	File     string          `json:"file"`
	Format   string          `json:"format"`
	Rate     float64         `json:"rate"`
	Samples  int             `json:"samples"`
	Seconds  float64         `json:"seconds"`
	Breaks   int             `json:"breaks"` // joints of epochs or of pieces
	Channels []listedChannel `json:"channels"`
	Events   []listedEvent   `json:"events"`
	Skipped  []string        `json:"skipped,omitempty"`
}

type listedChannel struct {
	Name string `json:"name"`
	Type string `json:"type,omitempty"`
	Unit string `json:"unit,omitempty"`
	Bad  bool   `json:"bad,omitempty"`
}

type listedEvent struct {
	Code  int    `json:"code,omitempty"`
	Label string `json:"label,omitempty"`
	Count int    `json:"count"`
}

func listRecording(r *eeg.Recording) listedRecording {
	l := listedRecording{File: r.Source, Format: r.Format, Rate: r.Rate, Samples: r.Samples(),
		Seconds: float64(r.Samples()) / r.Rate,
		Breaks:  len(r.Breaks), Skipped: r.Skipped, Events: []listedEvent{}}
	for i, name := range r.Channels {
		c := listedChannel{Name: name, Type: r.Kind(i), Bad: slices.Contains(r.Bad, name)}
		if r.Units != nil {
			c.Unit = r.Units[i]
		}
		l.Channels = append(l.Channels, c)
	}
	for _, k := range eeg.CountEvents(r.Events) {
		l.Events = append(l.Events, listedEvent(k))
	}
	return l
}

// listRecordings prints what recordings hold.
func (a *app) listRecordings(recs []*eeg.Recording) error {
	var all listedRecordings
	for _, r := range recs {
		all.Recordings = append(all.Recordings, listRecording(r))
	}
	return a.printListed(all)
}

// listedRecordings is what --list says.
type listedRecordings struct {
	Recordings []listedRecording `json:"recordings"`
}

func (a *app) printListed(all listedRecordings) error {
	return a.emit(all, func() {
		for _, l := range all.Recordings {
			l.print(a)
		}
	})
}

func (l listedRecording) print(a *app) {
	fmt.Fprintf(a.out, "%s  %s, %g Hz, %.4g s, %s",
		visible(l.File), visible(l.Format), l.Rate, l.Seconds, plural(len(l.Channels), "channel", "channels"))
	if l.Breaks > 0 {
		fmt.Fprintf(a.out, ", in %d pieces", l.Breaks+1)
	}
	fmt.Fprint(a.out, "\n  channels  ")
	for i, c := range l.Channels {
		if i > 0 {
			fmt.Fprint(a.out, ", ")
		}
		fmt.Fprint(a.out, visible(c.Name))
		var marks []string
		if c.Type != "" && c.Type != "eeg" {
			marks = append(marks, visible(c.Type))
		}
		if c.Bad {
			marks = append(marks, "bad")
		}
		if marks != nil {
			fmt.Fprintf(a.out, " (%s)", strings.Join(marks, ", "))
		}
	}
	fmt.Fprint(a.out, "\n  events    ")
	if len(l.Events) == 0 {
		fmt.Fprint(a.out, "none")
	}
	for i, e := range l.Events {
		if i > 0 {
			fmt.Fprint(a.out, ", ")
		}
		fmt.Fprintf(a.out, "%s ×%d", visible(eeg.EventKind(e).String()), e.Count)
	}
	fmt.Fprintln(a.out)
	for _, what := range l.Skipped {
		fmt.Fprintf(a.out, "  left out  %s\n", visible(what))
	}
}
