package modelinfo

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/evaluate"
	"rao/feature"
	"rao/internal/classifiers"
	"rao/internal/linalg/vec"
	"rao/internal/testkit"
	"rao/model"
	"rao/spd"
	"rao/synth"
)

var ctx = context.Background()

// The description of a model uses the same names everywhere, and its number of features is the length of what Transform
// returns.
func TestDescriptionOfModels(t *testing.T) {
	d := testkit.Must(synth.Generate("toy1", synth.GenerateOptions{PerClass: 60, Seed: 3}))(t)
	z := d.X.Dense().Slice(0, d.N(), 0, 2)
	filters := &feature.Model{Method: "pca", Filters: mat.NewDense(6, 2, make([]float64, 12))}
	filters.Filters.Set(0, 0, 1)
	filters.Filters.Set(1, 1, 1)
	vectors := &model.Model{Method: "sqfa", Options: []evaluate.Setting{{Name: "filters", Value: "2"}},
		Classes: d.Classes, Input: model.Schema{Kind: model.KindVectors, Dim: 6,
			Image: [3]int{2, 3, 1}},
		Stages:     []model.Stage{&model.Scaling{Scale: []float64{2}}, model.Wrap(filters)},
		Classifier: testkit.Must(classify.FitKNN(z, d.Labels, d.Classes, classify.KNNOptions{}))(t), RejectBelow: 0.4}
	x, labels := spd.NewStack(9, 3), make([]int, 9)
	for k := range x.Count {
		labels[k] = k % 3
		copy(x.At(k), vec.Identity(3))
		x.At(k)[4*labels[k]] += float64(1 + k)
	}
	names := []string{"a", "b", "c"}
	channels := model.Schema{Kind: model.KindMatrices, Dim: 3, Channels: []string{"C3", "Cz", "C4"}}
	matrices := &model.Model{Method: "mdm", Classes: names, Input: channels,
		Classifier: testkit.Must(classify.FitMDM(ctx, x, labels, names, classify.MDMOptions{}))(t)}
	inside := &model.Model{Method: "tslda", Classes: names, Input: channels,
		Classifier: testkit.Must(classifiers.FitTangentLDA(ctx, x, labels, names, classifiers.TangentLDAOptions{}))(t)}
	for _, c := range []struct {
		m        *model.Model
		b        model.Batch
		features int
		want     string
	}{
		{vectors, model.BatchOf(d), 2,
			`{"method":"sqfa","options":{"filters":"2"},"classes":["a","b","c"],"kind":"vectors","dim":6,` +
				`"image":[2,3,1],` +
				`"stages":[{"kind":"scaling","input":"6 values","output":"6 values","detail":"all by 2"},` +
				`{"kind":"feature","input":"6 values","output":"2 values"}],` +
				`"classifier":{"kind":"knn","input":"2 values","output":"3 classes"},"features":2,"reject_below":0.4`},
		{matrices, model.Matrices(x), 0, `{"method":"mdm","options":{},"classes":["a","b","c"],"kind":"matrices",` +
			`"dim":3,"channels":["C3","Cz","C4"],"stages":[],` +
			`"classifier":{"kind":"mdm","input":"3×3","output":"3 classes"}`},
		{inside, model.Matrices(x), vec.PackedLen(3),
			`{"method":"tslda","options":{},"classes":["a","b","c"],"kind":"matrices","dim":3,` +
				`"channels":["C3","Cz","C4"],"stages":[],` +
				`"classifier":{"kind":"tslda","input":"3×3","output":"3 classes"},"features":6`},
	} {
		testkit.NoError(t, c.m.Validate())
		got := testkit.Must(json.Marshal(Describe(c.m)))(t)
		if len(got) < len(c.want) || string(got[:len(c.want)]) != c.want {
			t.Errorf("%s says\n%s\nwant it to begin with\n%s", c.m.Method, got, c.want)
		}
		testkit.Equal(t, c.m.Features(), c.features, c.m.Method, "has features")
		if c.features == 0 {
			continue
		}
		z := testkit.Must(c.m.Transform(ctx, c.b))(t)
		testkit.Equal(t, z.Dim(), c.features, c.m.Method, "gives features of length")
	}
	text := fmt.Sprintln(Describe(vectors).Stages[0])
	testkit.Equal(t, text, "scaling (all by 2): 6 values → 6 values\n", "in words")
	vectors.Labels = "int8"
	testkit.Equal(t, Describe(vectors).Labels, "int8", "type of the labels")
	for _, how := range []model.Adapt{"center", "smooth", "balanced", "causal", "bias"} {
		matrices.Stages = []model.Stage{&model.Adaptation{How: how, Mean: x.Sym(0)}}
		if d := Describe(matrices).Stages[0].Detail; !strings.HasPrefix(d, string(how)+", ") {
			t.Errorf("%s is described as %q", how, d)
		}
	}
}
