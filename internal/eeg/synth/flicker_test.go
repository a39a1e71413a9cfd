package synth

import (
	"context"
	"slices"
	"testing"

	"rao/eeg"
	"rao/internal/testkit"
	"rao/internal/voltage"
	"rao/recipe"
)

// Most trials correlate most with their own light, and every three successive trials contain all lights.
func TestFlickerFollowsTheLight(t *testing.T) {
	rec := testkit.Must(Flicker(60, 1))(t)
	cut := testkit.Must(eeg.CutTrials(context.Background(), []*eeg.Recording{rec},
		eeg.TrialOptions{Classes: FlickerClasses,
			Start: 0.5, Stop: 3.5, SignalOptions: recipe.SignalOptions{Estimator: "correlations",
				Bands: []recipe.Band{{Low: 5, High: 45}}, Frequencies: flickerHertz, Harmonics: 2}}))(t)
	right := 0
	for k, l := range cut.Labels {
		row := cut.Signals.RawRowView(k)
		if slices.Index(row, slices.Max(row)) == l {
			right++
		}
	}
	if right < 55 {
		t.Errorf("%d of 60 trials follow their light most", right)
	}
	for k := 0; k < len(cut.Labels); k += 3 {
		testkit.EqualSlices(t, slices.Sorted(slices.Values(cut.Labels[k:k+3])), []int{0, 1, 2}, "trials", k, "to",
			k+2)
	}
}

// A person changes little between sessions, and another person differs more. The events stay the same.
func TestPersonStaysAlike(t *testing.T) {
	rec := testkit.Must(Rhythms(4, 1))(t)
	read := func(person, session uint64) []float64 {
		r := testkit.Must(Person(rec, person, session))(t)
		if !slices.Equal(r.Events, rec.Events) || voltage.Common(r.Units) != "V" && r.Units[0] != "uV" {
			t.Fatalf("events %v, units %v", r.Events, r.Units)
		}
		x := make([]float64, r.Samples()*len(r.Channels))
		testkit.NoError(t, r.Read(x, 0, r.Samples()))
		return x
	}
	apart := func(a, b []float64) (sum float64) {
		for i := range a {
			sum += (a[i] - b[i]) * (a[i] - b[i])
		}
		return sum
	}
	a, b, c := read(1, 1), read(1, 2), read(2, 1)
	testkit.EqualSlices(t, a, read(1, 1), "the same person and session differ")
	if session, person := apart(a, b), apart(a, c); session == 0 || person < 2*session {
		t.Errorf("sessions differ by %g, people by %g", session, person)
	}
}
