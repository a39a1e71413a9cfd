package eeg

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rao/cmd/rao/internal/app"
	"rao/eeg"
	"rao/internal/eeg/sets"
	"rao/internal/format/matfile"
	"rao/internal/optionvalues"
	"rao/internal/text"
	"rao/internal/voltage"
)

type eegFlags struct {
	recordingFlags
	classes, anchor, out string
	list                 bool
	bids                 bidsFlags
	trials               trialFlags
}

func covEEGCommand(a *app.App) *cobra.Command {
	var f eegFlags
	cmd := &cobra.Command{
		Use:   "cov RECORDING...",
		Short: "Compute the covariance of each trial of EEG recordings",
		Long: `Filter recordings, cut trials at their events, and write the covariance of each trial
with the number of its recording. --list shows the channels and events of a file.

These formats are read: EDF, EDF+, BDF, GDF, BrainVision (.vhdr), EEGLAB (.set), FIF, XDF
(--stream chooses a stream), MAT files of the competitions (--path), BIDS folders (--bids),
and npy with --rate and a table of events. A public set has a name, such as eegbci (rao
data list), and known classes and trials; each trial gets its subject, session and run, as
in MOABB.`,
		Example: `  rao eeg cov a.gdf b.gdf --classes left=769,right=770 --stop 2.5 --out P.npz
  rao eeg cov x_raw.npy --rate 256 --events x_events.csv --anchor 32779 \
      --classes 13Hz=33025,21Hz=33026 --start 2 --stop 5 --out P.npz
  rao eeg cov eegbci --subjects 1-9 --classes left_hand,right_hand --out P.npz`,
		Args: cobra.ArbitraryArgs, // the arguments are checked after the outputs
	}
	f.register(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := f.bids.checkArgs(args); err != nil {
			return err
		}
		meta, err := parseMeta(f.trials.meta)
		if err != nil {
			return err
		}
		name, err := f.setOf(args)
		if err != nil {
			return err
		}
		if name != "" {
			return f.fromSet(cmd, a, name, meta)
		}
		var opt eeg.TrialOptions
		if !f.list {
			if opt, err = f.trialOptions(a); err != nil {
				return err
			}
		}
		recs, err := f.openAll(a, args)
		defer func() { closeAll(recs) }()
		if err != nil {
			return err
		}
		if f.list {
			return listRecordings(a, recs)
		}
		noteChannels(a, recs)
		show, done := a.Progress("rao eeg cov")
		opt.Progress = show
		t, err := eeg.CutTrials(cmd.Context(), recs, opt)
		done()
		if err != nil {
			return err
		}
		noteUnused(a, recs, t.Recording)
		d := t.Data()
		sets.AddNames(d, recs, t.Recording)
		if err := addMeta(d, meta); err != nil {
			return err
		}
		d.From = filesOf(recs)
		return a.SaveMatrices(f.out, d, t.Skipped)
	}
	return cmd
}

func (f *eegFlags) register(cmd *cobra.Command) {
	s := cmd.Flags()
	f.addFile(s)
	f.addChannels(s, "EEG")
	s.BoolVar(&f.list, "list", false, "show what the recordings contain (rate, channels, events), and do "+
		"nothing else")
	f.bids.add(cmd)
	f.trials.add(cmd, signalsOut)
	f.trials.addMetaFlag(s)
	f.trials.addBad(cmd)
	f.addClasses(s)
	app.NumberFlag(s, &f.trials.opt.Window, "window", 0, 0, 1e6,
		"cut each trial into windows of this many seconds; 0 does not cut them")
	app.NumberFlag(s, &f.trials.opt.Every, "step", 0, 0, 1e6,
		"with --window: seconds between the starts of windows; 0 uses the length of the window")
	s.BoolVar(&f.trials.opt.BothEnds, "both-ends", false, "a trial includes the samples at both --start and "+
		"--stop, as in MNE and MOABB; the default for public sets")
	app.OutputFlag(cmd, &f.out, "out", app.DataOutput, "npz file to write: X, y, recording, channels")
}

// addClasses registers the flags for the events and times of trials.
func (f *eegFlags) addClasses(s *pflag.FlagSet) {
	app.TextVar(s, &f.classes, "classes", "CLASS[=EVENT],...", "",
		"classes and their events: left=769,right=770, or 769,770")
	app.TextVar(s, &f.anchor, "anchor", "EVENT", "",
		"event that starts the trial, if an earlier event gives the class")
	app.NumberFlag(s, &f.trials.opt.Start, "start", 0, -1e6, 1e6, "start of a trial in seconds after its event")
	app.NumberFlag(s, &f.trials.opt.Stop, "stop", 0, -1e6, 1e6, "end of a trial in seconds after its event")
}

func (f *eegFlags) trialOptions(a *app.App) (eeg.TrialOptions, error) {
	if f.classes == "" {
		return eeg.TrialOptions{}, app.Usagef("--classes is required; rao eeg cov FILE --list shows the events of " +
			"a recording")
	}
	if trial := f.trials.opt; !(trial.Stop > trial.Start) {
		return eeg.TrialOptions{}, laterStop(trial.Start, trial.Stop)
	}
	return f.cutting(a)
}

// laterStop returns the error for a trial that does not end after its start.
func laterStop(start, stop float64) error {
	return app.Usagef("trials cannot be from %g to %g s: --stop must come after --start; give the end of a trial in "+
		"seconds after its event, such as --stop %g", start, stop, start+4)
}

// cutting returns the options that cut trials. Without --classes they contain no classes.
func (f *eegFlags) cutting(a *app.App) (eeg.TrialOptions, error) {
	if err := app.Required("out", f.out); err != nil {
		return eeg.TrialOptions{}, err
	}
	opt, err := f.trials.options(a)
	if err != nil {
		return opt, err
	}
	if f.classes != "" {
		if opt.Classes, err = eeg.ParseClasses(f.classes); err != nil {
			return opt, err
		}
	}
	if opt.Every != 0 && opt.Window == 0 {
		return opt, app.Usagef("--step is the time between windows; give --window too")
	}
	opt.Anchor, err = parseAnchor(f.anchor)
	return opt, err
}

// openAll opens the recordings in paths, or the recordings of a BIDS folder.
func (f *eegFlags) openAll(a *app.App, paths []string) ([]*eeg.Recording, error) {
	opt := f.options()
	opt.Unit = f.trials.unit
	if f.list && opt.Kinds == nil {
		opt.Kinds = []string{optionvalues.AllKinds}
	}
	if f.bids.dir != "" {
		if f.opt.Events != "" || f.opt.Path != "" || f.opt.Stream != "" {
			return nil,
				app.Usagef("--bids reads the recordings and tables of the folder: leave out --events, --path and " +
					"--stream")
		}
		return f.bids.open(a, opt)
	}
	if f.opt.Events != "" && len(paths) > 1 {
		return nil, app.Usagef("--events is the table of one recording; for several recordings, put " +
			"X_events.csv next to X_raw.npy instead")
	}
	parts, err := matfile.ExpandPaths(f.opt.Path)
	if err != nil {
		return nil, err
	}
	recs := make([]*eeg.Recording, 0, len(paths)*len(parts))
	for _, p := range paths {
		for _, opt.Path = range parts {
			r, err := eeg.OpenRecording(p, opt)
			if err != nil {
				return recs, err
			}
			recs = append(recs, r)
		}
	}
	return recs, nil
}

func closeAll(recs []*eeg.Recording) {
	for _, r := range recs {
		r.Close()
	}
}

// withoutUnit returns the channels without a known unit.
func withoutUnit(r *eeg.Recording) (channels []string) {
	for c, name := range r.Channels {
		if r.Units == nil || voltage.Parse(r.Units[c]) == "" {
			channels = append(channels, name)
		}
	}
	return channels
}

// noteUnused reports recordings from which no trial was cut; from has the recording of each trial.
func noteUnused(a *app.App, recs []*eeg.Recording, from []int) {
	var names []string
	for i, r := range recs {
		if !slices.Contains(from, i) {
			names = append(names, r.Source)
		}
	}
	if len(names) > 0 {
		a.Note("no trials from %s; --list shows the events of a recording", strings.Join(names, ", "))
	}
}

// noteChannels prints which channels are left out because they are not EEG, which channels have no known unit, and
// which tables describe the channels of files.
func noteChannels(a *app.App, recs []*eeg.Recording) {
	var reported, unknown []string
	for _, r := range recs {
		if words := strings.Join(r.LeftOut, ", "); words != "" && !slices.Contains(reported, words) {
			reported = append(reported, words)
			a.Note("%s: channels left out because they are not EEG: %s; --kinds all or --channels keeps "+
				"them", r.Source, words)
		}
		if r.Table != "" {
			a.Note("%s: the kinds and bad marks of its channels were read from %s", r.Source, r.Table)
		}
		switch channels := withoutUnit(r); len(channels) {
		case 0:
		case len(r.Channels):
			unknown = append(unknown, r.Source)
		default:
			a.Note("%s: the unit of %s unknown; give it with --channel-unit if it matters", r.Source,
				text.Listed("channel", channels))
		}
	}
	switch len(unknown) {
	case 0:
	case 1:
		a.Note("%s: the unit of its channels is unknown; give it with --channel-unit if it matters", unknown[0])
	default:
		a.Note("%s and %d more: the unit of their channels is unknown; give it with --channel-unit if it "+
			"matters", unknown[0],
			len(unknown)-1)
	}
}
