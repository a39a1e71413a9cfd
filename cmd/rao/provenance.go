package main

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

// partOf identifies the rows of a data set.
func partOf(d *dataset.Data, hashing gaussian.Hashing) gaussian.Part {
	b := gaussian.PartBuilder{Hashing: hashing}
	d.AddTo(&b)
	return b.Part()
}

// seen records where data came from, for the JSON, and returns their part.
func (a *app) seen(d *dataset.Data) gaussian.Part {
	p := partOf(d, a.hashing)
	a.sawPart(d.Source, p)
	return p
}

func (a *app) sawPart(source string, p gaussian.Part) {
	a.provenance.Data = append(a.provenance.Data, dataDigest{source, p.Rows, p.Digest})
}

// madeFrom records that out was made from d, in its file and in the JSON.
func (a *app) madeFrom(out, d *dataset.Data) {
	p := a.seen(d)
	out.From = []dataset.Origin{{Rows: p.Rows, Digest: p.Digest}}
}

// partsBeside identifies the rows that a model is fitted to, beside the fit: what it returns
// waits for them and records them. They are nil when statistics do not know theirs.
func (a *app) partsBeside(src method.Source) func() []gaussian.Part {
	if src.Data == nil {
		return sync.OnceValue(func() []gaussian.Part { return a.partsOf(src) })
	}
	found := make(chan gaussian.Part, 1)
	go func() { found <- partOf(src.Data, a.hashing) }()
	return sync.OnceValue(func() []gaussian.Part {
		p := <-found
		a.sawPart(src.Data.Source, p)
		return []gaussian.Part{p}
	})
}

// partsOf returns the parts that statistics know of themselves.
func (a *app) partsOf(src method.Source) []gaussian.Part {
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

// overlapOf returns the largest share of p's rows that one of the parts has, 0 when it
// is not noticeable.
func overlapOf(p gaussian.Part, parts []gaussian.Part) float64 {
	most := 0.0
	for i := range parts {
		most = max(most, p.Overlap(&parts[i]))
	}
	if most < gaussian.SharedRows {
		return 0
	}
	return most
}

// warnOverlap says when observations that a model is judged by are those it learned
// from, and returns their share.
func (a *app) warnOverlap(m *model.Model, source string, p gaussian.Part, allow bool) float64 {
	a.sawPart(source, p)
	a.noteOtherKey(m)
	share := overlapOf(p, m.Training.Parts)
	if share > 0 && !allow {
		a.note("%s: about %.0f %% of these observations were among those the model was fitted to, so that the "+
			"scores are too good; use others, or say --allow-overlap", source, 100*share)
	}
	return share
}

// noteOtherKey says when rows cannot be looked for among those behind the model, because these
// are recorded with a key that was not given.
func (a *app) noteOtherKey(m *model.Model) {
	for _, p := range m.Training.Parts {
		if p.Key != "" && p.Key != a.hashing.Key() {
			a.note("the rows behind the model are recorded with a key: give --hashes FILE to look for these among them")
			return
		}
	}
}

// allowOverlap registers --allow-overlap.
func allowOverlap(cmd *cobra.Command, allow *bool) {
	cmd.Flags().BoolVar(allow, "allow-overlap", false,
		"accept observations that were learned from or counted before, without a warning")
}
