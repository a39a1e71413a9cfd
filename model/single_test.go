package model

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/feature"
	"rao/gaussian"
	"rao/internal/testkit"
)

// filtersModel returns a model of 40 columns: a scaling, four filters and the quadratic discriminant.
func filtersModel(t testing.TB) (*Model, *mat.Dense) {
	t.Helper()
	const n, dim = 300, 40
	r := rand.New(rand.NewPCG(4, 4))
	x, labels := mat.NewDense(n, dim, nil), make([]int, n)
	for i := range n {
		labels[i] = i % 3
		for j := range dim {
			x.Set(i, j, r.NormFloat64()*float64(1+(labels[i]+j)%3))
		}
	}
	scaling := testkit.Must(FitScaling(x))(t)
	z := mat.DenseCopyOf(x)
	scaling.InPlace(z)
	classes := []string{"a", "b", "c"}
	stats := testkit.Must(gaussian.Estimate(z, labels, classes))(t)
	filters := testkit.Must(feature.FitPCA(stats, feature.PCAOptions{Filters: 4}))(t)
	qda := testkit.Must(classify.FitQDA(filters.Statistics(stats), classify.QDAOptions{}))(t)
	m := testkit.Must(New(Schema{Kind: KindVectors, Dim: dim}, classes, qda, scaling, Wrap(filters)))(t)
	return m, x
}

// A decision on one vector allocates nothing, and a prediction allocates only its result. Both agree bit for bit with
// the prediction of many rows.
func TestVectorDecisionsDoNotAllocate(t *testing.T) {
	if testkit.Race {
		t.Skip("the race detector empties pools")
	}
	m, x := filtersModel(t)
	d := testkit.Must(NewDecoder(m, DecoderOptions{}))(t)
	want := testkit.Must(m.Predict(context.Background(), Vectors(x)))(t)
	for i := range 20 {
		got, err := d.Observe(x.RawRowView(i))
		if err != nil || got.Label != want.Label[i] || got.LogPosterior[0] != want.LogPosterior.At(i, 0) {
			t.Fatalf("row %d: %+v, %v", i, got, err)
		}
	}
	row := x.RawRowView(7)
	if got := testing.AllocsPerRun(100, func() {
		testkit.Must(d.Observe(row))(t)
	}); got > 0 {
		t.Errorf("Observe allocates %v times per decision", got)
	}
	one, dst := Vectors(x.Slice(7, 8, 0, 40)), new(mat.Dense)
	p := Prediction{LogPosterior: dst}
	if got := testing.AllocsPerRun(100, func() {
		testkit.NoError(t, m.PredictInto(context.Background(), &p, one))
	}); got > 0 {
		t.Errorf("PredictInto allocates %v times per vector", got)
	}
	if dst.At(0, 0) != want.LogPosterior.At(7, 0) || dst.At(0, 2) != want.LogPosterior.At(7, 2) {
		t.Errorf("PredictInto: %v, want %v", mat.Formatted(dst), want.LogPosterior.RawRowView(7))
	}
	if got := testing.AllocsPerRun(100, func() {
		testkit.Must(m.PosteriorInto(context.Background(), dst, one))(t)
	}); got > 0 {
		t.Errorf("PosteriorInto allocates %v times per vector", got)
	}
}

// PredictInto gives the results of Predict in the memory of an earlier prediction of any size.
func TestPredictIntoReusesMemory(t *testing.T) {
	m, x := filtersModel(t)
	var p Prediction
	for _, n := range []int{20, 1, 7, 300, 3} {
		b := Vectors(x.Slice(0, n, 0, 40))
		want, err := m.Predict(context.Background(), b)
		if got := m.PredictInto(context.Background(), &p, b); got != nil || err != nil {
			t.Fatalf("%d rows: %v, %v", n, got, err)
		}
		if !slices.Equal(p.Label, want.Label) || !slices.Equal(p.Rejected, want.Rejected) ||
			!slices.Equal(p.Outlier, want.Outlier) || !mat.Equal(p.LogPosterior, want.LogPosterior) {
			t.Errorf("%d rows: %+v, want %+v", n, p, want)
		}
	}
}

func BenchmarkVectorDecision(b *testing.B) {
	m, x := filtersModel(b)
	d := testkit.Must(NewDecoder(m, DecoderOptions{}))(b)
	b.ReportAllocs()
	for b.Loop() {
		testkit.Must(d.Observe(x.RawRowView(7)))(b)
	}
}
