package model

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/dataset"
	"rao/evaluate"
	"rao/internal/format/archive"
	"rao/internal/testkit"
	"rao/spd"
)

// Models of format 1 load and predict as they did when they were saved. The files of testdata/kept
// are never written again: a change that breaks them breaks the files of users.
func TestKeptModelsPredictTheSame(t *testing.T) {
	b := testkit.Must(os.ReadFile("testdata/kept/posteriors.json"))(t)
	var kept struct {
		Matrices, Vectors [][]float64
		Models            map[string]struct{ LogPosterior [][]float64 }
	}
	testkit.NoError(t, json.Unmarshal(b, &kept))
	const n = 4
	x := spd.NewStack(len(kept.Matrices), n)
	v := mat.NewDense(len(kept.Vectors), n, nil)
	for k, a := range kept.Matrices {
		copy(x.At(k), a)
		v.SetRow(k, kept.Vectors[k])
	}
	for name, want := range kept.Models {
		m := testkit.Must(Load(filepath.Join("testdata/kept", name+".rao")))(t)
		b := Vectors(v)
		if m.Input.Kind == KindMatrices {
			b = Matrices(x)
		}
		got := testkit.Must(m.Predict(ctx, b))(t, name)
		for k, row := range want.LogPosterior {
			if !mat.EqualApprox(got.LogPosterior.Slice(k, k+1, 0, len(row)), mat.NewDense(1, len(row), row), 1e-9) {
				t.Errorf("%s: observation %d has log-posteriors %v, had %v",
					name, k, got.LogPosterior.RawRowView(k), row)
			}
		}
	}
}

// One matrix is square and symmetric.
func TestSymmetricMatricesAreChecked(t *testing.T) {
	d := newDecoder([]archive.Array{
		{Name: "square", Shape: []int{2, 2}, Float64: []float64{2, 1, 1, 3}},
		{Name: "flat", Shape: []int{4}, Float64: []float64{2, 1, 1, 3}},
		{Name: "long", Shape: []int{3}, Float64: []float64{2, 1, 1}},
		{Name: "wide", Shape: []int{1, 4}, Float64: []float64{2, 1, 1, 3}},
		{Name: "empty", Shape: []int{0, 0}},
		{Name: "skew", Shape: []int{2, 2}, Float64: []float64{2, 1, 0, 3}},
		{Name: "NaN", Shape: []int{1, 1}, Float64: []float64{math.NaN()}},
		{Name: "numbers", Shape: []int{1, 1}, Int64: []int64{1}},
	})
	for _, name := range []string{"square", "flat", "long", "wide", "empty", "skew", "NaN", "numbers", "none"} {
		var got struct {
			M *mat.SymDense `json:"M"`
		}
		err := d.decode([]byte(`{"M": {"array": "`+name+`"}}`), reflect.ValueOf(&got).Elem(), "", 0)
		if bad := name != "square"; (err != nil) != bad || !bad && !mat.Equal(got.M, mat.NewSymDense(2,
			[]float64{2, 1, 1, 3})) {
			t.Errorf("%s: %v, error %v", name, got.M, err)
		}
	}
}

// The files of models that repair, re-center and scale predict what rao predict printed for
// P.npz or v.csv, to eight digits.
func TestKeptPipelinesPredictTheSame(t *testing.T) {
	const dir = "testdata/kept"
	for name, source := range map[string]string{"recentered": "P.npz", "repaired": "P.npz", "gapca-tslr": "P.npz",
		"csp-lda": "P.npz", "enuc": "P.npz", "tssvm": "P.npz", "tangent-lda": "P.npz", "whitening": "P.npz",
		"column": "v.csv", "ica": "v.csv", "parzen": "v.csv", "logistic-raw": "v.csv", "mixture-raw": "v.csv",
		"rslvq-raw": "v.csv", "gmlvq-raw": "v.csv", "svm-raw": "v.csv"} {
		m := testkit.Must(Load(filepath.Join(dir, name+".rao")))(t)
		d := testkit.Must(dataset.Open(ctx, filepath.Join(dir, source), dataset.OpenOptions{}))(t)
		p := testkit.Must(m.Predict(ctx, BatchOf(d)))(t, name)
		want := linesOf(t, filepath.Join(dir, name+".csv"), len(p.Label))
		for i, line := range want {
			testkit.Equal(t, line[0], m.Classes[p.Label[i]], name, "class of observation", i)
			for c, text := range line[3:] {
				v := testkit.Must(strconv.ParseFloat(text, 64))(t)
				testkit.Near(t, math.Exp(p.LogPosterior.At(i, c)), v, 1e-7, name, "row", i, "class", m.Classes[c])
			}
		}
	}
}

// linesOf returns the lines of a table after its header.
func linesOf(t *testing.T, path string, n int) [][]string {
	t.Helper()
	f := testkit.Must(os.Open(path))(t)
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil || len(lines) != n+1 {
		t.Fatalf("%s: %d lines for %d predictions: %v", path, len(lines), n, err)
	}
	return lines[1:]
}

// The stored regressions predict the values that rao spd regress printed.
func TestKeptRegressionsPredictTheSame(t *testing.T) {
	const dir = "testdata/kept"
	d := testkit.Must(dataset.Open(ctx, filepath.Join(dir, "P.npz"), dataset.OpenOptions{}))(t)
	for _, name := range []string{"regress-ridge", "regress-knn"} {
		m := testkit.Must(Load(filepath.Join(dir, name+".rao")))(t)
		got := testkit.Must(m.Values(ctx, BatchOf(d)))(t, name)
		for i, line := range linesOf(t, filepath.Join(dir, name+".csv"), d.N()) {
			if v, err := strconv.ParseFloat(line[0], 64); err != nil || math.Abs(got[i]-v) > 1e-9*math.Abs(v) {
				t.Errorf("%s: matrix %d has %v, had %s", name, i, got[i], line[0])
			}
		}
	}
}

// Every field of a part of a model has a distinct name in files, in lower case with underscores.
func TestFieldsHaveNamesInFiles(t *testing.T) {
	form := regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	seen := map[reflect.Type]bool{}
	var check func(typ reflect.Type)
	check = func(typ reflect.Type) {
		switch typ.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array:
			check(typ.Elem())
		case reflect.Struct:
			if seen[typ] || slices.Contains([]reflect.Type{denseType.Elem(), symType.Elem(), stackType,
				reportType}, typ) {
				return
			}
			seen[typ] = true
			for _, f := range fieldsInFile(typ) {
				if !form.MatchString(nameInFile(f)) {
					t.Errorf("%v.%s is called %q in files", typ, f.Name, nameInFile(f))
				}
				check(f.Type)
			}
		}
	}
	check(reflect.TypeFor[header]())
	for _, k := range kinds {
		check(k.typ)
	}
}

// A file of a later version may hold a field that this one does not know.
func TestUnknownFieldsAreRefused(t *testing.T) {
	var o evaluate.Setting
	err := newDecoder(nil).decode([]byte(`{"name": "filters", "value": "2", "unit": "m"}`), reflect.ValueOf(&o).Elem(),
		"options.0", 0)
	testkit.ErrorContains(t, err, "field options.0.unit is unknown to this version of rao")
	err = newDecoder(nil).decode([]byte(`7`), reflect.ValueOf(&o).Elem(), "", 0)
	testkit.ErrorContains(t, err, "field model: the value is a JSON number, but must be an object")
}
