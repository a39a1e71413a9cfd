package model

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/format/archive"
	"rao/lvq"
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
				t.Errorf("%s: observation %d has log-posteriors %v, had %v",
					name, k, got.LogPosterior.RawRowView(k), row)
			}
		}
	}
}

// Prototypes used to keep the number of their classes, and one matrix used to be a list
// of values.
func TestOlderFieldsBecomeNamesAndMatrices(t *testing.T) {
	m, err := Load("testdata/older/plrsq.rao")
	if err != nil {
		t.Fatal(err)
	}
	p := m.Classifier.(*lvq.PLRSQ)
	if !slices.Equal(p.Classes, m.Classes) || p.Reference.SymmetricDim() != 4 {
		t.Errorf("classes %q, a reference of order %d", p.Classes, p.Reference.SymmetricDim())
	}
	d := newDecoder([]archive.Array{
		{Name: "flat", Shape: []int{4}, Float64: []float64{2, 1, 1, 3}},
		{Name: "square", Shape: []int{2, 2}, Float64: []float64{2, 1, 1, 3}},
		{Name: "long", Shape: []int{3}, Float64: []float64{2, 1, 1}},
		{Name: "skew", Shape: []int{2, 2}, Float64: []float64{2, 1, 0, 3}},
		{Name: "NaN", Shape: []int{1, 1}, Float64: []float64{math.NaN()}},
		{Name: "numbers", Shape: []int{1, 1}, Int64: []int64{1}},
	})
	for name, bad := range map[string]bool{"flat": false, "square": false, "long": true, "skew": true, "NaN": true,
		"numbers": true, "none": true} {
		var got struct{ M *mat.SymDense }
		err := d.decode([]byte(`{"M": {"array": "`+name+`"}}`), reflect.ValueOf(&got).Elem(), "", 0)
		if (err != nil) != bad || !bad && !mat.Equal(got.M, mat.NewSymDense(2, []float64{2, 1, 1, 3})) {
			t.Errorf("%s: %v, error %v", name, got.M, err)
		}
	}
	for raw, names := range map[string][]string{`{"Classes": 2}`: {"a", "b"}, `{"Classes": ["x"]}`: {"x"}} {
		d.classes = []string{"a", "b"}
		var got struct{ Classes []string }
		if err := d.decode([]byte(raw), reflect.ValueOf(&got).Elem(), "", 0); err != nil ||
			!slices.Equal(got.Classes, names) {
			t.Errorf("%s: %q, error %v", raw, got.Classes, err)
		}
	}
	var got struct{ Classes []string }
	if err := d.decode([]byte(`{"Classes": 3}`), reflect.ValueOf(&got).Elem(), "", 0); err == nil {
		t.Error("3 prototypes of 2 classes are taken")
	}
}
