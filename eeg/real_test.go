package eeg

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/internal/testkit"
	"rao/recipe"
)

// nearestMean returns the accuracy of a classifier that predicts the class with the nearest Riemannian mean.
func nearestMean(t *testing.T, tr *Trials, train, test []int) float64 {
	t.Helper()
	x := tr.Stacks[0]
	labels := make([]int, len(train))
	for k, i := range train {
		labels[k] = tr.Labels[i]
	}
	m := testkit.Must(classify.FitMDM(context.Background(), x.Select(train), labels, tr.Classes,
		classify.MDMOptions{}))(t)
	var d mat.Dense
	testkit.NoError(t, m.Distances(t.Context(), &d, x.Select(test)))
	hits := 0
	for k, i := range test {
		if floats.MinIdx(d.RawRowView(k)) == tr.Labels[i] {
			hits++
		}
	}
	return float64(hits) / float64(len(test))
}

// TestSSVEPLeaveOneSessionOut computes the accuracy with each session left out, from the raw EEG: steady-state evoked
// potentials of Kalunga et al. (2016), stacked covariances of three bands, nearest means.
func TestSSVEPLeaveOneSessionOut(t *testing.T) {
	testkit.SkipShort(t, "reads seven recordings")
	dir := testkit.External(t, "data", "ssvep")
	classes := testkit.Must(ParseClasses("rest=33024,13Hz=33025,21Hz=33026,17Hz=33027"))(t)
	for subject, want := range map[string]float64{"subject01": 0.68, "subject02": 0.77, "subject12": 0.91} {
		paths, err := filepath.Glob(filepath.Join(dir, subject, "*_raw.npy"))
		if err != nil || len(paths) < 2 {
			t.Fatalf("%s: %v %v", subject, paths, err)
		}
		var recs []*Recording
		for _, p := range paths {
			r := testkit.Must(OpenRecording(p, RecordingOptions{Rate: 256}))(t)
			recs = append(recs, r)
		}
		tr := testkit.Must(CutTrials(context.Background(), recs,
			TrialOptions{Classes: classes, Anchor: Class{Code: 32779}, Start: 1, Stop: 5,
				SignalOptions: recipe.SignalOptions{
					Bands:   []recipe.Band{{Low: 12.5, High: 13.5}, {Low: 16.5, High: 17.5}, {Low: 20.5, High: 21.5}},
					Combine: "stacked", Estimator: recipe.Estimator("ledoit_wolf")}}))(t)
		mean := 0.0
		line := ""
		for s := range recs {
			var train, test []int
			for i, r := range tr.Recording {
				if r == s {
					test = append(test, i)
				} else {
					train = append(train, i)
				}
			}
			a := nearestMean(t, tr, train, test)
			mean += a / float64(len(recs))
			line += fmt.Sprintf(" %.3f", a)
		}
		t.Logf("%s: %d trials, sessions%s, mean %.3f", subject, len(tr.Labels), line, mean)
		if mean < want {
			t.Errorf("%s: accuracy %.3f, want %.2f or more", subject, mean, want)
		}
	}
}
