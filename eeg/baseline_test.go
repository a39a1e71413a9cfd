package eeg

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"

	"rao/internal/testkit"
	"rao/recipe"
)

// unchanged leaves trials as they are.
var unchanged = recipe.SignalOptions{Estimator: "none"}

// The values equal those of mne.Epochs(raw, events, tmin=-0.3, tmax=0.49, baseline=(-0.2, 0)) of MNE 1.13.2.
func TestBaselineAsInMNE(t *testing.T) {
	const samples, channels = 1000, 3
	x := make([]float64, 0, samples*channels)
	for k := range samples {
		s := float64(k)
		x = append(x, math.Sin(s/7)+s/100, 2*math.Cos(s/11), math.Sin(s*s/5000)-3)
	}
	r := testkit.Must(NewRecording([]string{"a", "b", "c"}, 100, x, []Event{{Sample: 150, Code: 1}, {Sample: 400,
		Code: 1},
		{Sample: 777, Code: 1}}))(t)
	opt := TrialOptions{Classes: []Class{{Name: "on", Code: 1}}, Start: -0.3, Stop: 0.5,
		SignalOptions: unchanged,
		Baseline:      [2]float64{-0.2, 0}}
	tr := testkit.Must(CutTrials(t.Context(), []*Recording{r}, opt))(t)
	for _, w := range []struct {
		trial, channel, sample int
		want                   float64
	}{{0, 0, 0, -1.7984015605288386}, {0, 1, 40, -2.4823937326597423}, {1, 2, 79, 1.0077755193748041},
		{2, 0, 33, -1.1147400355799402}, {2, 1, 5, 0.061723358270283635}} {
		if got := tr.Signals.At(w.trial, w.channel*80+w.sample); !scalar.EqualWithinAbs(got, w.want, 1e-12) {
			t.Errorf("trial %d, channel %d, sample %d: %v, MNE has %v", w.trial, w.channel, w.sample, got, w.want)
		}
	}
	if got := tr.Recipe.Signal.Baseline; len(got) != 2 || got[0] != -0.2 || got[1] != 0 {
		t.Errorf("the recipe says %v", got)
	}
}

// A constant added to a channel is also in its baseline, in every band and before the trial.
func TestBaselineTakesOffALevel(t *testing.T) {
	cut := func(level float64) []float64 {
		r := synthetic(t, 3)
		for k := range r.data {
			r.data[k] += level * float64(k%3)
		}
		tr := testkit.Must(CutTrials(t.Context(), []*Recording{r}, TrialOptions{Classes: leftRight(), Start: 0.3,
			Stop:          0.9,
			SignalOptions: unchanged, Baseline: [2]float64{-0.4, -0.1}}))(t)
		return tr.Signals.RawMatrix().Data
	}
	plain, raised := cut(0), cut(7)
	for k, v := range plain {
		testkit.Near(t, raised[k], v, 1e-11, "value", k)
	}
}

func TestBaselineRefuses(t *testing.T) {
	r := synthetic(t, 4)
	for want, opt := range map[string]TrialOptions{
		"only with the signals themselves": {Baseline: [2]float64{-0.2, 0}},
		"the end must come after":          {Baseline: [2]float64{0.2, 0}, SignalOptions: unchanged},
		"beyond the recording":             {Baseline: [2]float64{-0.6, 0}, SignalOptions: unchanged},
	} {
		opt.Classes, opt.Stop = leftRight(), 1
		testkit.ErrorContains(t, testkit.ErrorOf(CutTrials(t.Context(), []*Recording{r}, opt)), want, "does not say")
	}
	r.Breaks = []int{40} // between the baseline and the trial of the first event
	_, err := CutTrials(t.Context(), []*Recording{r}, TrialOptions{Classes: leftRight(), Stop: 1,
		SignalOptions: unchanged,
		Baseline:      [2]float64{-0.3, -0.2}})
	testkit.ErrorContains(t, err, "restarts", "a break between baseline and trial")
}
