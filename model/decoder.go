package model

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/classifiers"
	"rao/internal/indices"
	"rao/internal/linalg/vec"
	"rao/lvq"
	"rao/spd"
)

// DecoderOptions are the options of [NewDecoder].
type DecoderOptions struct {
	// Watch records every observation and decision; may be nil.
	Watch *DriftWatch
	// Adapt is causal, or empty for the adaptation in the model. A model that adapts to complete recordings
	// (center, smooth, balanced) needs causal. The decoder then follows the sequence causally, starting from the
	// mean of the training data.
	Adapt Adapt
}

// Decision is the decision on one observation.
type Decision struct {
	// At is the index of the observation, counted from 0. In package stream, it is the index of the sample after the
	// window.
	At           int64
	Label        int       // index of the most probable class, even if rejected
	Probability  float64   // probability of that class
	LogPosterior []float64 // one per class; valid until the next decision
	Rejected     bool      // by a threshold, as an outlier, or because the running mean has too few matrices
	Outlier      bool      // far from the training data, or beyond the classifier's own threshold
}

// Decoder is a model with the state for one sequence of observations: the running mean of the adaptation, and online
// updates. Observe classifies the next observation; package stream computes observations from a live signal. Without
// adaptation, and with causal adaptation, it makes the same decisions as Model.Predict. A Decoder is not safe for
// concurrent use. It never changes the model.
type Decoder struct {
	model  *Model // with stages that adapt along the sequence
	origin *Model
	opt    DecoderOptions

	center *centering              // nil unless the matrices are adapted
	bias   *classifiers.CausalBias // nil unless the intercepts are adapted
	one    *spd.Stack              // the observation; nil for a model of vectors
	vector []float64               // the observation of a model of vectors
	row    *mat.Dense              // a copy of vector, which the stages may overwrite
	memory memory                  // outputs of the stages
	far    *far
	logp   *mat.Dense
	own    [1]lvq.Decision
	at     int64
	last   *spd.Stack // the last observation after the stages
	notes  []string
}

// NewDecoder returns a decoder of the model at the start of a sequence of observations. It returns an error if the
// model is invalid, has no classifier or predicts a number, if its adaptation needs complete recordings, or if
// opt.Adapt does not suit the model.
func NewDecoder(m *Model, opt DecoderOptions) (*Decoder, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	if err := m.checkClassifier(); err != nil {
		return nil, err
	}
	own := *m
	d := &Decoder{model: &own, origin: m, opt: opt, far: newFar(1), logp: mat.NewDense(1, len(m.Classes), nil)}
	if m.Input.Kind == KindMatrices {
		d.one = spd.NewStack(1, m.Input.Dim)
	} else {
		d.row = mat.NewDense(1, m.Input.Dim, nil)
	}
	if err := d.checkAdaptation(); err != nil {
		return nil, err
	}
	if err := d.follow(); err != nil {
		return nil, err
	}
	return d, nil
}

// Notes returns remarks on the decoder, to show to the user.
func (d *Decoder) Notes() []string { return d.notes }

// Observe classifies the next observation, a vector or a row-major matrix. It returns an error if a value of a vector
// is not finite, and the errors of the stages and of the classifier. It returns a *[rao.ShapeError] if the length
// differs from the input of the model. See [Model.PredictInto] for the number of allocations.
func (d *Decoder) Observe(x []float64) (Decision, error) {
	want := d.origin.Input.Dim
	if d.one != nil {
		want *= want
	}
	if len(x) != want {
		return Decision{}, &rao.ShapeError{Got: len(x), Want: want, Message: fmt.Sprintf("the observation has %d "+
			"values, but the model was fitted to %d; give the same columns or channels", len(x), want)}
	}
	if d.one != nil {
		copy(d.one.Data, x)
	} else {
		d.vector = x
	}
	decision, err := d.decide()
	decision.At = d.at
	d.at++
	return decision, err
}

// decide maps the observation in d.one or d.vector through the stages and classifies the result.
func (d *Decoder) decide() (Decision, error) {
	var values []float64
	if d.opt.Watch != nil {
		values = d.values() // before the stages modify them
	}
	b, err := d.prepare()
	if err != nil {
		return Decision{}, err
	}
	if err := d.model.classify(context.Background(), d.own[:], d.logp, b); err != nil {
		return Decision{}, err
	}
	own, logp := d.own[0], d.logp.RawRowView(0)
	label, outlier, rejected := d.origin.decide(logp, d.far, 0, d.bias)
	out := Decision{Label: label, Probability: math.Exp(logp[label]), LogPosterior: logp,
		Outlier:  outlier || own.Outlier,
		Rejected: rejected || own.Outlier || own.Rejected || d.center != nil && d.center.young}
	if d.opt.Watch != nil {
		d.opt.Watch.record(values, out)
	}
	return out, nil
}

// values returns the values of the observation that a watch compares.
func (d *Decoder) values() []float64 {
	if d.one == nil {
		return d.vector
	}
	row := make([]float64, d.one.Dim)
	logPowers(row, d.one.At(0))
	return row
}

// prepare maps the observation through the stages.
func (d *Decoder) prepare() (Batch, error) {
	ctx := context.Background()
	d.memory.reset()
	if d.one == nil {
		if j := vec.NotFinite(d.vector); j >= 0 {
			return Batch{}, &rao.ValueError{Row: int(d.at), Col: j, Value: d.vector[j]}
		}
		d.row.SetRow(0, d.vector)
		return d.model.applyToRow(ctx, d.row, 0, &d.memory, d.far)
	}
	b := Matrices(d.one)
	b.memory = &d.memory
	d.far.measure(d.model, &b, d.center != nil)
	for _, s := range d.model.Stages {
		if d.far.absurd[0] && s == Stage(d.center) {
			continue // outliers do not change the mean
		}
		var err error
		if b, err = s.Apply(ctx, b); err != nil {
			return b, err
		}
		b.memory = &d.memory
	}
	d.last = b.Stack
	return b, nil
}

// Update learns from the true class of the last observation: one small step of the classifier, as in [Model.Update].
// The original model does not change; Model returns the updated model. It returns an error if the classifier cannot
// learn from single observations, the label is not a class, or there is no observation yet.
func (d *Decoder) Update(label int) error {
	switch {
	case d.one == nil:
		return fmt.Errorf("the %s model works on vectors and cannot be updated online; use a model of matrices",
			d.origin.Method)
	case d.last == nil:
		return errors.New("no decision has been made yet, so there is nothing to learn from; decide first")
	}
	if err := indices.CheckLabel("observation", int(d.at-1), label, len(d.origin.Classes)); err != nil {
		return err
	}
	return d.model.learn(context.Background(), Matrices(d.last), []int{label})
}

// Model returns the model with the updates of the decoder.
func (d *Decoder) Model() *Model {
	m := *d.origin
	m.Classifier, m.Training.Counts = d.model.Classifier, d.model.Training.Counts
	return &m
}
