package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"rao/dataset"
	"rao/descriptor"
	"rao/eeg"
	"rao/spd"
)

func covCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cov",
		Short: "Covariance descriptors of images and of EEG trials",
		Long:  "Turn images or EEG recordings into symmetric positive definite matrices, on which the\nmethods of the manifold learn.",
		Example: `  rao cov images --data photos --features 9x9 --out P.npz
  rao cov eeg session1.gdf session2.gdf --classes left=769,right=770 --start 0.5 --stop 2.5 --bands 8-30 --out P.npz`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("unknown command %q; rao cov has images and eeg", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	cmd.AddCommand(covImagesCommand(a), covEEGCommand(a))
	return cmd
}

// covResult is what both kinds print.
type covResult struct {
	N       int      `json:"n"`
	Dim     int      `json:"dim"`
	Classes []string `json:"classes,omitempty"`
	Skipped []string `json:"skipped,omitempty"`
	Out     string   `json:"out"`
}

func (a *app) saveCovariances(out string, d *dataset.Data, skipped []string) error {
	if err := dataset.WriteFile(out, d); err != nil {
		return err
	}
	for _, s := range skipped {
		a.note("left out: %s", s)
	}
	r := covResult{d.Stack.Count, d.Stack.Dim, d.Classes, skipped, out}
	return a.emit(r, func() {
		fmt.Fprintf(a.out, "%s of order %d written to %s\n", plural(r.N, "matrix", "matrices"), r.Dim, out)
	})
}

func covImagesCommand(a *app) *cobra.Command {
	var data dataFlags
	var features, window, step, out, kind string
	var ridge, smooth float64
	cmd := &cobra.Command{
		Use:   "images",
		Short: "Covariance of pixel features, an image or a window each",
		Long: `The covariance of features of the pixels of each image: any of x, y, I, R, G, B, |Ix|,
|Iy|, |Ixx|, |Iyy|, |Ixy|, |dI| (length of the gradient), I@4 and |dI|@3 (of the intensity
smoothed by 4 and 3 pixels), or a named set: 5x5 and 11x11 (gray) and 9x9 (color). With
--window each image gives one matrix a window, left to right and top to bottom.
--descriptor gaussian keeps the mean of the features beside their covariance.`,
		Example: "  rao cov images --data photos --features 'x,y,I,|Ix|,|Iy|' --out P.npz",
		Args:    noArgs,
	}
	data.add(cmd, "data", "images: IDX, CIFAR, a folder of class folders")
	f := cmd.Flags()
	f.StringVar(&features, "features", "", "list of features, or 5x5, 9x9 or 11x11; by default 5x5 for gray and 9x9 for color images")
	f.StringVar(&kind, "descriptor", "covariance", "what a matrix holds: covariance, or gaussian: the mean too, one row more")
	numberFlag(f, &smooth, "smooth", 0, 0, 64, "standard deviation in pixels that the intensity is smoothed by first; 1 suits 11x11")
	f.StringVar(&window, "window", "", "ROWSxCOLS of a window; the whole image by default")
	f.StringVar(&step, "step", "", "ROWSxCOLS between windows; a window's own size by default")
	numberFlag(f, &ridge, "ridge", 0, -1, 1e6, "share of the mean variance added to the diagonal; 0 takes 1e-6, a negative value adds nothing")
	outputFlag(cmd, &out, "out", dataOutput, "npz file to write: X, and y where there are labels")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := required("out", out); err != nil {
			return err
		}
		opt := descriptor.ImageOptions{Ridge: ridge, Smooth: smooth, Gaussian: kind == "gaussian"}
		if kind != "gaussian" && kind != "covariance" {
			return usagef("--descriptor %s: want covariance or gaussian", kind)
		}
		var err error
		if features != "" {
			if opt.Features, err = descriptor.ParseFeatures(features); err != nil {
				return err
			}
		}
		if opt.WindowRows, opt.WindowCols, err = parseSize("window", window); err != nil {
			return err
		}
		if opt.StepRows, opt.StepCols, err = parseSize("step", step); err != nil {
			return err
		}
		d, err := data.open(cmd.Context(), a, "data", false)
		if err != nil {
			return err
		}
		if d.X == nil || d.Image[0] == 0 {
			return fmt.Errorf("%s does not hold images; give IDX or CIFAR files or a folder of class folders", d.Source)
		}
		shape := descriptor.Shape{Rows: d.Image[0], Cols: d.Image[1], Channels: max(1, d.Image[2])}
		x, err := descriptor.Images(cmd.Context(), d.X, shape, opt)
		if err != nil {
			return fmt.Errorf("%s: %w", d.Source, err)
		}
		res := &dataset.Data{Source: d.Source, Stack: x, Labels: repeat(d.Labels, x.Count/d.N()), Classes: d.Classes, Recipe: opt.Recipe(shape)}
		if x.Count == d.N() {
			res.Vars = d.Vars // such as the object of each image, for tune --groups
		}
		return a.saveCovariances(out, res, nil)
	}
	return cmd
}

// repeat gives every window the label of its image.
func repeat(labels []int, windows int) []int {
	if labels == nil || windows == 1 {
		return labels
	}
	out := make([]int, 0, len(labels)*windows)
	for _, l := range labels {
		for range windows {
			out = append(out, l)
		}
	}
	return out
}

func parseSize(name, s string) (rows, cols int, err error) {
	if s == "" {
		return 0, 0, nil
	}
	if n, err := fmt.Sscanf(s+"\n", "%dx%d\n", &rows, &cols); n != 2 || err != nil || rows < 1 || cols < 1 {
		return 0, 0, usagef("--%s %q: want ROWSxCOLS, such as 32x32", name, s)
	}
	return rows, cols, nil
}

// eegFlags are the flags of cov eeg.
type eegFlags struct {
	rate                              float64
	events, channels, drop            string
	classes, anchor, bands, estimator string
	combine, out                      string
	normalize                         bool
	trial                             eeg.TrialOptions
}

func covEEGCommand(a *app) *cobra.Command {
	var f eegFlags
	cmd := &cobra.Command{
		Use:   "eeg FILE...",
		Short: "Covariance of each trial of EEG recordings",
		Long: `Filter recordings, cut trials at their events and write the covariance of each trial,
with the number of its recording beside it. Recordings are EDF, EDF+, BDF, GDF,
BrainVision (.vhdr), or npy with --rate and a table of events.`,
		Example: `  rao cov eeg a.gdf b.gdf --classes left=769,right=770 --start 0.5 --stop 2.5 --bands 8-30 --out P.npz
  rao cov eeg x_raw.npy --rate 256 --events x_events.csv --classes 13Hz=33025,21Hz=33026 --anchor 32779 \
      --start 2 --stop 5 --bands 12.5-13.5,20.5-21.5 --combine stacked --out P.npz`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("give one recording or more")
			}
			return nil
		},
	}
	f.register(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		opt, err := f.options()
		if err != nil {
			return err
		}
		recs, err := f.openAll(args)
		defer func() {
			for _, r := range recs {
				r.Close()
			}
		}()
		if err != nil {
			return err
		}
		t, err := eeg.CutTrials(cmd.Context(), recs, opt)
		if err != nil {
			return err
		}
		return a.saveCovariances(f.out, trialData(t), t.Skipped)
	}
	return cmd
}

func (f *eegFlags) register(cmd *cobra.Command) {
	s := cmd.Flags()
	numberFlag(s, &f.rate, "rate", 0, 0, 1e9, "sampling rate in hertz, for npy")
	s.StringVar(&f.events, "events", "", "table of events (csv, tsv); by default those of the recording, or X_events.csv beside X_raw.npy")
	s.StringVar(&f.channels, "channels", "", "names of the channels to keep, separated by commas")
	s.StringVar(&f.drop, "drop", "", "names of channels to leave out")
	s.StringVar(&f.classes, "classes", "", "classes and their events: left=769,right=770, or 769,770")
	s.StringVar(&f.anchor, "anchor", "", "event that starts the trial when the class is told by one before it")
	numberFlag(s, &f.trial.Start, "start", 0, -1e6, 1e6, "start of a trial in seconds after its event")
	numberFlag(s, &f.trial.Stop, "stop", 0, -1e6, 1e6, "end of a trial in seconds after its event")
	s.StringVar(&f.bands, "bands", "", "pass bands in hertz: 8-30, or several: 8-12,12-16")
	countFlag(s, &f.trial.Order, "order", 0, 0, 20, "order of the Butterworth filter; 0 takes 5")
	s.BoolVar(&f.trial.Causal, "causal", false, "filter forward only, as a running decoder must")
	s.StringVar(&f.combine, "combine", "stacked", "several bands: stacked or block-diagonal")
	s.StringVar(&f.estimator, "estimator", "sample", "covariance: sample, oas, ledoit-wolf")
	s.BoolVar(&f.normalize, "normalize", false, "divide each matrix by its mean diagonal element")
	s.BoolVar(&f.trial.SkipInvalid, "skip-invalid", false, "leave out trials that reach beyond the recording or touch missing samples")
	outputFlag(cmd, &f.out, "out", dataOutput, "npz file to write: X, y, recording, channels")
}

func (f *eegFlags) options() (eeg.TrialOptions, error) {
	opt := f.trial
	for _, r := range [][2]string{{"out", f.out}, {"classes", f.classes}} {
		if err := required(r[0], r[1]); err != nil {
			return opt, err
		}
	}
	var err error
	if opt.Classes, err = eeg.ParseClasses(f.classes); err != nil {
		return opt, err
	}
	if f.anchor != "" {
		anchor, err := eeg.ParseClasses(f.anchor)
		if err != nil || len(anchor) != 1 {
			return opt, usagef("--anchor %q: want one event code or label", f.anchor)
		}
		opt.Anchor = anchor[0]
	}
	if f.bands != "" {
		if opt.Bands, err = eeg.ParseBands(f.bands); err != nil {
			return opt, err
		}
	}
	if opt.Combine, err = eeg.ParseCombine(f.combine); err != nil {
		return opt, err
	}
	if opt.Combine == eeg.Separate {
		return opt, usagef("--combine separate gives several matrices a trial; a file takes one: stacked or block-diagonal")
	}
	opt.Covariance.TraceNormalize = f.normalize
	opt.Covariance.Estimator, err = spd.ParseEstimator(f.estimator)
	return opt, err
}

func (f *eegFlags) openAll(paths []string) ([]*eeg.Recording, error) {
	if f.events != "" && len(paths) > 1 {
		return nil, usagef("--events is one table for one recording; for several leave it out and keep X_events.csv beside X_raw.npy")
	}
	opt := eeg.RecordingOptions{Rate: f.rate, Events: f.events, Channels: splitList(f.channels), Drop: splitList(f.drop)}
	recs := make([]*eeg.Recording, 0, len(paths))
	for _, p := range paths {
		r, err := eeg.OpenRecording(p, opt)
		if err != nil {
			return recs, err
		}
		recs = append(recs, r)
	}
	return recs, nil
}

func splitList(s string) []string {
	if s == "" {
		return nil
	}
	parts := strings.Split(s, ",")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}

// trialData joins the matrices with what a later split or drawing needs.
func trialData(t *eeg.Trials) *dataset.Data {
	x, names := t.Stacks[0], t.Recipe.Signal.Names()
	return &dataset.Data{Source: "trials", Stack: x, Labels: t.Labels, Classes: t.Classes, Recipe: t.Recipe, Vars: map[string]*dataset.Array{
		"recording": {Name: "recording", Shape: []int{x.Count}, Int64: int64s(t.Recording)},
		"sample":    {Name: "sample", Shape: []int{x.Count}, Int64: int64s(t.Sample)},
		"channels":  {Name: "channels", Shape: []int{len(names)}, Strings: names},
	}}
}

func int64s(v []int) []int64 {
	out := make([]int64, len(v))
	for i, n := range v {
		out[i] = int64(n)
	}
	return out
}
