package method

import (
	"context"

	"rao"
	"rao/dataset"
	"rao/model"
	"rao/spd"
)

// Job gives a method of another package access to a fit in progress: the data, and the model under construction.
type Job interface {
	// Data returns the training data.
	Data() *dataset.Data
	// Model returns the model under construction.
	Model() *model.Model
	// Follow applies the stages of the model to the data, fits the method named by f to the result, and appends its
	// stages and classifier to the model.
	Follow(ctx context.Context, f Follower) error
}

// Data implements Job.
func (j *job) Data() *dataset.Data { return Observations(j.src) }

// disk returns the rows that stay in their files, or nil if the source is of another type.
func (j *job) disk() *dataset.OnDisk {
	s, _ := j.src.(OnDisk)
	return s.Data
}

// Model implements Job.
func (j *job) Model() *model.Model { return j.model }

// OnTrials returns a method that learns from trial signals. fit sets Classes, Input and Training of the model and adds
// stages and a classifier. memory describes the arrays of the fit, to estimate its memory. Options are declared in the
// same way as in [New].
func OnTrials[O any](name, summary string, memory Copies,
	fit func(ctx context.Context, f Job, o *O) error) *Method {
	return newMethod(name, summary, Traits{Rows: true, Trials: true, Memory: memory},
		func(ctx context.Context, j *job, o *O) error { return fit(ctx, j, o) })
}

// OnMatrices returns a method that learns from SPD matrices x. If the options embed [OnManifold], the matrices are
// first repaired, adapted, reduced and whitened accordingly. learn may append stages to the model. It returns the
// classifier, or nil if it called Follow, and a report. memory describes the arrays of the fit, to estimate its memory.
// Options are declared in the same way as in [New].
func OnMatrices[O any](name, summary string, memory Copies,
	learn func(ctx context.Context, f Job, x *spd.Stack, o *O) (model.Classifier, rao.Report, error)) *Method {
	return onMatrices(name, summary, memory,
		func(ctx context.Context, m *matrices, o *O) (model.Classifier, rao.Report, error) {
			return learn(ctx, m, m.x, o)
		})
}
