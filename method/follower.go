package method

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/dataset"
	"rao/model"
)

// Follower is the method that learns from the output of another method, in the syntax of [Spec], or none.
type Follower struct {
	text string
	next Spec // its Method is nil if the option is none
}

// String returns the text of the option.
func (f Follower) String() string { return f.text }

// Syntax returns the placeholder for a value in help texts.
func (Follower) Syntax() string { return "METHOD[:OPTION=VALUE]..." }

// UnmarshalText implements encoding.TextUnmarshaler. It returns an error for an unknown method or option, or an invalid
// value.
func (f *Follower) UnmarshalText(text []byte) error {
	*f = Follower{text: string(text)}
	if f.text == "none" {
		return nil
	}
	var err error
	f.next, err = parseSpec(f.text, lookupClassifier)
	return err
}

// OfMatrices reports whether f is a method of matrices.
func (f Follower) OfMatrices() bool { return f.next.Method != nil && f.next.Method.Matrices }

// Follow applies the stages of the model to the training data, fits the method named by f to the result, and appends
// its stages and classifier to the model.
func (j *Job) Follow(ctx context.Context, f Follower) error {
	if f.next.Method == nil {
		return nil
	}
	d := j.Data
	b, err := j.Model.Transform(ctx, model.BatchOf(d))
	if err != nil {
		return err
	}
	out := &dataset.Data{Source: d.Source, Labels: d.Labels, Classes: d.Classes, Stack: b.Stack}
	if b.X != nil {
		x := mat.DenseCopyOf(b.X)
		rows, cols := x.Dims()
		out.X = dataset.NewTable(rows, cols, x.RawMatrix().Data)
	}
	return j.followOn(ctx, f, InMemory{Data: out})
}

// ownClassifiers are the classifiers of mapped matrices, by the text of the option, that use options O of the method
// that maps the matrices. Any other classifier is a method with its own options.
type ownClassifiers[O any] map[string]func(m *matrices, ctx context.Context, o *O) error

// classifyMapped fits the classifier f to the mapped matrices. unsettled is the error of a map that did not converge.
func classifyMapped[O any](ctx context.Context, m *matrices, f Follower, own ownClassifiers[O], o *O,
	unsettled error) error {
	if fit, ok := own[f.text]; ok {
		return joined(unsettled, fit(m, ctx, o))
	}
	return joined(unsettled, m.classifyBy(ctx, f))
}

// classifyBy is Follow for the mapped matrices, which it does not map again.
func (m *matrices) classifyBy(ctx context.Context, f Follower) error {
	d := m.Data
	return m.followOn(ctx, f, InMemory{Data: &dataset.Data{Source: d.Source, Labels: d.Labels, Classes: d.Classes,
		Stack: m.x}})
}

// followOn fits the method named by f to src, and appends its stages and classifier to the model.
func (j *Job) followOn(ctx context.Context, f Follower, src TrainingData) error {
	if f.next.Method == nil {
		return nil
	}
	next, err := f.next.Fit(ctx, src, j.Progress)
	if next == nil {
		return rao.Optionf("classifier", "{classifier=%s}: %w", f, err)
	}
	_ = j.note(err) // it came with a usable model
	j.Model.Stages = append(j.Model.Stages, next.Stages...)
	j.Model.Classifier = next.Classifier
	j.Model.Notes = append(j.Model.Notes, next.Notes...)
	j.Model.Warnings = append(j.Model.Warnings, next.Warnings...)
	return nil
}
