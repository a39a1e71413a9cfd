package eeg

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
	"rao/eeg"
	"rao/internal/text"
	"rao/recipe"
	"rao/spd"
	"rao/stream"
)

// trialFlags say how a signal becomes covariance matrices of trials, wherever they are from.
type trialFlags struct {
	opt                           eeg.TrialOptions
	bands, combine, estimator     string
	normalize                     bool
	bad, reference, notch, reject string
	rate                          float64
	meta, unit                    string
	correlate, delays, baseline   string
	harmonics                     int
	spectrum                      stream.SpectrumOptions
}

func (f *trialFlags) add(cmd *cobra.Command) {
	s := cmd.Flags()
	app.TextVar(s, &f.reference, "reference", "average|recorded|NAME,...", "",
		"average, or channels whose mean is subtracted and that are then left "+
			"out, such as M1,M2; recorded keeps that of the recording, also where the file asks for the average")
	app.TextVar(s, &f.unit, "unit", "UNIT", "",
		"unit of channels whose unit is not known, such as uV; voltages become volts")
	app.TextVar(s, &f.meta, "meta", "NAME=VALUE,...", "",
		"variables that all trials have, such as subject=s01,session=1, for --groups and "+
			"--where")
	app.TextVar(s, &f.notch, "notch", "HERTZ,...", "", "frequencies in hertz to take out, such as 50 or 50,100")
	app.NumberFlag(s, &f.rate, "resample", 0, 0, 1e6, "samples a second to resample to")
	app.TextVar(s, &f.reject, "reject", "VOLTS", "",
		"leave out trials in which a channel varies by more than this, such as 150uV")
	app.TextVar(s, &f.bands, "bands", "FROM-TO,...", "", "pass bands in hertz: 8-30, or several: 8-12,12-16")
	app.CountFlag(s, &f.opt.Order, "order", 0, 0, 20, "order of the Butterworth filter; 0 takes 5")
	s.BoolVar(&f.opt.Causal, "causal", false, "filter forward only, as a running decoder must")
	app.TextVar(s, &f.combine, "combine", "stacked|block-diagonal", "stacked",
		"several bands: stacked or block-diagonal")
	app.TextVar(s, &f.estimator, "estimator", "ESTIMATOR", "sample",
		"covariance: sample, oas, ledoit-wolf, schaefer-strimmer, huber, student, tyler, mcd; or how alike channels "+
			"are: correlation, rbf, laplacian; or spectral: cospectrum, cross-spectrum, coherence")
	app.NumberFlag(s, &f.spectrum.Segment, "segment", 0, 0, 1e6,
		"seconds of a segment of spectral matrices; 0 takes 0.5")
	app.NumberFlag(s, &f.spectrum.Overlap, "overlap", 0, 0, 0.99,
		"share of a segment that the next one has too; 0 takes 0.75")
	s.BoolVar(&f.opt.Signals, "signals", false, "write the trials themselves in place of covariances, for methods "+
		"such as erp and xdawn")
	app.TextVar(s, &f.baseline, "baseline", "FROM,TO", "",
		"seconds from the event, such as -0.2,0, whose mean is taken "+
			"off each channel of --signals")
	app.TextVar(s, &f.delays, "delays", "SAMPLES,...", "", "samples by which copies of all channels are delayed "+
		"that stand beside them, such as 2,4,6: matrices that tell of spectra")
	app.TextVar(s, &f.correlate, "correlate", "HERTZ,...", "",
		"write canonical correlations with oscillations at these "+
			"frequencies in hertz, such as 13,17,21")
	app.CountFlag(s, &f.harmonics, "harmonics", 2, 1, 1000, "harmonics of --correlate, the first included")
	s.BoolVar(&f.normalize, "normalize", false, "divide each matrix by its mean diagonal element")
	s.BoolVar(&f.opt.SkipInvalid, "skip-invalid", false, "leave out trials that reach beyond the recording, or touch "+
		"missing samples or spans marked bad")
}

// addBad registers what becomes of channels that recordings mark as bad.
func (f *trialFlags) addBad(cmd *cobra.Command) {
	app.TextVar(cmd.Flags(), &f.bad, "bad", "drop|interpolate|keep", "drop",
		"channels marked as bad in any recording: drop (from all), "+
			"interpolate or keep")
}

func (f *trialFlags) options() (eeg.TrialOptions, error) {
	opt := f.opt
	var err error
	if f.bands != "" {
		if opt.Bands, err = stream.ParseBands(f.bands); err != nil {
			return opt, err
		}
	}
	if opt.Combine, err = stream.ParseCombine(f.combine); err != nil {
		return opt, err
	}
	if opt.Combine == stream.Separate {
		return opt, app.Usagef("--combine separate gives several matrices a trial; a file takes one: stacked or " +
			"block-diagonal")
	}
	opt.Covariance.TraceNormalize = f.normalize
	if stream.IsSpectrum(f.estimator) {
		f.spectrum.Kind = f.estimator
		opt.Spectrum = f.spectrum
	} else {
		if f.spectrum.Segment != 0 || f.spectrum.Overlap != 0 {
			return opt,
				app.Usagef("--segment and --overlap are for --estimator cospectrum, cross-spectrum and coherence")
		}
		if opt.Covariance.Estimator, err = spd.ParseEstimator(f.estimator); err != nil {
			return opt, err
		}
	}
	if f.baseline != "" {
		if !opt.Signals {
			return opt, app.Usagef("--baseline is for --signals: covariances and correlations are about the mean of " +
				"their trial")
		}
		if opt.Baseline, err = eeg.ParseSpan(f.baseline); err != nil {
			return opt, app.Usagef("--baseline: %v", err)
		}
	}
	for _, word := range app.SplitList(f.delays) {
		n, err := strconv.Atoi(word)
		if err != nil {
			return opt, app.Usagef("--delays %s: want numbers of samples, such as 2,4,6", f.delays)
		}
		opt.Delays = append(opt.Delays, n)
	}
	if f.correlate == "" && f.harmonics != 2 {
		return opt, app.Usagef("--harmonics are those of --correlate, which is not given")
	}
	if f.correlate != "" {
		if opt.Signals {
			return opt, app.Usagef("--signals writes the trials, --correlate their correlations; take one")
		}
		opt.Signals = true
	}
	return opt, err
}

// take cuts the trials, and correlates them where that is asked for.
func (f *trialFlags) take(ctx context.Context, recs []*eeg.Recording, opt eeg.TrialOptions) (*eeg.Trials, error) {
	t, err := eeg.CutTrials(ctx, recs, opt)
	if err != nil || f.correlate == "" {
		return t, err
	}
	var frequencies []float64
	for _, word := range app.SplitList(f.correlate) {
		hz, err := strconv.ParseFloat(word, 64)
		if err != nil {
			return nil, app.Usagef("--correlate %s: want frequencies in hertz, such as 13,17,21", f.correlate)
		}
		frequencies = append(frequencies, hz)
	}
	return t, t.Correlate(frequencies, f.harmonics)
}

// handleBad leaves bad channels out, or says what will become of them.
func (f *trialFlags) handleBad(a *app.App, recs []*eeg.Recording) error {
	switch f.bad {
	case "keep":
	case "drop":
		bad, err := eeg.DropBad(recs)
		if len(bad) > 0 && err == nil {
			a.Note("left out, because marked as bad: %s; --bad interpolate or keep holds them", strings.Join(bad, ", "))
		}
		return err
	case "interpolate":
		for _, r := range recs {
			if len(r.Bad) > 0 {
				a.Note("%s: %s from the other channels", r.Source, strings.Join(r.Bad, ", "))
			}
		}
	default:
		return app.Usagef("--bad %s: want drop, interpolate or keep", f.bad)
	}
	return nil
}

// prepare prepares the recordings, and completes the options by what is in their units.
func (f *trialFlags) prepare(a *app.App, recs []*eeg.Recording, opt *eeg.TrialOptions) ([]*eeg.Recording, error) {
	prep := stream.Preparation{Interpolate: f.bad == "interpolate", Reference: f.subtracted(a, recs), Rate: f.rate,
		Causal: opt.Causal}
	var err error
	if prep.Notch, err = parseNotch(f.notch); err != nil {
		return nil, err
	}
	out := slices.Clone(recs)
	for i, r := range recs {
		if out[i], err = r.Prepared(prep); err != nil {
			return nil, err
		}
	}
	if f.reject != "" {
		opt.Reject, err = eeg.Amplitude(f.reject, out)
	}
	return out, err
}

// subtracted returns the channels whose mean is taken off. Where a file asks for the average
// reference and nobody says otherwise, it is subtracted.
func (f *trialFlags) subtracted(a *app.App, recs []*eeg.Recording) []string {
	if f.reference == "recorded" {
		for _, r := range recs {
			r.AverageDue = false
		}
		return nil
	}
	if i := slices.IndexFunc(recs, func(r *eeg.Recording) bool { return r.AverageDue }); i >= 0 && f.reference == "" {
		a.Note("%s asks for the average reference, which its samples do not have: the mean of the %s is subtracted; "+
			"--reference recorded keeps them as they are", recs[i].Source, text.Plural(len(recs[i].Channels), "channel",
			"channels"))
		return []string{recipe.AverageReference}
	}
	return app.SplitList(f.reference)
}

// parseNotch reads frequencies in hertz.
func parseNotch(text string) ([]float64, error) {
	var out []float64
	for _, word := range app.SplitList(text) {
		hz, err := strconv.ParseFloat(word, 64)
		if err != nil {
			return nil, app.Usagef("--notch %s: want frequencies in hertz, such as 50,100", text)
		}
		out = append(out, hz)
	}
	return out, nil
}
