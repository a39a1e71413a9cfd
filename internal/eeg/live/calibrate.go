package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/dataset"
	"rao/eeg"
	"rao/internal/covstream"
	"rao/internal/recipes"
	"rao/internal/scoring"
	"rao/internal/text"
	"rao/internal/voltage"
	"rao/method"
	"rao/model"
	"rao/recipe"
	"rao/spd"
)

// CalibrationOptions are the options of [NewCalibration].
type CalibrationOptions struct {
	// Classes are the classes of trials with their markers, at least two.
	Classes []eeg.Class
	// Anchor, if it has a code or a label, is the marker that starts a trial. An earlier marker then determines the
	// class of the trial.
	Anchor eeg.Class
	// Channels are the names of the channels to use; nil means all EEG channels that are not marked as bad.
	Channels []string
	// Start is the start of a trial in seconds after its marker.
	Start float64
	// Stream describes how trials become matrices. Its Window is the length of a trial; Step and Each are ignored.
	Stream covstream.Options
	// Baseline is an interval in seconds, relative to the marker. If the method uses trials, not matrices, the mean
	// over the interval is subtracted from each channel of a trial. The zero value subtracts nothing.
	Baseline [2]float64
	// Method is trained on matrices or on the signals of trials.
	Method method.Spec
	// Least is the number of trials per class after which the calibration ends. 0 continues to the end of the signal.
	Least int
	// Artifacts is the length in seconds of the signal's start, which artifact detection is trained on. Later trials
	// with artifacts are left out. 0 turns artifact detection off.
	Artifacts float64
	// Note receives remarks for the user; it may be nil.
	Note Note
}

// CalibrationTrial is one trial, with the decision of the model that was trained on the trials before it.
type CalibrationTrial struct {
	Sample      int64   `json:"sample"` // sample of the marker, from 0
	Class       string  `json:"class"`
	Decision    string  `json:"decision,omitempty"` // empty if there was no model yet
	Probability float64 `json:"probability,omitempty"`
}

// Calibration learns from live trials. The exported fields are its result.
type Calibration struct {
	Model   *model.Model // model of all trials; nil if there are too few
	Failed  error        // why there is no model of all trials, although there are enough
	Counts  []int        // number of trials of each class
	Trials  []CalibrationTrial
	Decided int // number of trials that were classified before the model learned from them
	Right   int // number of trials that were classified correctly
	Skipped int // number of trials left out

	opt    CalibrationOptions
	names  []string // names of the classes
	info   *Info
	pick   []int             // indexes of the channels to use
	scales []voltage.Rescale // conversion of these channels to volts
	unit   string            // V, or empty if unknown
	faulty bool              // the last sample was unusable
	search *artifacts        // nil without artifact detection
	recipe *recipe.Recipe
	events *covstream.Events // the event of a trial is its class
	width  int               // number of incoming channels
	row    []float64

	lastClass int // class of the last marker, if an anchor is to follow; -1 if none
	lastAt    int // sample of that marker

	data   []float64 // matrices of the trials, or the trials themselves
	firsts []int     // first sample of each trial
	labels []int
	fitted int // number of trials that Model was trained on
}

// NewCalibration returns a calibration for a signal. Fitting stops when ctx ends.
func NewCalibration(ctx context.Context, info *Info, opt CalibrationOptions) (*Calibration, error) {
	if opt.Note == nil {
		opt.Note = func(string, ...any) {}
	}
	k := &Calibration{opt: opt, Counts: make([]int, len(opt.Classes))}
	for _, class := range opt.Classes {
		k.names = append(k.names, class.Name)
	}
	return k, k.begin(ctx, info)
}

// Run learns from the signal until it ends or there are enough trials. Each trial is classified before the model learns
// from it. Run also writes the signal to log, unless log is nil.
func (k *Calibration) Run(ctx context.Context, signal Signal, log *Log) error {
	if err := log.Begin(k.info, "markers"); err != nil {
		return err
	}
	err := k.follow(ctx, signal, log)
	if err != nil && ctx.Err() == nil || k.fitted == len(k.labels) || k.few() {
		return err
	}
	return errors.Join(err, k.fit(context.WithoutCancel(ctx)))
}

// begin selects the channels and opens the stream.
func (k *Calibration) begin(ctx context.Context, info *Info) (err error) {
	k.info, k.width = info, info.Width
	names, err := k.choose(k.opt.Channels)
	if err != nil {
		return err
	}
	k.row, k.lastClass = make([]float64, len(names)), -1
	k.recipe = k.opt.Stream.Recipe(names, info.Rate)
	if !covstream.AverageReference(k.opt.Stream.Prepare) {
		k.recipe.Signal.Channels = names[:len(names)-len(k.opt.Stream.Prepare.Reference)]
	}
	signal := k.recipe.Signal
	signal.Reference, signal.Unit = cmp.Or(signal.Reference, info.Reference), k.unit
	if b := k.opt.Baseline; b != [2]float64{} {
		signal.Baseline = b[:]
	}
	window := covstream.NewTrialWindow(signal.Rate, k.opt.Start, signal.Window, signal.Baseline)
	o := k.opt.Stream
	o.Names = names
	if k.events, err = covstream.NewEvents(len(names), info.Rate, window, o, func(t covstream.Trial) error {
		return k.learn(ctx, t)
	}); err != nil || k.opt.Artifacts == 0 {
		return err
	}
	if k.search, err = newArtifacts(info, names, k.opt.Artifacts, k.opt.Note); err != nil {
		return rao.Optionf("artifacts", "{artifacts}: %v", err)
	}
	return nil
}

// follow processes the signal until it ends or there are enough trials.
func (k *Calibration) follow(ctx context.Context, signal Signal, log *Log) error {
	for !k.enough() {
		p, err := nextLogged(ctx, signal, log)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if p.Begins {
			k.restart(p.Lost)
		}
		for _, e := range p.Events {
			text := MarkerText(e)
			if !k.mark(e) {
				text = "left out: " + text
			}
			if err := log.Word(int64(e.Sample), text); err != nil {
				return err
			}
		}
		if err := k.search.push(ctx, p.Values); err != nil {
			return err
		}
		if err := k.push(p.Values); err != nil {
			return err
		}
	}
	return nil
}

func (k *Calibration) enough() bool { return k.opt.Least > 0 && slices.Min(k.Counts) >= k.opt.Least }

// learn classifies a trial with the current model, adds it to the training data, and fits the next model.
func (k *Calibration) learn(ctx context.Context, t covstream.Trial) error {
	if why := k.unusable(); why != "" {
		k.Skipped++
		k.opt.Note("a trial of class %s is left out: %s", k.names[t.Event], why)
		return nil
	}
	x, err := k.observation()
	if err != nil {
		return fmt.Errorf("the trial of class %s at sample %d: %w", k.names[t.Event], t.Sample, err)
	}
	trial := CalibrationTrial{Sample: t.Sample, Class: k.names[t.Event]}
	if err := k.decide(ctx, x, &trial); err != nil {
		return err
	}
	k.data = append(k.data, x...)
	k.labels, k.firsts = append(k.labels, t.Event), append(k.firsts, int(t.First))
	k.Counts[t.Event]++
	k.Trials = append(k.Trials, trial)
	if k.opt.Method.Method.Matrices {
		k.report(&trial)
	}
	if k.few() || !k.opt.Method.Method.Matrices && len(k.labels) < k.fitted+k.fitted/refitShare {
		return nil
	}
	return k.fit(ctx)
}

// A method that is trained on the signals of trials is fitted again when the number of trials has grown by 1/refitShare
// since the last fit, because fitting is slow and trials are frequent.
const refitShare = 5

// few reports whether a class has too few trials for fitting a model.
func (k *Calibration) few() bool { return slices.Min(k.Counts) < 2 }

func (k *Calibration) observation() ([]float64, error) {
	if !k.opt.Method.Method.Matrices {
		x := make([]float64, k.events.Cut.Length*k.events.Dim())
		k.events.Trial(x, k.events.Cut)
		return x, nil
	}
	cov, err := k.events.Covariance()
	if err != nil {
		return nil, err
	}
	one := spd.NewStack(1, cov.SymmetricDim())
	one.Set(0, cov)
	return one.Data, nil
}

// unusable returns why the trial that ends with the current sample cannot be used, or "".
func (k *Calibration) unusable() string {
	var flat []string
	inputs := recipes.Inputs(k.recipe.Signal)
	for _, c := range k.events.Flat() {
		flat = append(flat, inputs[c])
	}
	switch {
	case flat != nil:
		return "flat: " + strings.Join(flat, ", ")
	case k.search.touch(int64(math.Round(k.events.Cut.Seconds(k.events.Rate())*k.info.Rate)), k.events.Came()):
		return "the trial contains an artifact"
	}
	return ""
}

// decide classifies a trial with the current model. Without a model it does nothing.
func (k *Calibration) decide(ctx context.Context, x []float64, trial *CalibrationTrial) error {
	if k.Model == nil {
		return nil
	}
	p, err := k.Model.Predict(ctx, model.BatchOf(k.trialData(x, []int{0}, []int{0})))
	if err != nil {
		return err
	}
	label := p.Label[0]
	trial.Decision, trial.Probability = k.names[label], math.Exp(p.LogPosterior.At(0, label))
	k.Decided++
	if trial.Decision == trial.Class {
		k.Right++
	}
	return nil
}

// fit fits the method to all trials so far. If the method fails, fit reports the error and keeps the previous model.
func (k *Calibration) fit(ctx context.Context) error {
	k.fitted = len(k.labels)
	d := k.trialData(slices.Clone(k.data), slices.Clone(k.labels), slices.Clone(k.firsts))
	m, err := k.opt.Method.Fit(ctx, method.InMemory{Data: d}, nil)
	switch {
	case err == nil || rao.IsNotConverged(err) && ctx.Err() == nil:
		k.Model, k.Failed = m, nil
	case ctx.Err() != nil:
		return ctx.Err()
	default:
		k.Failed = err
		k.opt.Note("no model from %s yet: %v", text.Plural(len(k.labels), "trial", "trials"), err)
		return nil
	}
	if !k.opt.Method.Method.Matrices {
		k.opt.Note("learned from %s%s", strings.Join(k.Tally(), ", "), k.Score())
	}
	return nil
}

// trialData returns trials in the form that rao eeg cov writes.
func (k *Calibration) trialData(x []float64, labels, firsts []int) *dataset.Data {
	n := len(labels)
	t := &eeg.Trials{Labels: labels, Classes: k.names, Recipe: k.recipe, Recording: make([]int, n), Sample: firsts}
	if k.opt.Method.Method.Matrices {
		t.Stacks = []*spd.Stack{spd.StackOf(n, k.events.Dim(), x)}
	} else {
		t.Signals = mat.NewDense(n, len(x)/n, x)
	}
	return t.Data()
}

// report reports a trial and the accuracy so far.
func (k *Calibration) report(t *CalibrationTrial) {
	words := fmt.Sprintf("trial %d: %s", len(k.labels), t.Class)
	if t.Decision != "" {
		words += fmt.Sprintf(", decided %s (%.2f); %d of %d right so far, %s", t.Decision, t.Probability,
			k.Right, k.Decided, text.Percent(float64(k.Right)/float64(k.Decided)))
	}
	k.opt.Note("%s", words)
}

// Score describes how many trials were classified correctly before they were added to the training data. It is empty if
// none were classified.
func (k *Calibration) Score() string {
	if k.Decided == 0 {
		return ""
	}
	words := text.Percent(float64(k.Right) / float64(k.Decided))
	if !k.opt.Method.Method.Matrices {
		words += fmt.Sprintf(", balanced %s", text.Percent(k.Balanced()))
	}
	return fmt.Sprintf("; %d of %d decided correctly before they were added to the training data "+
		"(%s)", k.Right, k.Decided, words)
}

// Balanced returns the balanced accuracy of the decisions on trials before the model learned from them, or 0 without
// decisions.
func (k *Calibration) Balanced() float64 {
	var truth, decided []int
	for _, t := range k.Trials {
		if t.Decision != "" {
			truth = append(truth, slices.Index(k.names, t.Class))
			decided = append(decided, slices.Index(k.names, t.Decision))
		}
	}
	if truth == nil {
		return 0
	}
	return scoring.BalancedAccuracy(truth, decided, len(k.names))
}

// Tally returns the number of trials of each class, in words.
func (k *Calibration) Tally() []string {
	words := make([]string, len(k.names))
	for i, name := range k.names {
		words[i] = fmt.Sprintf("%s of %s", text.Plural(k.Counts[i], "trial", "trials"), text.Visible(name))
	}
	return words
}
