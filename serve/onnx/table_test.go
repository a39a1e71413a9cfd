package onnx

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"rao/dataset"
	"rao/internal/testkit"
	"rao/recipe"
)

// tableOf returns a table of numbers and texts with missing values, with only the named columns.
func tableOf(t *testing.T, header string, missing recipe.Missing, row func(i int, r *rand.Rand) string) *dataset.Data {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 1))
	text := header + ",class\n"
	for i := range 300 {
		text += row(i, r) + []string{",no\n", ",yes\n"}[i%2]
	}
	path := testkit.TempFile(t, "t.csv", text)
	d := testkit.Must(dataset.Open(t.Context(), path, dataset.OpenOptions{RequireLabels: true, Y: "class",
		Table: dataset.TableOptions{Learn: true, Categories: []string{"auto"}, Missing: missing}}))(t)
	return d
}

// A model of a table with texts has an input for each column; the graph makes numbers of categories and fills in what
// is missing as the model does.
func TestTables(t *testing.T) {
	mixed := func(i int, r *rand.Rand) string {
		x, kind := fmt.Sprint(r.NormFloat64()+float64(i%2)), []string{"a", "b", "c"}[r.IntN(3)]
		if i%7 == 0 {
			x = ""
		}
		if i%11 == 0 {
			kind = ""
		}
		return strings.Join([]string{x, kind, fmt.Sprint(r.NormFloat64()), []string{"é", "f"}[r.IntN(2)]}, ",")
	}
	d := tableOf(t, "v1,kind,y,c0", "median", mixed)
	for _, name := range []string{"lda-raw", "lda", "pca", "qda-raw"} {
		m := fit(t, name, d)
		for _, single := range []bool{false, true} {
			var b bytes.Buffer
			testkit.NoError(t, Export(t.Context(), &b, m, ExportOptions{Float32: single}), name)
		}
	}
	g := testkit.Must(build(fit(t, "lda-raw", d), &ExportOptions{}))(t)
	kinds := map[string]kind{}
	for _, in := range g.inputs {
		kinds[in.name] = in.kind
	}
	if len(kinds) != 4 || kinds["v1"] != float64Kind || kinds["kind"] != textKind || kinds["c0"] != textKind {
		t.Errorf("inputs %+v", g.inputs)
	}
	// the graph itself, on a row with nothing and one with everything
	out := testkit.Must(g.run(map[string]*tensor{
		"v1": {shape: []int{2}, values: []float64{math.NaN(), 1}}, "kind": {shape: []int{2}, texts: []string{"", "b"}},
		"y":  {shape: []int{2}, values: []float64{math.NaN(), 2}},
		"c0": {shape: []int{2}, texts: []string{"?", "f"}}}))(t)
	if p := out["probabilities"].values; len(p) != 4 || math.Abs(p[0]+p[1]-1) > 1e-9 || p[0] == p[2] {
		t.Errorf("probabilities %v", p)
	}
	// with only numbers there is one input X, and missing values are filled in
	numbers := fit(t, "lda-raw", tableOf(t, "u,v", "mean", func(i int, r *rand.Rand) string {
		if i%9 == 0 {
			return fmt.Sprintf(",%g", r.NormFloat64())
		}
		return fmt.Sprintf("%g,%g", r.NormFloat64()+float64(i%2), r.NormFloat64())
	}))
	g = testkit.Must(build(numbers, &ExportOptions{}))(t)
	if err := g.check(t.Context(), numbers); err != nil || g.inputs[0].name != "X" {
		t.Errorf("%v: inputs %+v", err, g.inputs)
	}
}

// The error for columns that a graph cannot read names one of them.
func TestTablesThatAreRefused(t *testing.T) {
	for header, row := range map[string]string{"when,kind": "2024-01-%02d,%c", "u,label": "%d,%c"} {
		d := tableOf(t, header, "error", func(i int, r *rand.Rand) string {
			return fmt.Sprintf(row, 1+r.IntN(28), 'a'+rune(i%3))
		})
		err := Export(t.Context(), new(bytes.Buffer), fit(t, "lda-raw", d), ExportOptions{})
		name := strings.Split(header, ",")
		if err == nil || !strings.Contains(err.Error(), name[0]) && !strings.Contains(err.Error(), name[1]) {
			t.Errorf("%s: %v", header, err)
		}
	}
}
