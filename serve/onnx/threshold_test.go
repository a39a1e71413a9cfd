package onnx

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/testkit"
	"rao/model"
)

// The graph decides by the threshold of the model.
func TestThreshold(t *testing.T) {
	d := vectors()
	d.Labels, d.Classes = slices.Clone(d.Labels), []string{"ant", "bee"}
	for i := range d.Labels {
		d.Labels[i] %= 2
	}
	m := fit(t, "lda-raw", d)
	shifted := testkit.Must(m.WithThreshold(0.01))(t)
	x := mat.NewDense(150, 6, nil)
	for i := range 150 {
		d.X.Row(x.RawRowView(i), i)
	}
	differ := 0
	labels := map[*model.Model][]string{}
	for _, m := range []*model.Model{m, shifted} {
		g := testkit.Must(build(m, &ExportOptions{}))(t)
		out := testkit.Must(g.run(map[string]*tensor{"X": {shape: []int{150, 6}, values: x.RawMatrix().Data}}))(t)
		labels[m] = out["label"].texts
		p := testkit.Must(m.Predict(t.Context(), model.Vectors(x)))(t)
		for i, l := range p.Label {
			testkit.Equal(t, labels[m][i], m.Classes[l], "threshold", m.Threshold, "row", i)
		}
	}
	for i, l := range labels[m] {
		if l != labels[shifted][i] {
			differ++
		}
	}
	if differ == 0 {
		t.Error("the threshold changes nothing")
	}
}
