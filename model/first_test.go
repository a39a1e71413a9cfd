package model

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"rao/dataset"
)

// Files that the tool of rao 0.1.0 wrote, of models whose parts became stages, predict
// what it predicted (testdata/v0.1.0: each model, and what rao predict printed for P.npz
// or v.csv, to eight digits).
func TestFilesOfTheFirstReleasePredictTheSame(t *testing.T) {
	const dir = "testdata/v0.1.0"
	for name, source := range map[string]string{"recentered": "P.npz", "repaired": "P.npz", "gapca-tslr": "P.npz",
		"column": "v.csv", "ica": "v.csv"} {
		m, err := Load(filepath.Join(dir, name+".rao"))
		if err != nil {
			t.Error(err)
			continue
		}
		d, err := dataset.Open(ctx, filepath.Join(dir, source), dataset.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := m.Predict(ctx, BatchOf(d))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		f, err := os.Open(filepath.Join(dir, name+".csv"))
		if err != nil {
			t.Fatal(err)
		}
		want, err := csv.NewReader(f).ReadAll()
		f.Close()
		if err != nil || len(want) != len(p.Label)+1 {
			t.Fatalf("%s: %d lines for %d predictions: %v", name, len(want), len(p.Label), err)
		}
		for i, line := range want[1:] {
			if line[0] != m.Classes[p.Label[i]] {
				t.Errorf("%s: observation %d is of class %s, was %s", name, i, m.Classes[p.Label[i]], line[0])
			}
			for c, text := range line[3:] {
				v, err := strconv.ParseFloat(text, 64)
				if err != nil {
					t.Fatal(err)
				}
				if got := math.Exp(p.LogPosterior.At(i, c)); math.Abs(got-v) > 1e-7 {
					t.Errorf("%s: observation %d has probability %v of class %s, had %v", name, i, got, m.Classes[c], v)
				}
			}
		}
	}
}
