package eeg

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"rao/internal/testkit"
	"rao/recipe"
)

// Signals are the samples of the recording in each band, channel after channel.
func TestCutTrialsThemselves(t *testing.T) {
	r := synthetic(t, 1)
	opt := TrialOptions{Classes: leftRight(), Stop: 1, SignalOptions: unchanged}
	cut := testkit.Must(CutTrials(context.Background(), []*Recording{r}, opt))(t)
	if rows, cols := cut.Signals.Dims(); rows != 20 || cols != 300 || len(cut.Stacks) != 0 {
		t.Fatalf("%d trials of %d values", rows, cols)
	}
	one := make([]float64, 300)
	for k, first := range cut.Sample {
		testkit.NoError(t, r.Read(one, first, 100))
		for c := range 3 {
			for s := range 100 {
				if got := cut.Signals.At(k, c*100+s); got != one[s*3+c] {
					t.Fatalf("trial %d, channel %d, sample %d: %g, in the recording %g", k, c, s, got, one[s*3+c])
				}
			}
		}
	}
	if s := cut.Recipe.Signal; s.Estimator != "none" ||
		!strings.Contains(cut.Recipe.String(), "the signals themselves") {
		t.Errorf("%v", cut.Recipe)
	}
	opt.Bands, opt.Combine = []recipe.Band{{Low: 8, High: 12}, {Low: 20, High: 30}}, "stacked"
	two := testkit.Must(CutTrials(context.Background(), []*Recording{r}, opt))(t)
	opt.Bands = opt.Bands[1:]
	high := testkit.Must(CutTrials(context.Background(), []*Recording{r}, opt))(t)
	for k := range 20 {
		testkit.EqualSlices(t, two.Signals.RawRowView(k)[300:], high.Signals.RawRowView(k), "trial", k,
			"the second band is another than alone")
	}
}

// Correlations with 10 Hz, the rhythm, are higher than those with another frequency.
func TestCorrelateFindsTheRhythm(t *testing.T) {
	opt := TrialOptions{Classes: leftRight(), Stop: 1, SignalOptions: recipe.SignalOptions{
		Estimator: "correlations", Frequencies: []float64{7, 10}, Harmonics: 60}}
	r := []*Recording{synthetic(t, 1)}
	testkit.ErrorContains(t, testkit.ErrorOf(CutTrials(context.Background(), r, opt)), "harmonic", "sixty harmonics")
	opt.Harmonics = 2
	cut := testkit.Must(CutTrials(context.Background(), r, opt))(t)
	for k := range 20 {
		if !(cut.Signals.At(k, 1) > cut.Signals.At(k, 0)+0.2) {
			t.Errorf("trial %d: %v", k, cut.Signals.RawRowView(k))
		}
	}
	s := cut.Recipe.Signal
	if s.Estimator != "correlations" || !slices.Equal(s.Frequencies, []float64{7, 10}) ||
		s.Harmonics != 2 ||
		!strings.Contains(cut.Recipe.String(), "correlations with 7,10 Hz and 2 harmonics") {
		t.Errorf("%v", cut.Recipe)
	}
	other := *s
	other.Frequencies = []float64{7, 11}
	testkit.ErrorContains(t, recipe.Check(cut.Recipe, &recipe.Recipe{Signal: &other}),
		"frequencies: 7,11 Hz here, 7,10 Hz in training", "other frequencies")
}

func TestSignalsRefuse(t *testing.T) {
	for want, opt := range map[string]TrialOptions{
		`the combination of 2 bands is "block-diagonal"; signals of several bands must be stacked`: {
			SignalOptions: recipe.SignalOptions{Bands: []recipe.Band{{Low: 8, High: 12}, {Low: 20, High: 30}},
				Combine: "block-diagonal"}},
		"delays and":        {SignalOptions: recipe.SignalOptions{Delays: []int{1}}},
		"and normalization": {SignalOptions: recipe.SignalOptions{Normalize: true}},
		"is not finite":     {},
	} {
		r := synthetic(t, 1)
		if want == "is not finite" {
			r.data[60*3] = math.NaN()
			want = "not finite"
		}
		opt.Classes, opt.Stop, opt.Estimator = leftRight(), 1, "none"
		testkit.ErrorContains(t, testkit.ErrorOf(CutTrials(context.Background(), []*Recording{r}, opt)), want)
	}
}

// A filter bank sums the squared correlations of its bands, computed separately, with decreasing weights.
func TestFilterBankOfCorrelations(t *testing.T) {
	r := synthetic(t, 1)
	opt := TrialOptions{Classes: leftRight(), Stop: 1, SignalOptions: recipe.SignalOptions{
		Estimator:   "correlations",
		Frequencies: []float64{10, 13}, Harmonics: 2, Order: 3}}
	cut := func(combine recipe.Combine, bands ...recipe.Band) *Trials {
		t.Helper()
		opt := opt
		opt.Bands, opt.Combine = bands, combine
		return testkit.Must(CutTrials(context.Background(), []*Recording{r}, opt))(t)
	}
	low, high := recipe.Band{Low: 6, High: 40}, recipe.Band{Low: 14, High: 40}
	both, first, second := cut("filter-bank", low, high), cut("", low), cut("", high)
	for k := range 20 {
		for f := range 2 {
			a, b := first.Signals.At(k, f), second.Signals.At(k, f)
			want := 1.25*a*a + (math.Pow(2, -1.25)+0.25)*b*b
			testkit.Near(t, both.Signals.At(k, f), want, 1e-12, "trial", k, "frequency", f)
		}
	}
	testkit.Equal(t, both.Recipe.Signal.Combine, "filter-bank", both.Recipe)
	opt.Estimator, opt.Frequencies, opt.Harmonics, opt.Combine = "oas", nil, 0, "filter-bank"
	opt.Bands = []recipe.Band{low, high}
	testkit.ErrorContains(t, testkit.ErrorOf(CutTrials(context.Background(), []*Recording{r}, opt)),
		"combines the correlations", "matrices of a filter bank")
}
