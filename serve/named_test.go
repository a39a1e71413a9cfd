package serve

import (
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/gaussian"
	"rao/internal/testkit"
	"rao/model"
)

// Named columns in another order are matched by name. If the model does not name its columns, named columns are
// rejected, in every form of a request. The error names them.
func TestNamedColumns(t *testing.T) {
	x := mat.NewDense(6, 2, []float64{0, 10, 0.5, 9, 1, 10.5, 10, 0, 9, 0.5, 10, 1})
	stats := testkit.Must(gaussian.Estimate(x, []int{0, 0, 0, 1, 1, 1}, []string{"wide", "high"}))(t)
	lda := testkit.Must(classify.FitLDA(stats, classify.LDAOptions{}))(t)
	m := &model.Model{Method: "lda-raw", Classes: lda.Classes, Classifier: lda, Input: model.Schema{
		Kind: model.KindVectors, Dim: 2, Columns: []string{"height", "width"}}}
	e := entryFor(t, m)
	tensors := func(names ...string) []tensor {
		var list []tensor
		for i, n := range names {
			list = append(list, tensor{Name: n, Datatype: "FP64", Shape: []int{1}, Data: []float64{10 - 10*float64(i)}})
		}
		return list
	}
	forms := map[string]func() (model.Batch, error){
		"tensors": func() (model.Batch, error) { return e.batchOf(tensors("width", "height"), nil) },
		"rows": func() (model.Batch, error) {
			return e.fromJSON([]byte(`{"rows":[{"width":10,"height":0}]}`), 100, nil, nil)
		},
		"columns": func() (model.Batch, error) {
			return e.fromJSON([]byte(`{"columns":["width","height"],"data":[[10,0]]}`), 100, nil, nil)
		},
		"csv": func() (model.Batch, error) { return e.fromTable([]byte("width,height\n10,0\n"), 100, nil) },
	}
	for name, form := range forms {
		b := testkit.Must(form())(t, name)
		testkit.Equal(t, testkit.Must(e.model.Predict(t.Context(), b))(t).Label[0], 0, name)
	}
	m.Input.Columns = nil
	e = entryFor(t, m)
	for name, form := range forms {
		testkit.ErrorContains(t, testkit.ErrorOf(form()), "width, height", name, "of a model without names")
	}
}

// entryFor serves a model.
func entryFor(t *testing.T, m *model.Model) *entry {
	t.Helper()
	dir := t.TempDir()
	testkit.NoError(t, m.Save(filepath.Join(dir, "where.rao")))
	repo := testkit.Must(Open([]string{dir}, OpenOptions{}))(t)
	return testkit.Must(repo.find("where", ""))(t)
}
