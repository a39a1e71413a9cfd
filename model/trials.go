package model

import (
	"context"
	"fmt"

	"rao/eeg/spatial"
)

// Evoked is the stage that makes covariances of trials, each with the mean responses of
// classes beside it: vectors to matrices.
type Evoked struct{ *spatial.Evoked }

func (e *Evoked) inner() any { return e.Evoked }

// Out implements Stage.
func (e *Evoked) Out(in Schema) (Schema, error) {
	n, order := e.Dims()
	return Schema{Kind: KindMatrices, Dim: order}, in.wants(KindVectors, n)
}

// Apply implements Stage.
func (e *Evoked) Apply(_ context.Context, b Batch) (Batch, error) {
	x, err := e.Matrices(b.X)
	if err != nil {
		return b, fmt.Errorf("counted from row %d: %w", b.First, err)
	}
	return Matrices(x), nil
}
