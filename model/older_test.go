package model

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/spd"
)

// Models that were saved by an earlier rao load and predict as they did then. The files
// of testdata/older are not written anew when names in the code change: a field that is
// renamed keeps its old name in a was tag.
func TestOlderModelsLoadAndPredictTheSame(t *testing.T) {
	b, err := os.ReadFile("testdata/older/posteriors.json")
	if err != nil {
		t.Fatal(err)
	}
	var older struct {
		Matrices, Vectors [][]float64
		Models            map[string]struct{ LogPosterior [][]float64 }
	}
	if err := json.Unmarshal(b, &older); err != nil {
		t.Fatal(err)
	}
	const n = 4
	x := spd.NewStack(len(older.Matrices), n)
	v := mat.NewDense(len(older.Vectors), n, nil)
	for k, a := range older.Matrices {
		copy(x.At(k), a)
		v.SetRow(k, older.Vectors[k])
	}
	files, err := filepath.Glob("testdata/older/*.rao")
	if err != nil || len(files) != len(older.Models) {
		t.Fatalf("%d files, %d models with posteriors: %v", len(files), len(older.Models), err)
	}
	for name, want := range older.Models {
		m, err := Load(filepath.Join("testdata/older", name+".rao"))
		if err != nil {
			t.Error(err)
			continue
		}
		b := Vectors(v)
		if m.Input.Kind == KindMatrices {
			b = Matrices(x)
		}
		got, err := m.Predict(ctx, b)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for k, row := range want.LogPosterior {
			if !mat.EqualApprox(got.LogPosterior.Slice(k, k+1, 0, len(row)), mat.NewDense(1, len(row), row), 1e-9) {
				t.Errorf("%s: observation %d has log-posteriors %v, had %v", name, k, got.LogPosterior.RawRowView(k), row)
			}
		}
	}
}
