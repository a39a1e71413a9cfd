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
	"rao/evaluate"
	"rao/internal/text"
	"rao/internal/units"
	"rao/method"
	"rao/model"
	"rao/recipe"
	"rao/spd"
	"rao/stream"
)

// CalibrationOptions adjust [NewCalibration].
type CalibrationOptions struct {
	// Classes are the classes of trials with their markers, at least two.
	Classes []eeg.Class
	// Anchor, if it has a code or a label, is the marker that starts a trial; its class comes from an earlier marker.
	Anchor eeg.Class
	// Channels are the names of the channels to use; nil: the EEG channels that are not marked as bad.
	Channels []string
	// Start is the start of a trial, in seconds after its marker.
	Start float64
	// Stream describes how trials become matrices; its Window is the length of a trial. Step and Each are ignored.
	Stream stream.Options
	// Baseline is the span, from the marker, whose mean is subtracted from each channel of trials that become no
	// matrices; the zero value subtracts nothing.
	Baseline eeg.Span
	// Method learns from matrices, or from the trials themselves, with Settings.
	Method   *method.Method
	Settings method.Settings
	// Least is the number of trials per class after which the calibration ends; 0: at the end of the signal.
	Least int
	// Artifacts is the length in seconds of the initial signal that trains the artifact detector; later trials with
	// artifacts are left out. 0: no detection.
	Artifacts float64
	// Note receives notes for the user; may be nil.
	Note Note
}

// CalibrationTrial is a trial with the decision of the model trained on the trials before it.
type CalibrationTrial struct {
	Sample      int64   `json:"sample"` // of its marker, counted from 0
	Class       string  `json:"class"`
	Decision    string  `json:"decision,omitempty"` // none before there is a model
	Probability float64 `json:"probability,omitempty"`
}

// Calibration is the result of learning from live trials.
type Calibration struct {
	Model   *model.Model // of all trials; nil with too few
	Counts  []int        // trials of each class
	Trials  []CalibrationTrial
	Decided int // trials with a decision before they were learned
	Right   int // of these
	Skipped int // trials left out

	opt    CalibrationOptions
	names  []string // of the classes
	info   *Info
	pick   []int           // channels to use
	scales []units.Rescale // of them, to volts
	unit   string          // V, or empty where not known
	faulty bool            // the last sample could not be used
	search *artifacts      // nil where none are looked for
	recipe *recipe.Recipe
	stream *stream.Stream
	window stream.TrialWindow
	width  int // channels that come
	row    []float64
	trialQueue

	data   []float64 // matrices of the trials, or the trials
	firsts []int     // first sample of each
	labels []int
	fitted int // trials of the model
}

// NewCalibration returns a calibration for a signal. The context is used for the fits.
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

// Run learns from the signal until it ends or there are enough trials, and writes the signal to the log, unless it is
// nil. Each trial is classified before it is learned.
func (k *Calibration) Run(ctx context.Context, signal MarkedSignal, log *Log) error {
	if err := log.Begin(k.info, "markers"); err != nil {
		return err
	}
	err := k.follow(ctx, signal, log)
	if err != nil && ctx.Err() == nil || k.fitted == len(k.labels) || k.few() {
		return err
	}
	return errors.Join(err, k.fit(context.WithoutCancel(ctx)))
}

// begin makes the filters of the signal.
func (k *Calibration) begin(ctx context.Context, info *Info) (err error) {
	k.info, k.width = info, info.Width
	names, err := k.choose(k.opt.Channels)
	if err != nil {
		return err
	}
	k.row, k.told = make([]float64, len(names)), -1
	k.recipe = k.opt.Stream.Recipe(names, info.Rate)
	signal := k.recipe.Signal
	signal.Reference, signal.Unit = cmp.Or(signal.Reference, info.Reference), k.unit
	if b := k.opt.Baseline; b != (eeg.Span{}) {
		signal.Baseline = []float64{b.From, b.To}
	}
	k.window = stream.NewTrialWindow(signal.Rate, k.opt.Start, signal.Window, signal.Baseline)
	o := k.opt.Stream
	o.Window, o.Step = k.window.Seconds(signal.Rate), math.Inf(1)
	o.Each = func(made int64) error { return k.over(ctx, made) }
	if k.stream, err = stream.New(len(names), info.Rate, o); err != nil || k.opt.Artifacts == 0 {
		return err
	}
	if k.search, err = newArtifacts(info, names, k.opt.Artifacts, k.opt.Note); err != nil {
		return rao.Optionf("artifacts", "{artifacts}: %v", err)
	}
	return nil
}

// follow takes what comes until it ends, or until there are trials enough.
func (k *Calibration) follow(ctx context.Context, signal MarkedSignal, log *Log) error {
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
			text := markerText(e)
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

// enough reports whether every class has its trials.
func (k *Calibration) enough() bool { return k.opt.Least > 0 && slices.Min(k.Counts) >= k.opt.Least }

// learn decides on a trial by the model of those before, and fits the next model.
func (k *Calibration) learn(ctx context.Context, t waitingTrial) error {
	if why := k.unusable(); why != "" {
		k.Skipped++
		k.opt.Note("a trial of class %s is left out: %s", k.names[t.class], why)
		return nil
	}
	x, err := k.observation()
	if err != nil {
		return fmt.Errorf("the trial of class %s at sample %d: %w", k.names[t.class], t.sample, err)
	}
	trial := CalibrationTrial{Sample: t.sample, Class: k.names[t.class]}
	if err := k.decide(ctx, x, &trial); err != nil {
		return err
	}
	k.data = append(k.data, x...)
	k.labels, k.firsts = append(k.labels, t.class), append(k.firsts, int(k.before+t.first))
	k.Counts[t.class]++
	k.Trials = append(k.Trials, trial)
	if k.opt.Method.Matrices {
		k.say(&trial)
	}
	if k.few() || !k.opt.Method.Matrices && len(k.labels) < k.fitted+k.fitted/refitShare {
		return nil
	}
	return k.fit(ctx)
}

// refitShare is the share of new trials after which a method of trials learns again: there are many, and its fits are
// slow.
const refitShare = 5

// few reports whether a class has too few trials for a model.
func (k *Calibration) few() bool { return slices.Min(k.Counts) < 2 }

// observation is what the model takes of the trial that ends now.
func (k *Calibration) observation() ([]float64, error) {
	if !k.opt.Method.Matrices {
		x := make([]float64, k.window.Length*k.stream.Dim())
		k.stream.Trial(x, k.window)
		return x, nil
	}
	cov, err := k.stream.Covariance()
	if err != nil {
		return nil, err
	}
	one := spd.NewStack(1, cov.SymmetricDim())
	one.Set(0, cov)
	return one.Data, nil
}

// unusable says why nothing can be learned from the trial that ends now, empty where it can.
func (k *Calibration) unusable() string {
	var flat []string
	inputs := k.recipe.Signal.Inputs()
	for _, c := range k.stream.Flat() {
		flat = append(flat, inputs[c])
	}
	switch {
	case flat != nil:
		return "flat: " + strings.Join(flat, ", ")
	case k.search.touch(int64(math.Round(k.window.Seconds(k.stream.Rate())*k.info.Rate)), k.seen):
		return "it contains an artifact"
	}
	return ""
}

// decide lets the model of the trials before decide.
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

// fit learns from all trials so far. If the method cannot learn from them yet, it reports that.
func (k *Calibration) fit(ctx context.Context) error {
	k.fitted = len(k.labels)
	d := k.trialData(slices.Clone(k.data), slices.Clone(k.labels), slices.Clone(k.firsts))
	m, err := k.opt.Method.Fit(ctx, method.InMemory{Data: d}, k.opt.Settings, nil)
	switch {
	case err == nil || rao.IsNotConverged(err) && ctx.Err() == nil:
		k.Model = m
	case ctx.Err() != nil:
		return ctx.Err()
	default:
		k.opt.Note("no model of %s yet: %v", text.Plural(len(k.labels), "trial", "trials"), err)
		return nil
	}
	if !k.opt.Method.Matrices {
		k.opt.Note("learned from %s%s", strings.Join(k.Tally(), ", "), k.Score())
	}
	return nil
}

// trialData are trials as rao eeg cov writes them.
func (k *Calibration) trialData(x []float64, labels, firsts []int) *dataset.Data {
	n := len(labels)
	t := &eeg.Trials{Labels: labels, Classes: k.names, Recipe: k.recipe, Recording: make([]int, n), Sample: firsts}
	if k.opt.Method.Matrices {
		t.Stacks = []*spd.Stack{spd.StackOf(n, k.stream.Dim(), x)}
	} else {
		t.Signals = mat.NewDense(n, len(x)/n, x)
	}
	return t.Data()
}

// say shows a trial and the accuracy so far.
func (k *Calibration) say(t *CalibrationTrial) {
	words := fmt.Sprintf("trial %d: %s", len(k.labels), t.Class)
	if t.Decision != "" {
		words += fmt.Sprintf(", decided %s (%.2f); %d of %d right so far, %s", t.Decision, t.Probability,
			k.Right, k.Decided, text.Percent(float64(k.Right)/float64(k.Decided)))
	}
	k.opt.Note("%s", words)
}

// Score describes how many trials were classified correctly before they were learned; empty if there were none.
func (k *Calibration) Score() string {
	if k.Decided == 0 {
		return ""
	}
	words := text.Percent(float64(k.Right) / float64(k.Decided))
	if !k.opt.Method.Matrices {
		words += fmt.Sprintf(", balanced %s", text.Percent(k.Balanced()))
	}
	return fmt.Sprintf("; %d of %d right before they were learned (%s)", k.Right, k.Decided, words)
}

// Balanced is the balanced accuracy of the decisions before learning; 0 if there were none.
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
	return evaluate.BalancedAccuracy(truth, decided, len(k.names))
}

// Tally describes the number of trials per class.
func (k *Calibration) Tally() []string {
	words := make([]string, len(k.names))
	for i, name := range k.names {
		words[i] = fmt.Sprintf("%s of %s", text.Plural(k.Counts[i], "trial", "trials"), text.Visible(name))
	}
	return words
}
