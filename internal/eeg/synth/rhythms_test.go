package synth

import (
	"context"
	"math"
	"testing"

	"rao/eeg"
	"rao/internal/testkit"
	"rao/recipe"
)

// In the trials of a hand, the rhythm over the opposite hand area is weak, and nothing else differs between the hands.
// The same seed gives the same recording.
func TestRhythmsDifferOverTheHands(t *testing.T) {
	rec := testkit.Must(Rhythms(40, 1))(t)
	cut := testkit.Must(eeg.CutTrials(context.Background(), []*eeg.Recording{rec},
		eeg.TrialOptions{Classes: RhythmClasses,
			Start: 1, Stop: 4, SignalOptions: recipe.SignalOptions{Bands: []recipe.Band{{Low: 8, High: 13}}}}))(t)
	power := func(class int, name string) float64 {
		sum, n := 0.0, 0.0
		for k, l := range cut.Labels {
			for c := range RhythmChannels {
				if l == class && RhythmChannels[c] == name {
					sum, n = sum+cut.Stacks[0].Sym(k).At(c, c), n+1
				}
			}
		}
		return sum / n
	}
	for name, want := range map[string][2]float64{"C3": {0.3, 10}, "C4": {-10, -0.3}, "Oz": {-0.3, 0.3}} {
		got := math.Log(power(0, name) / power(1, name))
		if got < want[0] || got > want[1] {
			t.Errorf("%s: log-ratio of left to right %v, want %v", name, got, want)
		}
	}
	again := testkit.Must(Rhythms(40, 1))(t)
	a, b := make([]float64, 160), make([]float64, 160)
	testkit.NoError(t, rec.Read(a, 5, 10))
	testkit.NoError(t, again.Read(b, 5, 10))
	for i := range a {
		testkit.Equal(t, a[i], b[i], "the same seed gives another recording")
	}
}
