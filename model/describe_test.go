package model

import (
	"encoding/json"
	"testing"

	"rao/internal/classifiers"
	"rao/internal/linalg/vec"
	"rao/internal/testkit"
)

// The description of a model uses the same names everywhere, and its number of features is the length of what Transform
// returns.
func TestDescriptionOfModels(t *testing.T) {
	vectors, d := vectorModel(t)
	matrices, x := matrixModel(t)
	labels := make([]int, x.Count)
	for k := range labels {
		labels[k] = k % 3
	}
	tangent := testkit.Must(classifiers.FitTangentLDA(ctx, x, labels, matrices.Classes,
		classifiers.TangentLDAOptions{}))(t)
	inside := &Model{Method: "tslda", Classes: matrices.Classes, Input: matrices.Input, Classifier: tangent}
	for _, c := range []struct {
		m        *Model
		b        Batch
		features int
		want     string
	}{
		{vectors, BatchOf(d), 2,
			`{"method":"sqfa","options":{"filters":"2"},"classes":["a","b","c"],"kind":"vectors","dim":6,` +
				`"stages":[{"kind":"scaling","input":"6 values","output":"6 values","detail":"all by 2"},` +
				`{"kind":"feature","input":"6 values","output":"2 values"}],` +
				`"classifier":{"kind":"qda","input":"2 values","output":"3 classes"},"features":2,"reject_below":0.4`},
		{matrices, Matrices(x), 0, `{"method":"plrsq","options":{},"classes":["a","b","c"],"kind":"matrices","dim":3,` +
			`"channels":["C3","Cz","C4"],"stages":[],"classifier":{"kind":"plrsq","input":"3×3","output":"3 classes"}`},
		{inside, Matrices(x), vec.PackedLen(3),
			`{"method":"tslda","options":{},"classes":["a","b","c"],"kind":"matrices","dim":3,` +
				`"channels":["C3","Cz","C4"],"stages":[],` +
				`"classifier":{"kind":"tslda","input":"3×3","output":"3 classes"},"features":6`},
	} {
		got := testkit.Must(json.Marshal(Describe(c.m)))(t)
		if len(got) < len(c.want) || string(got[:len(c.want)]) != c.want {
			t.Errorf("%s says\n%s\nwant it to begin with\n%s", c.m.Method, got, c.want)
		}
		if c.features == 0 {
			continue
		}
		z := testkit.Must(c.m.Transform(ctx, c.b))(t)
		testkit.Equal(t, z.Dim(), c.features, c.m.Method, "gives features of length")
	}
}
