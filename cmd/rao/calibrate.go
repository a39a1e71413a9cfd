package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rao"
	"rao/cmd/rao/internal/app"
	"rao/dataset"
	"rao/eeg"
	"rao/internal/text"
	"rao/internal/units"
	"rao/method"
	"rao/model"
	"rao/recipe"
	"rao/spd"
	"rao/stream"
)

// calibrateFlags are the flags of rao calibrate.
type calibrateFlags struct {
	lsl, markers, recording string
	classes, method         string
	channels, anchor, notch string
	start, stop, late, rate float64
	trials                  int
	out, log                string
	network                 networkFlags
	signal                  signalFlags
}

// calibrateResult is what calibrate prints; its JSON names do not change.
type calibrateResult struct {
	Method  string           `json:"method"`
	Classes []string         `json:"classes"`
	Counts  []int            `json:"counts"` // trials of each class
	Right   int              `json:"right"`  // of those decided before they were learned
	Decided int              `json:"decided"`
	Skipped int              `json:"skipped"`
	Trials  []calibrateTrial `json:"trials"`
	Out     string           `json:"out"`
}

// calibrateTrial is a trial, and what the model of the trials before said of it.
type calibrateTrial struct {
	Sample      int64   `json:"sample"` // of its marker, counted from 0
	Class       string  `json:"class"`
	Decision    string  `json:"decision,omitempty"` // none before there is a model
	Probability float64 `json:"probability,omitempty"`
}

func calibrateCommand(a *app.App) *cobra.Command {
	var c calibrateFlags
	cmd := &cobra.Command{
		Use:   "calibrate",
		Short: "Learn from a live signal and its markers",
		Long: `Learn while a person is trained: take the signal and the markers of two streams of Lab
Streaming Layer, cut a trial behind every marker of a class, and fit the model anew with
each. Before a trial is learned the model of the trials before it decides on it, so that
the accuracy shown is that on new trials. The model is saved when every class has
--trials trials, when the signal ends, or on Ctrl-C; rao stream decides with it.

The signal is filtered forward only, as rao stream does it, and matrices are those of rao
cov eeg --causal on a recording of the same samples; --notch, --resample and --anchor are
those of cov eeg, and rao stream does with the model what was done here. --log keeps what came in an XDF file:
--recording learns from it again, to the same bytes, or with another method. Markers may
come up to --late seconds behind the signal.`,
		Example: `  rao calibrate --lsl "type='EEG'" --markers "type='Markers'" --classes left,right \
      --start 0.5 --stop 2.5 --bands 8-30 --trials 20 --log today.xdf --out today.rao
  rao calibrate --recording today.xdf --classes left,right --start 0.5 --stop 2.5 --bands 8-30 \
      --method enuc --out enuc.rao`,
		Args: app.NoArgs,
	}
	f := cmd.Flags()
	app.TextVar(f, &c.lsl, "lsl", "QUERY", "", "the stream of the signal, such as type='EEG'")
	app.TextVar(f, &c.markers, "markers", "QUERY", "", "the stream of the markers, such as type='Markers'")
	app.TextVar(f, &c.recording, "recording", "FILE", "",
		"recording to learn from as if it came now, in place of streams")
	app.TextVar(f, &c.classes, "classes", "CLASS[=EVENT],...", "",
		"classes and their markers: left,right or left=769,right=770")
	app.TextVar(f, &c.method, "method", "METHOD[:OPTION=VALUE]...", "mdm",
		"method of matrices that learns, with options: plrsq:epochs=10")
	app.TextVar(f, &c.channels, "channels", "NAME,...", "",
		"names of the channels to use, separated by commas; by default those of EEG that are not marked as bad")
	app.TextVar(f, &c.anchor, "anchor", "EVENT", "",
		"marker that starts the trial when the class is told by one before it")
	app.TextVar(f, &c.notch, "notch", "HERTZ,...", "", "frequencies in hertz to take out, such as 50 or 50,100")
	app.NumberFlag(f, &c.rate, "resample", 0, 0, 1e6, "samples a second to resample to")
	app.NumberFlag(f, &c.start, "start", 0, -1e3, 1e3, "start of a trial in seconds after its marker")
	app.NumberFlag(f, &c.stop, "stop", 0, -1e3, 1e3, "end of a trial in seconds after its marker")
	app.CountFlag(f, &c.trials, "trials", 0, 0, 1<<20, "trials of each class after which it ends; 0 goes on")
	app.NumberFlag(f, &c.late, "late", 1, 0, 60, "seconds that markers may come behind the signal")
	c.signal.registerBands(f)
	app.OutputFlag(cmd, &c.out, "out", app.ModelOutput, "model file to write")
	app.OutputFlag(cmd, &c.log, "log", app.LogOutput, "XDF file to write what came, for --recording")
	c.network.add(cmd, 10)
	c.network.addLost(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		k, err := c.calibration(cmd)
		if err != nil {
			return err
		}
		k.app = a
		a.Patient.Store(true) // what was learned is saved
		return k.run(cmd.Context(), &c)
	}
	return cmd
}

// calibration returns what the flags say, before any signal.
func (c *calibrateFlags) calibration(cmd *cobra.Command) (*calibration, error) {
	for _, r := range [][2]string{{"classes", c.classes}, {"out", c.out}} {
		if err := app.Required(r[0], r[1]); err != nil {
			return nil, err
		}
	}
	switch {
	case c.recording != "" && (c.lsl != "" || c.markers != "" || c.log != ""):
		return nil, app.Usagef("--recording takes the place of --lsl, --markers and --log")
	case c.recording == "" && (c.lsl == "" || c.markers == ""):
		return nil, app.Usagef("give --lsl and --markers, the streams of the signal and of its markers, or --recording")
	case !(c.stop > c.start):
		return nil, app.Usagef("trials from %g to %g s: --stop must come after --start", c.start, c.stop)
	}
	k := &calibration{least: c.trials}
	var err error
	if k.classes, err = eeg.ParseClasses(c.classes); err != nil {
		return nil, &app.UsageError{Msg: err.Error()}
	}
	if len(k.classes) < 2 {
		return nil, app.Usagef("--classes %s: two or more are needed", c.classes)
	}
	for _, class := range k.classes {
		k.names = append(k.names, class.Name)
	}
	if k.method, k.settings, err = parseMethod(c.method); err != nil {
		return nil, err
	}
	if !k.method.Matrices {
		return nil, app.Usagef("--method %s works on vectors; take one on matrices, such as mdm or enuc", k.method.Name)
	}
	k.counts = make([]int, len(k.classes))
	k.opt = stream.Options{Window: c.stop - c.start, Step: math.Inf(1),
		MatrixOptions: stream.MatrixOptions{Combine: stream.Stacked}}
	k.start, k.opt.Prepare.Rate, k.opt.Prepare.Causal = c.start, c.rate, true
	if k.opt.Prepare.Notch, err = parseNotch(c.notch); err != nil {
		return nil, err
	}
	if k.anchor, err = parseAnchor(c.anchor); err != nil {
		return nil, err
	}
	return k, c.signal.overlay(cmd, &k.opt)
}

// parseMethod reads METHOD[:OPTION=VALUE]...
func parseMethod(text string) (*method.Method, method.Settings, error) {
	parts := strings.Split(text, ":")
	m, err := method.Lookup(parts[0])
	if err != nil {
		return nil, nil, &app.UsageError{Msg: err.Error()}
	}
	var set method.Settings
	for _, p := range parts[1:] {
		name, value, ok := strings.Cut(p, "=")
		if !ok {
			return nil, nil, app.Usagef("--method %s: want METHOD:OPTION=VALUE", text)
		}
		set.Set(name, value)
	}
	if err := m.Check(set); err != nil {
		return nil, nil, &app.UsageError{Msg: err.Error()}
	}
	return m, set, nil
}

// calibration learns from trials as they come.
type calibration struct {
	app      *app.App
	classes  []eeg.Class
	names    []string
	method   *method.Method
	settings method.Settings
	opt      stream.Options
	start    float64 // of a trial, in seconds after its marker
	least    int     // trials of each class that end it
	anchor   eeg.Class

	info   *liveInfo
	pick   []int           // channels to use
	scales []units.Rescale // of them, to volts
	unit   string          // V, or empty where not known
	faulty bool            // the last sample could not be used
	recipe *recipe.Recipe
	stream *stream.Stream
	width  int // channels that come
	row    []float64
	trialQueue

	data   []float64 // matrices of the trials
	firsts []int     // first sample of each
	labels []int
	counts []int
	model  *model.Model
	result calibrateResult
}

// run learns until the signal or the session ends, and saves.
func (k *calibration) run(ctx context.Context, c *calibrateFlags) error {
	signal, info, err := c.open(ctx, k.app)
	if err != nil {
		return err
	}
	defer signal.Close()
	if err := k.begin(ctx, info, app.SplitList(c.channels)); err != nil {
		return err
	}
	err = logged(c.log, func(log *session) error {
		if err := log.begin(info, "markers"); err != nil {
			return err
		}
		return k.follow(ctx, signal, log)
	})
	if err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return k.save(c.out)
}

// begin makes the filters of the signal.
func (k *calibration) begin(ctx context.Context, info *liveInfo, channels []string) (err error) {
	k.info, k.width = info, info.width
	names, err := k.choose(channels)
	if err != nil {
		return err
	}
	k.row, k.told = make([]float64, len(names)), -1
	k.recipe = k.opt.Recipe(names, info.rate)
	k.recipe.Signal.Reference, k.recipe.Signal.Unit = info.reference, k.unit
	k.opt.Each = func(made int64) error { return k.over(ctx, made) }
	k.stream, err = stream.New(len(names), info.rate, k.opt)
	return err
}

// follow takes what comes until it ends, or until there are trials enough.
func (k *calibration) follow(ctx context.Context, signal markedSignal, log *session) error {
	for !k.enough() {
		p, err := signal.NextMarked(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if p.begins {
			k.restart(p.lost)
		}
		if err := log.samples(p.livePiece); err != nil {
			return err
		}
		slices.SortStableFunc(p.events, func(a, b eeg.Event) int { return cmp.Compare(a.Sample, b.Sample) })
		for _, e := range p.events {
			text := eventText(e)
			if !k.mark(e) {
				text = "left out: " + text
			}
			if err := log.word(int64(e.Sample), text); err != nil {
				return err
			}
		}
		if err := k.push(p.values); err != nil {
			return err
		}
	}
	return nil
}

// enough reports whether every class has its trials.
func (k *calibration) enough() bool { return k.least > 0 && slices.Min(k.counts) >= k.least }

// learn decides on a trial by the model of those before, and fits the next model.
func (k *calibration) learn(ctx context.Context, t waitingTrial) error {
	cov, err := k.stream.Covariance()
	if err != nil {
		return fmt.Errorf("the trial of class %s at sample %d: %w", k.names[t.class], t.sample, err)
	}
	n := cov.SymmetricDim()
	one := spd.NewStack(1, n)
	one.Set(0, cov)
	trial := calibrateTrial{Sample: t.sample, Class: k.names[t.class]}
	if err := k.decide(ctx, one, &trial); err != nil {
		return err
	}
	k.data = append(k.data, one.Data...)
	k.labels, k.firsts = append(k.labels, t.class), append(k.firsts, int(k.before+t.first))
	k.counts[t.class]++
	k.result.Trials = append(k.result.Trials, trial)
	k.say(&trial)
	if slices.Min(k.counts) < 2 {
		return nil
	}
	return k.fit(ctx, n)
}

// decide lets the model of the trials before decide.
func (k *calibration) decide(ctx context.Context, one *spd.Stack, trial *calibrateTrial) error {
	if k.model == nil {
		return nil
	}
	p, err := k.model.Predict(ctx, model.BatchOf(k.trialData(one, []int{0}, []int{0})))
	if err != nil {
		return err
	}
	label := p.Label[0]
	trial.Decision, trial.Probability = k.names[label], math.Exp(p.LogPosterior.At(0, label))
	k.result.Decided++
	if trial.Decision == trial.Class {
		k.result.Right++
	}
	return nil
}

// fit learns from all trials so far. A method that cannot yet is told.
func (k *calibration) fit(ctx context.Context, n int) error {
	d := k.trialData(spd.StackOf(len(k.labels), n, slices.Clone(k.data)), slices.Clone(k.labels),
		slices.Clone(k.firsts))
	m, err := k.method.Fit(ctx, method.Source{Data: d}, k.settings, nil)
	switch {
	case err == nil || rao.IsNotConverged(err) && ctx.Err() == nil:
		k.model = m
	case ctx.Err() != nil:
		return ctx.Err()
	default:
		k.app.Note("no model of %s yet: %v", text.Plural(len(k.labels), "trial", "trials"), err)
	}
	return nil
}

// trialData are trials as rao cov eeg writes them.
func (k *calibration) trialData(x *spd.Stack, labels, firsts []int) *dataset.Data {
	t := &eeg.Trials{Stacks: []*spd.Stack{x}, Labels: labels, Classes: k.names, Recipe: k.recipe,
		Recording: make([]int, x.Count), Sample: firsts}
	return t.Data()
}

// say shows a trial and the accuracy so far.
func (k *calibration) say(t *calibrateTrial) {
	words := fmt.Sprintf("trial %d: %s", len(k.labels), t.Class)
	if t.Decision != "" {
		words += fmt.Sprintf(", decided %s (%.2f); %d of %d right so far, %s", t.Decision, t.Probability,
			k.result.Right, k.result.Decided, text.Percent(float64(k.result.Right)/float64(k.result.Decided)))
	}
	k.app.Note("%s", words)
}

// save writes the model and the result.
func (k *calibration) save(out string) error {
	if k.model == nil {
		return fmt.Errorf("there is no model: %s; two of each class are the least",
			strings.Join(k.tally(), ", "))
	}
	if err := k.model.Save(out); err != nil {
		return err
	}
	r := &k.result
	r.Method, r.Classes, r.Counts, r.Out = k.method.Name, k.names, k.counts, out
	return k.app.Emit(r, func() {
		fmt.Fprintf(k.app.Out, "%s: %s", r.Method, strings.Join(k.tally(), ", "))
		if r.Decided > 0 {
			fmt.Fprintf(k.app.Out, "; %d of %d right before they were learned (%s)", r.Right, r.Decided,
				text.Percent(float64(r.Right)/float64(r.Decided)))
		}
		if r.Skipped > 0 {
			fmt.Fprintf(k.app.Out, "; %s left out", text.Plural(r.Skipped, "trial", "trials"))
		}
		fmt.Fprintf(k.app.Out, "; written to %s\n", out)
	})
}

// tally says how many trials each class has.
func (k *calibration) tally() []string {
	words := make([]string, len(k.names))
	for i, name := range k.names {
		words[i] = fmt.Sprintf("%s of %s", text.Plural(k.counts[i], "trial", "trials"), text.Visible(name))
	}
	return words
}
