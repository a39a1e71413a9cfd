package eeg

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"rao/recipe"
	"rao/spd"
	"rao/stream"
)

// Signals are what lies in the recording, channel after channel, of each band.
func TestCutTrialsThemselves(t *testing.T) {
	r := synthetic(t, 1)
	opt := TrialOptions{Classes: leftRight(), Stop: 1, Signals: true}
	cut, err := CutTrials(context.Background(), []*Recording{r}, opt)
	if err != nil {
		t.Fatal(err)
	}
	if rows, cols := cut.Signals.Dims(); rows != 20 || cols != 300 || len(cut.Stacks) != 0 {
		t.Fatalf("%d trials of %d values", rows, cols)
	}
	one := make([]float64, 300)
	for k, first := range cut.Sample {
		if err := r.Read(one, first, 100); err != nil {
			t.Fatal(err)
		}
		for c := range 3 {
			for s := range 100 {
				if got := cut.Signals.At(k, c*100+s); got != one[s*3+c] {
					t.Fatalf("trial %d, channel %d, sample %d: %g, in the recording %g", k, c, s, got, one[s*3+c])
				}
			}
		}
	}
	if s := cut.Recipe.Signal; s.Estimator != recipe.NoEstimator ||
		!strings.Contains(cut.Recipe.String(), "the signals themselves") {
		t.Errorf("%v", cut.Recipe)
	}
	opt.Bands, opt.Combine = []stream.Band{{Low: 8, High: 12}, {Low: 20, High: 30}}, stream.Stacked
	two, err := CutTrials(context.Background(), []*Recording{r}, opt)
	if err != nil {
		t.Fatal(err)
	}
	opt.Bands = opt.Bands[1:]
	high, err := CutTrials(context.Background(), []*Recording{r}, opt)
	if err != nil {
		t.Fatal(err)
	}
	for k := range 20 {
		if !slices.Equal(two.Signals.RawRowView(k)[300:], high.Signals.RawRowView(k)) {
			t.Errorf("trial %d: the second band is another than alone", k)
		}
	}
}

// Correlations with 10 Hz, the rhythm, are higher than those with another frequency.
func TestCorrelateFindsTheRhythm(t *testing.T) {
	cut, err := CutTrials(context.Background(), []*Recording{synthetic(t, 1)},
		TrialOptions{Classes: leftRight(), Stop: 1, Signals: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := cut.Correlate([]float64{7, 10}, 60); err == nil || !strings.Contains(err.Error(), "harmonic") {
		t.Errorf("sixty harmonics: %v", err)
	}
	if err := cut.Correlate([]float64{7, 10}, 2); err != nil {
		t.Fatal(err)
	}
	for k := range 20 {
		if !(cut.Signals.At(k, 1) > cut.Signals.At(k, 0)+0.2) {
			t.Errorf("trial %d: %v", k, cut.Signals.RawRowView(k))
		}
	}
	s := cut.Recipe.Signal
	if s.Estimator != recipe.Correlations || !slices.Equal(s.Frequencies, []float64{7, 10}) || s.Harmonics != 2 ||
		!strings.Contains(cut.Recipe.String(), "correlations with 7,10 Hz and 2 harmonics") {
		t.Errorf("%v", cut.Recipe)
	}
	other := *s
	other.Frequencies = []float64{7, 11}
	if err := recipe.Check(cut.Recipe, &recipe.Recipe{Signal: &other}); err == nil ||
		!strings.Contains(err.Error(), "frequencies: 7,11 Hz here, 7,10 Hz in the training") {
		t.Errorf("other frequencies: %v", err)
	}
	if err := (&Trials{}).Correlate([]float64{7}, 1); err == nil {
		t.Error("matrices have correlations")
	}
}

func TestSignalsRefuse(t *testing.T) {
	for want, opt := range map[string]TrialOptions{
		"must be stacked": {
			MatrixOptions: stream.MatrixOptions{Bands: []stream.Band{{Low: 8, High: 12}, {Low: 20, High: 30}},
				Combine: stream.BlockDiagonal}},
		"signals themselves": {MatrixOptions: stream.MatrixOptions{Delays: []int{1}}},
		"have no covariance": {
			MatrixOptions: stream.MatrixOptions{Covariance: spd.CovarianceOptions{Estimator: spd.OAS}}},
		"is not finite": {},
	} {
		r := synthetic(t, 1)
		if want == "is not finite" {
			r.data[60*3] = math.NaN()
			want = "not finite"
		}
		opt.Classes, opt.Stop, opt.Signals = leftRight(), 1, true
		if _, err := CutTrials(context.Background(), []*Recording{r}, opt); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
