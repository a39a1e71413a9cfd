package method

import (
	"context"

	"rao/feature"
	"rao/gaussian"
	"rao/sqfa"
)

// training is the statistics of the preprocessed classes that a method learns from, wherever
// they are: in memory, dealt to folds, or in a file.
type training interface {
	// affine shifts and scales the columns.
	affine(shift, scale []float64) training
	// held returns the statistics that are in memory, nil where they are in a file.
	held() *gaussian.Statistics
	// source returns what filters are learned from.
	source() sqfa.Source
	// features returns the statistics of what filters make of the data.
	features(ctx context.Context, f *feature.Model) (*gaussian.Statistics, error)
	// within returns what a fit in so many dimensions learns from, 0 for all.
	within(ctx context.Context, subspace int) (training, error)
}

// heldTraining is statistics in memory.
type heldTraining struct {
	*gaussian.Statistics
	shared bool // somebody else needs them as they are
}

func (t heldTraining) affine(shift, scale []float64) training {
	if t.shared {
		return heldTraining{Statistics: t.Affine(shift, scale)}
	}
	t.AffineInPlace(shift, scale)
	return t
}

func (t heldTraining) held() *gaussian.Statistics { return t.Statistics }

func (t heldTraining) source() sqfa.Source { return t.Statistics }

func (t heldTraining) features(_ context.Context, f *feature.Model) (*gaussian.Statistics, error) {
	return f.Statistics(t.Statistics), nil
}

func (t heldTraining) within(context.Context, int) (training, error) { return t, nil }

// dealtTraining is statistics of folds of the rows, for validation of the noise.
type dealtTraining struct {
	heldTraining // the sum of the folds
	folds        *sqfa.Folds
}

func (t dealtTraining) affine(shift, scale []float64) training {
	t.folds.AffineInPlace(shift, scale)
	return t
}

func (t dealtTraining) source() sqfa.Source { return t.folds }

func (t dealtTraining) within(_ context.Context, subspace int) (training, error) {
	if subspace == 0 {
		return t, nil
	}
	return t.heldTraining, nil
}

// storedTraining is statistics whose covariances are in a file.
type storedTraining struct{ *gaussian.Source }

func (t storedTraining) affine(shift, scale []float64) training {
	return storedTraining{t.Affine(shift, scale)}
}

func (t storedTraining) held() *gaussian.Statistics { return nil }

func (t storedTraining) source() sqfa.Source { return t.Source }

// features implements training, of a canceled fit too.
func (t storedTraining) features(ctx context.Context, f *feature.Model) (*gaussian.Statistics, error) {
	return f.StatisticsOf(context.WithoutCancel(ctx), t.Source)
}

func (t storedTraining) within(ctx context.Context, subspace int) (training, error) {
	if 0 < subspace && subspace < t.Dim {
		return t, nil
	}
	s, err := t.Load(ctx)
	return heldTraining{Statistics: s}, err
}
