package app

import (
	"context"
	"fmt"

	"rao/dataset"
	"rao/internal/memory"
	"rao/internal/text"
)

// OpenMatrices opens data like [DataFlags.Open], for a command that needs SPD matrices. It returns an error for
// vectors, and if the command needs more memory for the matrices than is free. needs may be nil.
func (d *DataFlags) OpenMatrices(ctx context.Context, a *App, verb string, labeled bool,
	needs func(count, order int) memory.Footprint) (*dataset.Data, error) {
	x, err := d.Open(ctx, a, "data", labeled)
	switch {
	case err != nil:
		return nil, err
	case x.Stack == nil:
		return nil, fmt.Errorf("rao spd %s needs SPD matrices, but %s; rao spd images and rao eeg cov compute matrices",
			verb, text.NoMatrices(x.Source, x.Image))
	case needs == nil:
		return x, nil
	}
	return x, memory.Check(verb, needs(x.Stack.Count, x.Stack.Dim))
}

// matricesResult is the result of a command that computes matrices from images or signals.
type matricesResult struct {
	N       int      `json:"n"`
	Dim     int      `json:"dim"` // order of the matrices, or length of the vectors
	Classes []string `json:"classes,omitempty"`
	Skipped []string `json:"skipped,omitempty"`
	Out     string   `json:"out"`
}

// SaveMatrices writes the matrices of images or signals to out. It prints a summary and a list of the skipped items.
func (a *App) SaveMatrices(out string, d *dataset.Data, skipped []string) error {
	if err := dataset.WriteFile(out, d); err != nil {
		return err
	}
	for _, s := range skipped {
		a.Note("left out: %s", s)
	}
	if d.Stack == nil {
		_, dim := d.X.Dims()
		r := matricesResult{d.N(), dim, d.Classes, skipped, out}
		return a.Emit(r, func() {
			fmt.Fprintf(a.Out, "%s of %d values written to %s\n",
				text.Plural(r.N, "vector", "vectors"), r.Dim, out)
		})
	}
	r := matricesResult{d.Stack.Count, d.Stack.Dim, d.Classes, skipped, out}
	return a.Emit(r, func() {
		fmt.Fprintf(a.Out, "%s of order %d written to %s\n", text.Plural(r.N, "matrix", "matrices"), r.Dim, out)
	})
}
