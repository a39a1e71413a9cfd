package eeg

import (
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rao/cmd/rao/internal/app"
	"rao/eeg"
	"rao/internal/optionvalues"
	"rao/internal/text"
)

// trialFlags turn a signal into trials.
type trialFlags struct {
	opt                         eeg.TrialOptions
	signal                      signalFlags
	bad, reference, notch       string
	meta, unit                  string
	correlate, delays, baseline string
	harmonics                   int
	signals                     bool
}

// signalsOut is the help of --signals for commands that write trials.
const signalsOut = "write the trials, for methods such as erp and xdawn"

// referenceHelp is the help of --reference.
const referenceHelp = "reference to subtract: average, or the mean of channels such as M1,M2, which are then left " +
	"out; recorded keeps the reference, even if the file asks for the average"

// add registers the flags. signals is the help of --signals.
func (f *trialFlags) add(cmd *cobra.Command, signals string) {
	s := cmd.Flags()
	app.TextVar(s, &f.reference, "reference", "average|recorded|NAME,...", "", referenceHelp)
	addUnit(s, &f.unit)
	app.TextVar(s, &f.opt.Amplitude, "reject", "VOLTS", "",
		"leave out trials in which the peak-to-peak amplitude of a channel is above this, such as 150uV")
	app.InGroup(s, titleSignal, f.addMatrices)
	s.BoolVar(&f.signals, "signals", false, signals)
	app.TextVar(s, &f.baseline, "baseline", "FROM,TO", "",
		"seconds from the event, such as -0.2,0, whose mean is subtracted from each channel of --signals")
	s.BoolVar(&f.opt.SkipInvalid, "skip-invalid", false, "leave out trials that reach beyond the recording, touch "+
		"missing samples or bad spans, or have two classes")
}

// addMatrices registers the flags for filters and for the matrix of a trial.
func (f *trialFlags) addMatrices(s *pflag.FlagSet) {
	app.TextVar(s, &f.notch, "notch", "HERTZ,...", "", "frequencies in hertz to remove, such as 50 or 50,100")
	app.NumberFlag(s, &f.opt.Resample, "resample", 0, 0, 1e6, "samples per second to resample to")
	f.signal.add(s, "")
	s.BoolVar(&f.opt.Causal, "causal", false, "filter forward only, as a running decoder must")
	app.TextVar(s, &f.delays, "delays", "SAMPLES,...", "", "append copies of all channels delayed by these "+
		"numbers of samples, such as 2,4,6, to add spectral information")
	app.TextVar(s, &f.correlate, "correlate", "HERTZ,...", "",
		"write canonical correlations with oscillations at these frequencies in hertz, such as 13,17,21")
	app.CountFlag(s, &f.harmonics, "harmonics", 2, 1, 1000, "harmonics for --correlate, including the first")
}

// addBad registers the flag for channels that a recording marks as bad.
func (f *trialFlags) addBad(cmd *cobra.Command) {
	app.TextVar(cmd.Flags(), &f.bad, "bad", "drop|interpolate|keep", "drop",
		"channels marked as bad in any recording: drop (from all), interpolate or keep")
}

func (f *trialFlags) options(a *app.App) (eeg.TrialOptions, error) {
	opt := f.opt
	opt.Bad, opt.Reference = eeg.BadChannels(f.bad), text.SplitList(f.reference)
	opt.Note = func(note error) { a.Note("%s", app.Message(note)) }
	opt.Combine = optionvalues.CombineStacked
	err := f.signal.overlay(&opt.SignalOptions)
	if err != nil {
		return opt, err
	}
	switch {
	case f.baseline != "" && !f.signals:
		return opt, app.Usagef("--baseline needs --signals; covariances and correlations already subtract the mean " +
			"of each trial")
	case f.correlate == "" && f.harmonics != 2:
		return opt, app.Usagef("--harmonics needs --correlate")
	case f.correlate != "" && f.signals:
		return opt, app.Usagef("give either --signals or --correlate, not both")
	case (f.signals || f.correlate != "") && (opt.Estimator != "" || opt.Normalize):
		return opt, app.Usagef("--estimator and --normalize are for matrices: leave out --signals and --correlate")
	case f.signals:
		opt.Estimator = optionvalues.EstimatorNone
	case f.correlate != "":
		opt.Estimator, opt.Harmonics = optionvalues.EstimatorCorrelations, f.harmonics
	}
	if f.baseline != "" {
		if opt.Baseline, err = parseSpan(f.baseline); err != nil {
			return opt, app.Usagef("--baseline: %v", err)
		}
	}
	if opt.Frequencies, err = parseHertz("correlate", f.correlate); err != nil {
		return opt, err
	}
	if opt.Notch, err = parseHertz("notch", f.notch); err != nil {
		return opt, err
	}
	opt.Delays, err = parseEach("delays", f.delays, "numbers of samples, such as 2,4,6", strconv.Atoi)
	return opt, err
}
