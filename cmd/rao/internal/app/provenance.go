package app

import (
	"sync"

	"github.com/spf13/cobra"

	"rao"
	"rao/dataset"
	"rao/internal/datapart"
	"rao/internal/linalg/cpu"
	"rao/internal/provenance"
	"rao/method"
	"rao/model"
)

// runRecord is the provenance in every JSON object that the tool prints.
type runRecord struct {
	Version string       `json:"version"`
	Kernel  string       `json:"kernel"`
	Data    []dataDigest `json:"data,omitempty"`
}

// dataDigest describes one data set in the JSON output: its source, number of rows and digest.
type dataDigest struct {
	Source string `json:"source"`
	Rows   int    `json:"rows"`
	Digest string `json:"digest"` // independent of the order of the rows
}

func newRunRecord() runRecord {
	return runRecord{Version: rao.Version, Kernel: cpu.Use().String()}
}

// Seen records the origin of data for the JSON output, and returns the part that identifies their rows.
func (a *App) Seen(d *dataset.Data) provenance.Part {
	p := datapart.Of(d, a.Hashing)
	a.SawPart(d.Source, p)
	return p
}

// SawPart records the origin of a part for the JSON output.
func (a *App) SawPart(source string, p provenance.Part) {
	a.provenance.Data = append(a.provenance.Data, dataDigest{source, p.Rows, p.Digest})
}

// MadeFrom records in out and in the JSON output that out was computed from d.
func (a *App) MadeFrom(out, d *dataset.Data) {
	p := a.Seen(d)
	out.From = []provenance.Part{{Rows: p.Rows, Digest: p.Digest}}
}

// PartsOf identifies the rows that a model is fitted to, concurrently with the fit. The returned function waits for the
// parts, records them for the JSON output and returns them. The rows behind statistics are those that the fitted model
// names.
func (a *App) PartsOf(src method.TrainingData) func(fitted *model.Model) []provenance.Part {
	d := method.Observations(src)
	if d == nil {
		return func(fitted *model.Model) []provenance.Part {
			for _, p := range fitted.Training.Parts {
				a.provenance.Data = append(a.provenance.Data, dataDigest{"statistics", p.Rows, p.Digest})
			}
			return fitted.Training.Parts
		}
	}
	found := make(chan provenance.Part, 1)
	go func() { found <- datapart.Of(d, a.Hashing) }()
	once := sync.OnceValue(func() []provenance.Part {
		p := <-found
		a.SawPart(d.Source, p)
		return []provenance.Part{p}
	})
	return func(*model.Model) []provenance.Part { return once() }
}

// WarnOverlap warns if test observations were used for training, and returns the fraction of the test observations that
// were.
func (a *App) WarnOverlap(m *model.Model, source string, p provenance.Part, allow bool) float64 {
	a.SawPart(source, p)
	a.NoteOtherKey(m)
	share := provenance.LargestOverlap(p, m.Training.Parts)
	if share > 0 && !allow {
		a.Note("%s: about %.0f %% of these observations are also training observations of the model, so the "+
			"scores are too good; use other data, or --allow-overlap", source, 100*share)
	}
	return share
}

// NoteOtherKey prints a note if the rows of the model were recorded with a key that the user did not give. Without the
// key, these rows cannot be compared with other rows.
func (a *App) NoteOtherKey(m *model.Model) {
	for _, p := range m.Training.Parts {
		if p.Key != "" && p.Key != a.Hashing.Key() {
			a.Note("the training rows of the model are recorded with a key: give --hashes FILE to check for overlap")
			return
		}
	}
}

// AllowOverlap registers --allow-overlap.
func AllowOverlap(cmd *cobra.Command, allow *bool) {
	cmd.Flags().BoolVar(allow, "allow-overlap", false,
		"accept observations that were already used for training or counted, without a warning")
}
