package method

import (
	"context"

	"rao"
	"rao/dataset"
	"rao/model"
	"rao/spd"
)

// Fit is what a method of another package sees of its fit: the data, and the model that
// grows.
type Fit interface {
	Data() *dataset.Data
	Model() *model.Model
	// Follow fits the method that f names to what the stages of the model so far make of the
	// data, and appends its stages and classifier to the model's.
	Follow(ctx context.Context, f Follower) error
}

// Data implements Fit.
func (j *job) Data() *dataset.Data { return j.src.Observations() }

// disk returns the rows that stay in their files, nil where the source has none.
func (j *job) disk() *dataset.OnDisk {
	s, _ := j.src.(OnDisk)
	return s.Data
}

// Model implements Fit.
func (j *job) Model() *model.Model { return j.model }

// OnTrials returns a method that learns from signals of trials. Its fit describes the
// training and fills the model with stages and a classifier; memory is that of the fit.
// Options are declared as for [New].
func OnTrials[O any](name, summary string, memory Copies,
	fit func(ctx context.Context, f Fit, o *O) error) *Method {
	return newMethod(name, summary, Traits{Rows: true, Trials: true, Memory: memory},
		func(ctx context.Context, j *job, o *O) error { return fit(ctx, j, o) })
}

// OnMatrices returns a method that learns from SPD matrices, x, which are repaired, adapted
// and made smaller as the options say where they embed [OnManifold]. Learn appends stages to
// the model and returns the classifier, nil when it fitted one by Follow, and how it ended;
// memory is that of the fit. Options are declared as for [New].
func OnMatrices[O any](name, summary string, memory Copies,
	learn func(ctx context.Context, f Fit, x *spd.Stack, o *O) (model.Classifier, rao.Report, error)) *Method {
	return onMatrices(name, summary, memory,
		func(ctx context.Context, m *matrices, o *O) (model.Classifier, rao.Report, error) {
			return learn(ctx, m, m.x, o)
		})
}
