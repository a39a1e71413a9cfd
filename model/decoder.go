package model

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/eeg"
	"rao/lvq"
	"rao/recipe"
	"rao/spd"
)

// DecoderOptions say what comes to a decoder. The zero value takes everything from the
// model's recipe.
type DecoderOptions struct {
	// Channels are the names of the channels that come, in their order: those of the
	// model are picked by name. Nil: exactly the model's, in its order.
	Channels []string
	// Rate of the samples that come, in hertz; 0: that of the recipe.
	Rate float64
	// Reference is the electrode that the channels are measured against; empty: not known.
	Reference string
	// Step is the time between decisions in seconds; 0: the length of the window.
	Step float64
	// Stream says how samples become matrices, for a model that does not know. With one
	// that does, what contradicts its recipe is an error. Its Step is ignored.
	Stream *eeg.StreamOptions
	// Watch takes note of every observation and decision; nil: none does.
	Watch *DriftWatch
	// Adapt is AdaptCausal for a model that adapts by looking at whole recordings (center,
	// smooth, balanced), to follow the stream causally in their place, from the mean of the
	// training; without it such a model is refused. Empty: as the model adapts.
	Adapt string
}

// Decision is what a decoder says of one observation.
type Decision struct {
	// At is the number of the observation, or of the sample after the window, from 0.
	At           int64
	Label        int // index of the most probable class, also when rejected
	Probability  float64
	LogPosterior []float64 // one a class; valid until the next decision
	Rejected     bool
	Outlier      bool // far outside the training, or farther than the classifier's own threshold
}

// Decoder is a model with the state of one stream: causal filters, the window, the mean
// that adaptation follows, and what was learned on the way. Samples go in by Push, whole
// observations by Observe. Without adaptation its decisions are those of Model.Predict,
// for a causal recipe on the same samples; so are those of causal adaptation, and no other
// is taken unasked. It is for one goroutine; the model itself is
// never changed.
type Decoder struct {
	model  *Model // with stages that follow the stream
	origin *Model
	opt    DecoderOptions
	stream *eeg.Stream
	pick   []int     // channel of each of the model's channels, nil for all in order
	picked []float64 // one sample
	width  int       // channels that come

	center  *centering           // nil without adaptation of the matrices
	bias    *classify.CausalBias // nil without adaptation of the intercepts
	quick   *lvq.Decider
	learned bool       // model.Classifier is the decoder's own
	one     *spd.Stack // the observation, nil for a model of vectors
	vector  []float64  // the observation of a model of vectors
	far     *far
	logp    *mat.Dense
	at      int64
	last    *spd.Stack // the last observation as the classifier got it
	notes   []string
}

// NewDecoder returns a decoder of the model at the start of a stream. Options that
// contradict the model's recipe are errors that name what, and so are channels that are
// missing. A model without a recipe decides on whole observations only, unless the
// options say how samples become matrices.
func NewDecoder(m *Model, opt DecoderOptions) (*Decoder, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	if err := m.decides(); m.Target() != "" {
		return nil, err
	}
	if m.Classifier == nil {
		return nil, fmt.Errorf("the %s model was saved without a classifier; fit again with one", m.Method)
	}
	own := *m
	d := &Decoder{model: &own, origin: m, opt: opt, far: newFar(1), logp: mat.NewDense(1, len(m.Classes), nil)}
	if m.Input.Kind == KindMatrices {
		d.one = spd.NewStack(1, m.Input.Dim)
	}
	if err := d.followable(); err != nil {
		return nil, err
	}
	if err := d.follow(); err != nil {
		return nil, err
	}
	if err := d.hasten(); err != nil {
		return nil, err
	}
	whole := m.Input.Kind == KindVectors || m.Input.Recipe == nil || m.Input.Recipe.Signal == nil
	if opt.Stream == nil && whole {
		return d, nil
	}
	return d, d.open()
}

// followable returns an error unless the model's adaptation can be had in a stream.
func (d *Decoder) followable() error {
	a := StageOf[*Adaptation](d.origin)
	switch {
	case d.opt.Adapt != "" && d.opt.Adapt != AdaptCausal:
		return fmt.Errorf("a stream cannot take adaptation %q in place of the model's own: only %s follows one",
			d.opt.Adapt, AdaptCausal)
	case d.opt.Adapt != "" && (a == nil || a.How == AdaptBias):
		return errors.New("the model does not move the matrices of a recording; it was not fitted to moved ones, so " +
			"that causal centering would mislead it")
	case d.opt.Adapt == "" && a != nil && a.How != AdaptCausal && a.How != AdaptBias:
		return fmt.Errorf("the model adapts by %s, which looks at a whole recording before its first decision, and "+
			"a stream cannot; "+
			"fit with --adapt causal or bias, or let the mean follow from that of the training (--adapt causal)", a.How)
	}
	return nil
}

// follow replaces the adaptation by one that follows the stream.
func (d *Decoder) follow() error {
	d.model.Stages = slices.Clone(d.origin.Stages)
	for i, s := range d.model.Stages {
		a, ok := s.(*Adaptation)
		if !ok {
			continue
		}
		if a.How == AdaptBias {
			var err error
			if d.bias, err = a.bias(len(d.origin.Classes)); err != nil {
				return err
			}
			continue
		}
		d.center = &centering{Adaptation: a}
		if a.Mean != nil {
			var err error
			if d.center.causal, err = a.follow(); err != nil {
				return err
			}
		}
		d.model.Stages[i] = d.center
	}
	if d.center != nil && d.center.How != AdaptCausal {
		d.notes = append(d.notes,
			"the mean follows the matrices so far, where predict and evaluate adapt by "+d.center.How+" to the "+
				"whole session")
	}
	return nil
}

// hasten prepares the decision of prototypes without allocation.
func (d *Decoder) hasten() error {
	d.quick = nil
	p, ok := d.model.Classifier.(*lvq.PLRSQ)
	if !ok {
		return nil
	}
	var err error
	d.quick, err = p.NewDecider()
	return err
}

// open starts the stream of samples.
func (d *Decoder) open() error {
	in := d.origin.Input
	if in.Kind != KindMatrices {
		return fmt.Errorf("a %s model works on vectors; a stream of samples gives matrices", d.origin.Method)
	}
	o, rate, channels, err := d.streamOptions()
	if err != nil {
		return err
	}
	o.Step = d.opt.Step
	d.width = channels
	if d.opt.Channels != nil {
		d.width = len(d.opt.Channels)
	}
	if d.stream, err = eeg.NewStream(channels, rate, o); err != nil {
		return err
	}
	d.picked = make([]float64, channels)
	if d.stream.Dim() != in.Dim {
		return fmt.Errorf("%d channels and %d bands give matrices of order %d, the model was fitted to order %d; "+
			"give the bands and the channels of the training",
			channels, max(1, len(o.Bands)), d.stream.Dim(), in.Dim)
	}
	return nil
}

// streamOptions joins the recipe with the options, and finds the model's channels among
// those that come.
func (d *Decoder) streamOptions() (o eeg.StreamOptions, rate float64, channels int, err error) {
	rate = d.opt.Rate
	r := d.origin.Input.Recipe
	if r == nil || r.Signal == nil {
		o = *d.opt.Stream
		channels = d.origin.Input.Dim / max(1, len(o.Bands)) / (1 + len(o.Delays)) / o.Spectrum.Rows()
		if d.opt.Channels != nil && len(d.opt.Channels) != channels {
			return o, 0, 0, fmt.Errorf("%d channels come, the model was fitted to %d and does not know which; give "+
				"only those of the training", len(d.opt.Channels), channels)
		}
		if !(rate > 0) {
			return o, 0, 0, errors.New("the sampling rate is not known: the model has no recipe; give it")
		}
		return o, rate, channels, nil
	}
	if rate == 0 {
		if r.Signal.Resampled {
			return o, 0, 0, fmt.Errorf("the signals of the training were resampled to %g Hz: the rate of the "+
				"samples that come must be given", r.Signal.Rate)
		}
		rate = r.Signal.Rate
	}
	if d.pick, err = pickChannels(r.Signal.Inputs(), d.opt.Channels); err != nil {
		return o, 0, 0, err
	}
	if o, err = eeg.StreamOf(r); err != nil {
		return o, 0, 0, err
	}
	if d.opt.Stream != nil {
		o = *d.opt.Stream
	}
	live := *r.Signal // as a decoder can make it
	live.Causal = live.Filtered()
	here := o.Recipe(r.Signal.Channels, rate)
	if len(o.Prepare.Reference) == 0 { // what is subtracted makes that of the recording indifferent
		here.Signal.Reference = d.opt.Reference
	}
	if err := recipe.Check(&recipe.Recipe{Signal: &live}, here); err != nil {
		return o, 0, 0, err
	}
	if live.Causal && !r.Signal.Causal {
		d.notes = append(d.notes, "the model was trained on signals filtered without a phase shift, which looks "+
			"ahead; a running decoder cannot: "+
			"its probabilities are those of other filters, so train with --causal (rao cov eeg) for live use")
	}
	return o, rate, len(r.Signal.Inputs()), nil
}

// pickChannels returns the place of every channel of the model among those that come,
// nil when they are the same in the same order or their names are not known.
func pickChannels(want, have []string) ([]int, error) {
	if have == nil || slices.Equal(want, have) {
		return nil, nil
	}
	pick := make([]int, len(want))
	var missing []string
	for i, c := range want {
		if pick[i] = slices.Index(have, c); pick[i] < 0 {
			missing = append(missing, c)
		} else if slices.Contains(have[pick[i]+1:], c) {
			return nil, fmt.Errorf("two channels are named %q", c)
		}
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("%s missing; the signal has %s", list("channel", missing), strings.Join(have, ", "))
	}
	return pick, nil
}

// Notes are what a user should know of the decoder, a sentence each.
func (d *Decoder) Notes() []string { return d.notes }

// Width returns the number of values in a sample, 0 for a decoder that takes whole
// observations only.
func (d *Decoder) Width() int { return d.width }

// Push takes a block of samples (samples×channels, the oldest first) and calls emit with
// the decision on every window that it completes. An error of emit ends it and is
// returned. Samples that are not finite, and a window that has no covariance, are errors.
// It panics with mat.ErrShape if the block is not whole samples.
func (d *Decoder) Push(block []float64, emit func(Decision) error) error {
	if d.stream == nil && d.origin.Input.Kind == KindVectors {
		return fmt.Errorf("the %s model decides on whole trials, not on samples as they come; cut the trials at their "+
			"events, and predict", d.origin.Method)
	}
	if d.stream == nil {
		return fmt.Errorf("it is not known how the %s model's matrices were made of a signal; say so (the window, "+
			"the rate and the bands), or give whole matrices", d.origin.Method)
	}
	if len(block)%d.width != 0 {
		panic(mat.ErrShape)
	}
	step := func(cov *mat.SymDense, end int64) error {
		d.one.Set(0, cov)
		decision, err := d.decide()
		if err != nil {
			return err
		}
		decision.At = end
		return emit(decision)
	}
	if d.pick == nil {
		return d.stream.Push(block, step)
	}
	for at := 0; at < len(block); at += d.width {
		for i, c := range d.pick {
			d.picked[i] = block[at+c]
		}
		if err := d.stream.Push(d.picked, step); err != nil {
			return err
		}
	}
	return nil
}

// Restart says that the signal begins anew, as after a gap: filters and window start
// afresh, and no window reaches across. What adaptation and updates have learned stays, and
// samples are counted on.
func (d *Decoder) Restart() {
	if d.stream != nil {
		d.stream.Restart()
	}
}

// Observe decides on the next whole observation, a vector or a matrix row by row. It
// panics with mat.ErrShape on another length than the model's input has.
func (d *Decoder) Observe(x []float64) (Decision, error) {
	want := d.origin.Input.Dim
	if d.one != nil {
		want *= want
	}
	if len(x) != want {
		panic(mat.ErrShape)
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

// decide classifies the observation in d.one or d.vector as the stages leave it.
func (d *Decoder) decide() (Decision, error) {
	var values []float64
	if d.opt.Watch != nil {
		values = d.values() // before the stages move them
	}
	b, err := d.prepare()
	if err != nil {
		return Decision{}, err
	}
	own := lvq.Decision{}
	logp := d.logp.RawRowView(0)
	switch {
	case d.quick != nil:
		own, err = d.quick.Decide(b.Stack.View(0), logp)
	default:
		err = posterior(context.Background(), d.logp, d.model.Classifier, b)
		if t, ok := d.model.Classifier.(decider); ok && err == nil {
			var all []lvq.Decision
			if all, err = t.Decide(b.Stack); err == nil {
				own = all[0]
			}
		}
	}
	if err != nil {
		return Decision{}, err
	}
	undecided := d.far.absurd[0] || !usable(logp)
	switch {
	case undecided:
		uniform(logp)
	case d.bias != nil:
		d.bias.Push(logp)
	}
	label, _ := best(logp)
	out := Decision{Label: label, LogPosterior: logp, Outlier: undecided || d.far.is[0] || own.Outlier}
	out.Probability = math.Exp(logp[out.Label])
	out.Rejected = out.Outlier || own.Rejected || out.Probability < d.origin.RejectBelow ||
		d.center != nil && d.center.young
	if d.opt.Watch != nil {
		d.opt.Watch.one(values, out)
	}
	return out, nil
}

// values are those of the observation that a watch compares.
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
	if d.one == nil {
		x := d.vector
		for j, v := range x {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return Batch{}, fmt.Errorf("value %d is %v", j, v)
			}
		}
		var out Batch
		in := mat.NewDense(1, len(x), slices.Clone(x))
		err := d.model.block(ctx, in, 0, 0, nil, func(_ *mat.Dense, z Batch) error { out = z; return nil }, d.far)
		return out, err
	}
	b := Matrices(d.one)
	r := &d.model.Training.Range
	d.far.factor[0], d.far.is[0], d.far.absurd[0] = r.power(d.one.At(0), d.one.Dim, d.center != nil)
	if d.far.absurd[0] {
		clear(d.one.Data)
		for i := range d.one.Dim {
			d.one.Data[i*d.one.Dim+i] = 1
		}
	}
	for _, s := range d.model.Stages {
		if d.far.absurd[0] && s == Stage(d.center) {
			continue // what is not looked at moves no mean
		}
		var err error
		if b, err = s.Apply(ctx, b); err != nil {
			return b, err
		}
	}
	d.last = b.Stack
	return b, nil
}

// Update teaches the decoder the true class of the last decision: one small step of
// the classifier, which must be of a kind that learns online (the PLRSQ family). The
// model stays as it is; Model returns the decoder's own.
func (d *Decoder) Update(label int) error {
	p, ok := d.model.Classifier.(*lvq.PLRSQ)
	switch {
	case !ok:
		return fmt.Errorf("a %s model does not learn online; plrsq does", d.origin.Method)
	case label < 0 || label >= len(d.origin.Classes):
		return fmt.Errorf("class %d of %d", label, len(d.origin.Classes))
	case d.last == nil:
		return errors.New("there was no decision to learn from")
	}
	if !d.learned {
		mine := p.Clone()
		if err := mine.Validate(); err != nil {
			return err
		}
		d.model.Classifier, d.learned, p = mine, true, mine
	}
	if err := p.Update(d.last.View(0), label, lvq.UpdateOptions{}); err != nil {
		return err
	}
	return d.hasten()
}

// Model returns the model with what the decoder has learned.
func (d *Decoder) Model() *Model {
	m := *d.origin
	m.Classifier = d.model.Classifier
	return &m
}

// centering is an adaptation that follows one stream.
type centering struct {
	*Adaptation
	causal *spd.CausalCentering
	young  bool // the mean rests on too few matrices
}

// Apply implements Stage. Without a mean of the training it begins at the first matrix
// and follows with equal weights; until as many have come as their order it is poor.
func (c *centering) Apply(ctx context.Context, b Batch) (Batch, error) {
	n := b.Stack.Dim
	if c.causal == nil {
		var err error
		if c.causal, err = spd.NewCausalCentering(b.Stack.Sym(0), 1e-12, 0); err != nil {
			return b, err
		}
		c.causal.Floor = 0
	}
	out := new(spd.Stack)
	if err := c.causal.Adapt(ctx, out, b.Stack); err != nil {
		return b, err
	}
	c.young = c.Mean == nil && c.causal.Count < n
	b.Stack = out
	return b, nil
}
