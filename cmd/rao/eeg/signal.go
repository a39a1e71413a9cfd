package eeg

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rao/cmd/rao/internal/app"
	"rao/eeg"
	"rao/internal/optionvalues"
	"rao/internal/text"
	"rao/recipe"
)

const titleSignal = "Filters and matrices"

func init() {
	app.Topic("signal", titleSignal, "How signals are filtered and become matrices",
		"Flags of the commands that compute matrices from signals. A model stores them, and rao eeg stream uses "+
			"them by default.", func(cmd *cobra.Command) { new(trialFlags).addMatrices(cmd.Flags()) })
}

// signalFlags turn a trial or window of a signal into a matrix.
type signalFlags struct {
	flags                     *pflag.FlagSet
	order                     int
	bands, combine, estimator string
	normalize                 bool
	segment, overlap          float64
}

// add registers the flags. byDefault is appended to each help text. It explains what is used without the flag.
func (g *signalFlags) add(f *pflag.FlagSet, byDefault string) {
	g.flags = f
	app.TextVar(f, &g.bands, "bands", "FROM-TO,...", "",
		"pass bands in hertz, such as 8-30 or 8-12,12-16; by default no filter"+byDefault)
	app.CountFlag(f, &g.order, "order", 0, 0, 20, "order of the Butterworth filters; 0 uses 5"+byDefault)
	app.TextVar(f, &g.combine, "combine", "stacked|block-diagonal|filter-bank", "stacked",
		"several bands: stacked or block-diagonal matrices, or with --correlate a weighted sum (filter-bank)"+byDefault)
	app.TextVar(f, &g.estimator, "estimator", "ESTIMATOR", "sample",
		"covariance: sample, oas, ledoit_wolf, schaefer_strimmer, huber, student, tyler, mcd; similarity of channels: "+
			"correlation, rbf, laplacian; spectral: cospectrum, cross-spectrum, coherence"+byDefault)
	app.NumberFlag(f, &g.segment, "segment", 0, 0, 1e6,
		"length of a segment of spectral matrices in seconds; 0 uses 0.5"+byDefault)
	app.NumberFlag(f, &g.overlap, "overlap", 0, 0, 0.99,
		"share of a segment that overlaps the next one; 0 uses 0.75"+byDefault)
	f.BoolVar(&g.normalize, "normalize", false, "divide each matrix by its mean diagonal element"+byDefault)
}

func (g *signalFlags) given() bool {
	for _, name := range []string{"bands", "order", "combine", "estimator", "segment", "overlap", "normalize"} {
		if g.flags.Changed(name) {
			return true
		}
	}
	return false
}

// overlay sets the options of the flags that were given.
func (g *signalFlags) overlay(o *recipe.SignalOptions) (err error) {
	set := g.flags.Changed
	if set("order") {
		o.Order = g.order
	}
	if set("normalize") {
		o.Normalize = g.normalize
	}
	if set("segment") {
		o.Segment = g.segment
	}
	if set("overlap") {
		o.Overlap = g.overlap
	}
	if set("bands") && g.bands != "" {
		if o.Bands, err = recipe.ParseBands(g.bands); err != nil {
			return err
		}
	}
	if set("combine") {
		o.Combine = recipe.Combine(strings.ToLower(g.combine))
	}
	if set("estimator") {
		o.Estimator = recipe.Estimator(g.estimator)
	}
	switch {
	case optionvalues.IsSpectral(string(o.Estimator)):
	case set("segment") || set("overlap"):
		return app.Usagef("--segment and --overlap need --estimator cospectrum, cross-spectrum or coherence")
	case set("estimator"):
		if _, err = optionvalues.ParseEstimator(o.Estimator, optionvalues.SpectralEstimators()...); err != nil {
			return app.Usagef("--estimator: %v", err)
		}
	}
	return nil
}

// parseAnchor parses the event that starts a trial. An empty text gives a zero Class.
func parseAnchor(text string) (eeg.Class, error) {
	if text == "" {
		return eeg.Class{}, nil
	}
	anchor, err := eeg.ParseClasses(text)
	if err != nil || len(anchor) != 1 {
		return eeg.Class{}, app.Usagef("--anchor %q: give one event code or label", text)
	}
	return anchor[0], nil
}

// parseHertz parses a comma-separated list of frequencies.
func parseHertz(flag, text string) ([]float64, error) {
	return parseEach(flag, text, "frequencies in hertz, such as 13,17,21", func(word string) (float64, error) {
		return strconv.ParseFloat(word, 64)
	})
}

// parseEach parses the comma-separated values of a flag.
func parseEach[T any](flag, list, want string, parse func(word string) (T, error)) ([]T, error) {
	var out []T
	for _, word := range text.SplitList(list) {
		v, err := parse(strings.TrimSpace(word))
		if err != nil {
			return nil, &app.UsageError{Msg: fmt.Sprintf("--%s %s: give %s", flag, list, want)}
		}
		out = append(out, v)
	}
	return out, nil
}

// parseSpan parses a span such as "-0.2,0": two times in seconds relative to an event, the earlier one first. It
// returns an error for other texts.
func parseSpan(text string) ([2]float64, error) {
	from, to, _ := strings.Cut(text, ",")
	a, errA := strconv.ParseFloat(strings.TrimSpace(from), 64)
	b, errB := strconv.ParseFloat(strings.TrimSpace(to), 64)
	if errA != nil || errB != nil || !(a < b) || math.IsInf(b-a, 0) {
		return [2]float64{}, fmt.Errorf("%q is not a time span; give two numbers of seconds, such as -0.2,0", text)
	}
	return [2]float64{a, b}, nil
}
