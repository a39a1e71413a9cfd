package app

import (
	"sync"

	"github.com/spf13/cobra"

	"rao"
	"rao/dataset"
	"rao/gaussian"
	"rao/internal/linalg/cpu"
	"rao/method"
	"rao/model"
)

// provenance is what every JSON object of the tool says of how it came about.
type provenance struct {
	Version string       `json:"version"`
	Kernel  string       `json:"kernel"`
	Data    []dataDigest `json:"data,omitempty"`
}

// dataDigest names rows that were read.
type dataDigest struct {
	Source string `json:"source"`
	Rows   int    `json:"rows"`
	Digest string `json:"digest"` // does not depend on the order of the rows
}

func newProvenance() provenance {
	return provenance{Version: rao.Version, Kernel: cpu.Use().String()}
}

// PartOf identifies the rows of a data set.
func PartOf(d *dataset.Data, hashing gaussian.Hashing) gaussian.Part {
	b := gaussian.PartBuilder{Hashing: hashing}
	d.AddTo(&b)
	return b.Part()
}

// Seen records where data came from, for the JSON, and returns their part.
func (a *App) Seen(d *dataset.Data) gaussian.Part {
	p := PartOf(d, a.Hashing)
	a.SawPart(d.Source, p)
	return p
}

func (a *App) SawPart(source string, p gaussian.Part) {
	a.provenance.Data = append(a.provenance.Data, dataDigest{source, p.Rows, p.Digest})
}

// MadeFrom records that out was made from d, in its file and in the JSON.
func (a *App) MadeFrom(out, d *dataset.Data) {
	p := a.Seen(d)
	out.From = []dataset.Origin{{Rows: p.Rows, Digest: p.Digest}}
}

// PartsBeside identifies the rows that a model is fitted to, beside the fit: what it returns
// waits for them and records them. They are nil when statistics do not know theirs.
func (a *App) PartsBeside(src method.Source) func() []gaussian.Part {
	if src.Data == nil {
		return sync.OnceValue(func() []gaussian.Part { return a.partsOf(src) })
	}
	found := make(chan gaussian.Part, 1)
	go func() { found <- PartOf(src.Data, a.Hashing) }()
	return sync.OnceValue(func() []gaussian.Part {
		p := <-found
		a.SawPart(src.Data.Source, p)
		return []gaussian.Part{p}
	})
}

// partsOf returns the parts that statistics know of themselves.
func (a *App) partsOf(src method.Source) []gaussian.Part {
	var parts []gaussian.Part
	switch {
	case src.Subclasses != nil:
		parts = src.Subclasses.Parts
	case src.Stored != nil:
		parts = src.Stored.Parts
	default:
		parts = src.Stats.Parts
	}
	for _, p := range parts {
		a.provenance.Data = append(a.provenance.Data, dataDigest{"statistics", p.Rows, p.Digest})
	}
	return parts
}

// OverlapOf returns the largest share of p's rows that one of the parts has, 0 when it
// is not noticeable.
func OverlapOf(p gaussian.Part, parts []gaussian.Part) float64 {
	most := 0.0
	for i := range parts {
		most = max(most, p.Overlap(&parts[i]))
	}
	if most < gaussian.SharedRows {
		return 0
	}
	return most
}

// WarnOverlap says when observations that a model is judged by are those it learned
// from, and returns their share.
func (a *App) WarnOverlap(m *model.Model, source string, p gaussian.Part, allow bool) float64 {
	a.SawPart(source, p)
	a.NoteOtherKey(m)
	share := OverlapOf(p, m.Training.Parts)
	if share > 0 && !allow {
		a.Note("%s: about %.0f %% of these observations were among those the model was fitted to, so that the "+
			"scores are too good; use others, or say --allow-overlap", source, 100*share)
	}
	return share
}

// NoteOtherKey says when rows cannot be looked for among those behind the model, because these
// are recorded with a key that was not given.
func (a *App) NoteOtherKey(m *model.Model) {
	for _, p := range m.Training.Parts {
		if p.Key != "" && p.Key != a.Hashing.Key() {
			a.Note("the rows behind the model are recorded with a key: give --hashes FILE to look for these among them")
			return
		}
	}
}

// AllowOverlap registers --allow-overlap.
func AllowOverlap(cmd *cobra.Command, allow *bool) {
	cmd.Flags().BoolVar(allow, "allow-overlap", false,
		"accept observations that were learned from or counted before, without a warning")
}
