package eeg

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rao/cmd/rao/internal/app"
	"rao/eeg"
	"rao/internal/covstream"
	"rao/internal/eeg/live"
	"rao/internal/optionvalues"
	"rao/internal/text"
	"rao/method"
)

type calibrateFlags struct {
	lsl, markers, recording string
	classes, method         string
	channels, anchor, notch string
	reference, baseline     string
	start, stop, late, rate float64
	artifacts               float64
	trials                  int
	out, log                string
	network                 networkFlags
	signal                  signalFlags
}

// calibrateResult is the JSON output of rao eeg calibrate. The names in the JSON are stable.
type calibrateResult struct {
	Method  string   `json:"method"`
	Classes []string `json:"classes"`
	Counts  []int    `json:"counts"` // number of trials of each class
	Right   int      `json:"right"`  // number of correct decisions, each made before the model learned from the trial
	Decided int      `json:"decided"`
	// Balanced is the fraction of correct decisions in each class, averaged over the classes; 0 if there are no
	// decisions.
	Balanced float64                 `json:"balanced_accuracy"`
	Skipped  int                     `json:"skipped"`
	Trials   []live.CalibrationTrial `json:"trials"`
	Out      string                  `json:"out"`
}

func calibrateCommand(a *app.App) *cobra.Command {
	var c calibrateFlags
	cmd := &cobra.Command{
		Use:         "calibrate [RECORDING]",
		Annotations: map[string]string{app.Live: "true"},
		Short:       "Learn from a live signal and its markers",
		Long: `Learn a model during a calibration session. The command reads the signal
and the markers from two Lab Streaming Layer streams, cuts a trial after every class
marker, and refits the model with each trial. The model of the earlier trials first
decides each new trial, so the reported accuracy is measured on new trials. The model is
saved when every class has --trials trials, when the signal ends, or on Ctrl-C. Use the
model with rao eeg stream. With RECORDING instead of streams, it learns from a file
as if the file were live.

For a speller, --method xdawn or erp learns evoked responses from the signals of the
trials. The model is refitted each time the number of trials has grown by a fifth.
--baseline works as in rao eeg cov.

The signal is filtered forward only. For the same samples, rao eeg cov --causal computes
the same matrices. --notch, --resample and --anchor work as in rao eeg cov, and rao eeg
stream reads these settings from the model. --log stores the input in an XDF file. The
command learns from this file again, with the same result or with another method.
Markers may arrive up to --late seconds after the signal.`,
		Example: `  rao eeg calibrate --lsl "type='EEG'" --markers "type='Markers'" \
      --classes left,right --start 0.5 --stop 2.5 --bands 8-30 --trials 20 \
      --log today.xdf --out today.rao
  rao eeg calibrate today.xdf --classes left,right --start 0.5 \
      --stop 2.5 --bands 8-30 --method enuc --out enuc.rao
  rao eeg calibrate --lsl "type='EEG'" --markers "type='Markers'" \
      --classes target,other --stop 0.6 --bands 0.5-12 --order 2 --resample 50 \
      --baseline -0.1,0 --method xdawn:evoked=target --out speller.rao`,
		Args: upToOneRecording,
	}
	f := cmd.Flags()
	app.TextVar(f, &c.lsl, "lsl", "QUERY", "", "the stream of the signal, such as type='EEG'")
	app.TextVar(f, &c.markers, "markers", "QUERY", "", "the stream of the markers, such as type='Markers'")
	app.TextVar(f, &c.classes, "classes", "CLASS[=EVENT],...", "",
		"classes and their markers: left,right or left=769,right=770")
	app.TextVar(f, &c.method, "method", "METHOD[:OPTION=VALUE]...", "mdm",
		"method on matrices or on trials, with options: plrsq:epochs=10, xdawn:evoked=target")
	app.TextVar(f, &c.channels, "channels", "NAME,...", "",
		"names of the channels to use, separated by commas; by default the EEG channels that are not marked as bad")
	app.TextVar(f, &c.anchor, "anchor", "EVENT", "",
		"marker that starts the trial, if an earlier marker gives the class")
	app.TextVar(f, &c.reference, "reference", "average|recorded|NAME,...", "", referenceHelp)
	app.TextVar(f, &c.baseline, "baseline", "FROM,TO", "",
		"seconds from the marker, such as -0.2,0, whose mean is subtracted from each channel, for methods on trials")
	app.InGroup(f, titleSignal, func(f *pflag.FlagSet) {
		app.TextVar(f, &c.notch, "notch", "HERTZ,...", "", "frequencies in hertz to remove, such as 50 or 50,100")
		app.NumberFlag(f, &c.rate, "resample", 0, 0, 1e6, "samples per second to resample to")
		c.signal.add(f, "")
	})
	app.NumberFlag(f, &c.start, "start", 0, -1e3, 1e3, "start of a trial in seconds after its marker")
	app.NumberFlag(f, &c.stop, "stop", 0, -1e3, 1e3, "end of a trial in seconds after its marker")
	app.NumberFlag(f, &c.artifacts, "artifacts", 0, 0, 3600, "leave out trials with artifacts"+artifactsHelp)
	app.CountFlag(f, &c.trials, "trials", 0, 0, 1<<20, "stop after this many trials of each class; 0 does not stop")
	app.NumberFlag(f, &c.late, "late", 1, 0, 60, "seconds that markers may arrive after the signal")
	app.OutputFlag(cmd, &c.out, "out", app.ModelOutput, "model file to write")
	app.OutputFlag(cmd, &c.log, "log", app.LogOutput, "XDF file for the input")
	c.network.add(cmd, 10)
	c.network.addLost(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		c.recording = strings.Join(args, "") // there is at most one
		opt, err := c.options()
		if err != nil {
			return err
		}
		opt.Note = a.Note
		a.Patient.Store(true) // after a signal, wait until the model is saved
		return c.run(cmd.Context(), a, opt)
	}
	return cmd
}

// options checks the flags and returns the options. It runs before a signal is opened.
func (c *calibrateFlags) options() (*live.CalibrationOptions, error) {
	for _, r := range [][2]string{{"classes", c.classes}, {"out", c.out}} {
		if err := app.Required(r[0], r[1]); err != nil {
			return nil, err
		}
	}
	switch {
	case c.recording != "" && (c.lsl != "" || c.markers != "" || c.log != ""):
		return nil, app.Usagef("the recording %s replaces --lsl, --markers and --log; leave them out", c.recording)
	case c.recording == "" && (c.lsl == "" || c.markers == ""):
		return nil, app.Usagef("give --lsl and --markers, the streams of the signal and of its markers, or a recording")
	case !(c.stop > c.start):
		return nil, laterStop(c.start, c.stop)
	}
	opt := &live.CalibrationOptions{Least: c.trials, Artifacts: c.artifacts, Start: c.start,
		Channels: text.SplitList(c.channels), Stream: covstream.Options{Window: c.stop - c.start}}
	opt.Stream.Combine = optionvalues.CombineStacked
	for i, name := range opt.Channels {
		if slices.Contains(opt.Channels[:i], name) {
			return nil, app.Usagef("--channels names %s twice; name it once", name)
		}
	}
	var err error
	if opt.Classes, err = eeg.ParseClasses(c.classes); err != nil {
		return nil, app.Usagef("%v", err)
	}
	if len(opt.Classes) < 2 {
		return nil, app.Usagef("--classes %s: give two or more classes, such as left=1,right=2", c.classes)
	}
	if opt.Method, err = method.ParseSpec(c.method); err != nil {
		return nil, app.Usagef("--method %s: %v", c.method, err)
	}
	if err := c.ofMethod(opt); err != nil {
		return nil, err
	}
	prepare := &opt.Stream.Prepare
	prepare.Rate, prepare.Causal = c.rate, true
	if prepare.Notch, err = parseHertz("notch", c.notch); err != nil {
		return nil, err
	}
	if c.reference != optionvalues.RecordedReference {
		prepare.Reference = text.SplitList(c.reference)
	}
	if opt.Anchor, err = parseAnchor(c.anchor); err != nil {
		return nil, err
	}
	if err := c.signal.overlay(&opt.Stream.SignalOptions); err != nil {
		return nil, err
	}
	if opt.Method.Method.Trials {
		opt.Stream.Estimator = optionvalues.EstimatorNone
	}
	return opt, nil
}

// ofMethod checks that the flags fit the method, and sets the baseline.
func (c *calibrateFlags) ofMethod(opt *live.CalibrationOptions) (err error) {
	set := c.signal.flags.Changed
	switch {
	case !opt.Method.Method.Matrices && !opt.Method.Method.Trials:
		return app.Usagef("--method %s works on vectors; use a method of matrices, such as mdm or enuc, or for "+
			"evoked responses a method of trials, xdawn or erp", opt.Method.Method.Name)
	case opt.Method.Method.Trials && (set("estimator") || set("normalize")):
		return app.Usagef("--estimator and --normalize are for methods on matrices; use the option of %s instead: "+
			"--method %s:estimator=oas", opt.Method.Method.Name, opt.Method.Method.Name)
	case c.baseline == "":
		return nil
	case opt.Method.Method.Matrices:
		return app.Usagef("--baseline needs a method on trials, such as xdawn; covariances already subtract the mean " +
			"of each trial")
	}
	if opt.Baseline, err = parseSpan(c.baseline); err != nil {
		return app.Usagef("--baseline: %v", err)
	}
	return nil
}

// open opens the recording or the streams on the command line. If a recording asks for an average reference that is not
// yet applied, it sets the option that subtracts the mean of the channels, unless --reference is given.
func (c *calibrateFlags) open(ctx context.Context, a *app.App, opt *live.CalibrationOptions) (live.Signal,
	*live.Info, error) {
	if c.recording != "" {
		rec, err := eeg.OpenRecording(c.recording,
			eeg.RecordingOptions{Kinds: []string{optionvalues.AllKinds}, AsStored: true})
		if err != nil {
			return nil, nil, err
		}
		if rec.AverageDue && c.reference == "" {
			a.Note("%s should have an average reference that is not yet applied, so the mean of the channels is "+
				"subtracted; --reference recorded prevents this", rec.Source)
			opt.Stream.Prepare.Reference = []string{optionvalues.AverageReference}
		}
		return live.Recorded(rec), live.InfoOf(rec), nil
	}
	s, info, markers, err := c.network.openMarked(ctx, a, c.lsl, c.markers, c.late)
	if err == nil {
		a.Note("%s: %s, %g samples per second; markers of %s", info.Name, text.Plural(info.Width, "channel",
			"channels"), info.Rate, markers)
	}
	return s, info, err
}

// run learns until the signal or the session ends, and then saves the model.
func (c *calibrateFlags) run(ctx context.Context, a *app.App, opt *live.CalibrationOptions) error {
	signal, info, err := c.open(ctx, a, opt)
	if err != nil {
		return err
	}
	defer signal.Close()
	k, err := live.NewCalibration(ctx, info, *opt)
	if err != nil {
		return err
	}
	err = live.Logged(c.log, func(log *live.Log) error { return k.Run(ctx, signal, log) })
	if err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return c.save(a, opt, k)
}

func (c *calibrateFlags) save(a *app.App, opt *live.CalibrationOptions, k *live.Calibration) error {
	if k.Model == nil {
		if k.Failed != nil {
			return fmt.Errorf("no model could be fitted to %s: %w", strings.Join(k.Tally(), ", "), k.Failed)
		}
		return fmt.Errorf("no model could be fitted: %s; at least two trials of each class are needed",
			strings.Join(k.Tally(), ", "))
	}
	if err := k.Model.Save(c.out); err != nil {
		return err
	}
	r := &calibrateResult{Method: opt.Method.Method.Name, Counts: k.Counts, Right: k.Right, Decided: k.Decided,
		Balanced: k.Balanced(), Skipped: k.Skipped, Trials: k.Trials, Out: c.out}
	for _, class := range opt.Classes {
		r.Classes = append(r.Classes, class.Name)
	}
	return a.Emit(r, func() {
		fmt.Fprintf(a.Out, "%s: %s%s", r.Method, strings.Join(k.Tally(), ", "), k.Score())
		if r.Skipped > 0 {
			fmt.Fprintf(a.Out, "; %s left out", text.Plural(r.Skipped, "trial", "trials"))
		}
		fmt.Fprintf(a.Out, "; written to %s\n", r.Out)
	})
}
