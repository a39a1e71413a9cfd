package personreport

import (
	"fmt"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/eeg"
	"rao/internal/testkit"
	"rao/recipe"
)

// The spectra, the maps of power after the events and the mean trials equal those of MNE on the same recording (see
// testdata/make_mne.py).
func TestFiguresAreMNEs(t *testing.T) {
	var want struct {
		Data          [][]float64
		Onsets, Codes []int
		Hertz         []float64
		Density       [][]float64
		Change        [][][][]float64
		ChangeHertz   []float64 `json:"change_hertz"`
		Mean          [][][]float64
		Trials        []int
	}
	testkit.ReadJSON(t, "testdata/mne.json", &want)
	var events []eeg.Event
	for k, at := range want.Onsets {
		events = append(events, eeg.Event{Sample: at, Code: want.Codes[k]})
	}
	rec := testkit.Must(eeg.NewRecording([]string{"C3", "Cz", "C4"}, 100, slices.Concat(want.Data...), events))(t)
	recs, classes := []*eeg.Recording{rec}, []eeg.Class{{Name: "a", Code: 1}, {Name: "b", Code: 2}}
	s := testkit.Must(welch(rec))(t)
	testkit.Close(t, "frequencies", s.hertz, want.Hertz, 1e-12)
	for c := range s.density {
		testkit.Close(t, fmt.Sprint("density of channel ", c), s.density[c][1:], want.Density[c][1:], 1e-9)
	}
	power := testkit.Must(courses(recs, classes, eeg.Class{}, 2))(t)
	testkit.Close(t, "frequencies of the maps", power.hertz, want.ChangeHertz, 1e-12)
	for k := range classes {
		for c := range rec.Channels {
			testkit.Close(t, fmt.Sprintf("change of class %d, channel %d", k, c), power.change[k][c].RawMatrix().Data,
				slices.Concat(want.Change[k][c]...), 1e-9)
		}
	}
	cut := testkit.Must(eeg.CutTrials(t.Context(), recs, eeg.TrialOptions{Classes: classes, Stop: 1.5,
		SignalOptions: recipe.SignalOptions{Estimator: "none"}}))(t)
	mean, counts := averages(cut)
	testkit.EqualSlices(t, counts, want.Trials, "trials, MNE has")
	for k := range mean {
		testkit.Close(t, fmt.Sprint("mean of class ", k), mat.DenseCopyOf(mean[k]).RawMatrix().Data,
			slices.Concat(want.Mean[k]...), 1e-12)
	}
}
