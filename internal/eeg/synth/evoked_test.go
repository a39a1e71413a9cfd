package synth

import (
	"context"
	"slices"
	"testing"

	"rao/eeg"
	"rao/internal/testkit"
	"rao/recipe"
)

// The early response is over the side opposite to the stimulus, and every four stimuli contain all classes.
func TestEvokedPotentialsLieOpposite(t *testing.T) {
	rec := testkit.Must(Evoked(160, 1))(t)
	cut := testkit.Must(eeg.CutTrials(context.Background(), []*eeg.Recording{rec},
		eeg.TrialOptions{Classes: EvokedClasses,
			Start: 0.05, Stop: 0.2, SignalOptions: recipe.SignalOptions{Estimator: "none"}}))(t)
	_, width := cut.Signals.Dims()
	samples := width / len(RhythmChannels)
	mean := func(class int, name string) float64 {
		c, sum, n := slices.Index(RhythmChannels, name), 0.0, 0.0
		for k, l := range cut.Labels {
			for i := range samples {
				if l == class {
					sum, n = sum+cut.Signals.At(k, c*samples+i), n+1
				}
			}
		}
		return sum / n
	}
	for class, sides := range [][2]string{{"T8", "T7"}, {"T7", "T8"}, {"P4", "P3"}, {"P3", "P4"}} {
		sign := []float64{-1, -1, 1, 1}[class]
		if there, here := sign*mean(class, sides[0]), sign*mean(class, sides[1]); there < 1 || there < 1.3*here {
			t.Errorf("%s: %v microvolt at %s, %v at %s", EvokedClasses[class].Name, there, sides[0], here, sides[1])
		}
	}
	for k := 0; k < len(cut.Labels); k += 4 {
		four := slices.Sorted(slices.Values(cut.Labels[k : k+4]))
		testkit.EqualSlices(t, four, []int{0, 1, 2, 3}, "stimuli", k, "to", k+3)
	}
}
