package eeg

import (
	"fmt"
	"slices"
	"strings"

	"rao/cmd/rao/internal/app"
	"rao/eeg"
	"rao/internal/eeg/channelkind"
	"rao/internal/eeg/trialevents"
	"rao/internal/text"
)

// listedRecording describes a recording in the output of --list.
type listedRecording struct {
	File     string          `json:"file"`
	Format   string          `json:"format"`
	Rate     float64         `json:"rate"`
	Samples  int             `json:"samples"`
	Seconds  float64         `json:"seconds"`
	Breaks   int             `json:"breaks"` // number of boundaries between epochs or pieces
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
	kinds := channelkind.All(r.Channels, r.Types, r.Units)
	for i, name := range r.Channels {
		c := listedChannel{Name: name, Type: kinds[i], Bad: slices.Contains(r.Bad, name)}
		if r.Units != nil {
			c.Unit = r.Units[i]
		}
		l.Channels = append(l.Channels, c)
	}
	for _, k := range trialevents.Count(r.Events) {
		l.Events = append(l.Events, listedEvent(k))
	}
	return l
}

// listRecordings prints a summary of each recording.
func listRecordings(a *app.App, recs []*eeg.Recording) error {
	var all listedRecordings
	for _, r := range recs {
		all.Recordings = append(all.Recordings, listRecording(r))
	}
	return printListed(a, all)
}

// listedRecordings is the JSON output of --list.
type listedRecordings struct {
	Recordings []listedRecording `json:"recordings"`
}

func printListed(a *app.App, all listedRecordings) error {
	return a.Emit(all, func() {
		for _, l := range all.Recordings {
			l.print(a)
		}
	})
}

func (l listedRecording) print(a *app.App) {
	fmt.Fprintf(a.Out, "%s  %s, %g Hz, %.4g s, %s",
		text.Visible(l.File), text.Visible(l.Format), l.Rate, l.Seconds, text.Plural(len(l.Channels), "channel",
			"channels"))
	if l.Breaks > 0 {
		fmt.Fprintf(a.Out, ", in %d pieces", l.Breaks+1)
	}
	fmt.Fprint(a.Out, "\n  channels  ")
	for i, c := range l.Channels {
		if i > 0 {
			fmt.Fprint(a.Out, ", ")
		}
		fmt.Fprint(a.Out, text.Visible(c.Name))
		var marks []string
		if c.Type != "" && c.Type != "eeg" {
			marks = append(marks, text.Visible(c.Type))
		}
		if c.Bad {
			marks = append(marks, "bad")
		}
		if marks != nil {
			fmt.Fprintf(a.Out, " (%s)", strings.Join(marks, ", "))
		}
	}
	fmt.Fprint(a.Out, "\n  events    ")
	if len(l.Events) == 0 {
		fmt.Fprint(a.Out, "none")
	}
	for i, e := range l.Events {
		if i > 0 {
			fmt.Fprint(a.Out, ", ")
		}
		fmt.Fprintf(a.Out, "%s ×%d", text.Visible(trialevents.Kind(e).String()), e.Count)
	}
	fmt.Fprintln(a.Out)
	for _, what := range l.Skipped {
		fmt.Fprintf(a.Out, "  left out  %s\n", text.Visible(what))
	}
}
