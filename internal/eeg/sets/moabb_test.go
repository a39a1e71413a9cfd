package sets

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"

	"rao/dataset"
	"rao/eeg"
	"rao/internal/sets"
	"rao/internal/testkit"
)

// testFile reads a file of testdata.
func testFile(t *testing.T, name string) []byte {
	t.Helper()
	return testkit.Must(os.ReadFile("testdata/" + name))(t)
}

// A speller of the BNCI database opened by its name gives the trials of MOABB 1.7.2 on the same file (see
// testdata/make_p300.py): their number, classes, sessions and samples.
func TestSpellersAreMOABBs(t *testing.T) {
	var want []struct {
		Samples, Codes []int
		Trials, Length int
		First          []float64
	}
	testkit.NoError(t, json.Unmarshal(testFile(t, "p300.json"), &want))
	s, get := localSet(t, "bnci2014-009", map[string][]byte{"A02S.mat": testFile(t, "p300.mat")}, nil)
	get.Subjects = []int{2}
	testkit.Must(sets.Get(context.Background(), s.Info.Name, get))(t)
	t.Setenv("RAO_CACHE", get.Cache)
	d := open(t, "bnci2014-009:2", dataset.OpenOptions{RequireLabels: true})
	_, columns := d.X.Dims()
	if !slices.Equal(d.Classes, []string{"NonTarget", "Target"}) || d.N() != want[0].Trials+want[1].Trials ||
		columns != 4*want[0].Length {
		t.Fatalf("%d trials of %d values, classes %v; MOABB has %d and %d of %d samples", d.N(), columns, d.Classes,
			want[0].Trials, want[1].Trials, want[0].Length)
	}
	k := 0
	for session, w := range want {
		for i, code := range w.Codes {
			if d.Labels[k] != code-1 || d.Vars["session"].Text(k) != fmt.Sprint(session) ||
				d.Vars["subject"].Text(k) != "2" || d.Vars["sample"].Text(k) != fmt.Sprint(w.Samples[i]) {
				t.Errorf("trial %d: class %d, session %s, sample %s; MOABB %d, %d, %d", k, d.Labels[k],
					d.Vars["session"].Text(k), d.Vars["sample"].Text(k), code-1, session, w.Samples[i])
			}
			k++
		}
		row := make([]float64, columns)
		d.X.Row(row, session*want[0].Trials+25)
		var got []float64
		for i := range w.First {
			got = append(got, row[2*w.Length+20*i])
		}
		testkit.Close(t, fmt.Sprint("session ", session), got, w.First, 1e-6)
	}
}

// Flickering lights opened by name give the trials of MNE with MOABB's filters, and the covariances are of the bands of
// the lights.
func TestLightsAreMOABBs(t *testing.T) {
	var want struct {
		Codes          []int
		Trials, Length int
		Covariance     [][]float64
	}
	testkit.NoError(t, json.Unmarshal(testFile(t, "ssvep.json"), &want))
	files := map[string][]byte{"subject03_run1_raw.fif": testFile(t, "ssvep_raw.fif"),
		"subject03_run2_raw.fif": testFile(t, "ssvep_raw.fif")}
	s, get := localSet(t, "kalunga2016", files, nil)
	get.Subjects = []int{3}
	testkit.Must(sets.Get(context.Background(), s.Info.Name, get))(t)
	t.Setenv("RAO_CACHE", get.Cache)
	d := open(t, "kalunga2016:3", dataset.OpenOptions{RequireLabels: true})
	if d.N() != 2*want.Trials || d.Stack.Dim != 6 || d.Recipe.Signal.Window != float64(want.Length)/256 {
		t.Fatalf("%d trials of order %d and %g s, MOABB has %d of %d samples a run", d.N(), d.Stack.Dim,
			d.Recipe.Signal.Window, want.Trials, want.Length)
	}
	names := map[int]string{1: "rest", 2: "13", 3: "21", 4: "17"}
	for i := range d.N() {
		if got := d.Classes[d.Labels[i]]; got != names[want.Codes[i%4]] ||
			d.Vars["run"].Text(i) != fmt.Sprint(i/4) || d.Vars["session"].Text(i) != "0" {
			t.Errorf("trial %d: %s, run %s", i, got, d.Vars["run"].Text(i))
		}
	}
	opt := testkit.Must(UsualTrials("kalunga2016"))(t)
	lookup("kalunga2016").paradigm.prepare(&opt)
	opt.Estimator = "sample"
	sel := Selection{Cache: get.Cache, Subjects: []int{3}, Runs: []int{1}}
	d, _ = testkit.Must2(Trials(context.Background(), "kalunga2016", sel, nil, func(recs []*eeg.Recording,
		here []eeg.Class) (*eeg.Trials, error) {
		opt := opt
		opt.Classes = here
		return eeg.CutTrials(context.Background(), recs, opt)
	}))(t)
	for i := 1; i < 3; i++ { // away from the ends, where the filters of MNE begin otherwise
		m := d.Stack.Sym(i)
		testkit.Close(t, fmt.Sprint("power of trial ", i), []float64{m.At(0, 0), m.At(2, 2), m.At(4, 4)},
			[]float64{want.Covariance[0][i], want.Covariance[1][i], want.Covariance[2][i]}, 1e-6)
	}
}
