package model_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/gaussian"
	"rao/internal/classstats"
	"rao/internal/testkit"
	"rao/internal/trainingdata"
	"rao/model"
)

// driftModel returns a linear discriminant of two columns, and a function that returns rows like its training data.
func driftModel(t *testing.T) (*model.Model, func(n int, move float64) *mat.Dense) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func(n int, move float64) *mat.Dense {
		x := mat.NewDense(n, 2, nil)
		for i := range n {
			x.SetRow(i, []float64{5 + 4*float64(i%2) + rng.NormFloat64(), move + rng.NormFloat64()})
		}
		return x
	}
	const n = 400
	x, labels := draw(n, 0), testkit.Alternate(n, 2)
	stats := testkit.Must(gaussian.Estimate(x, labels, []string{"low", "high"}))(t)
	lda := testkit.Must(classify.FitLDA(stats, classify.LDAOptions{}))(t)
	marginals := classstats.Marginals(stats)
	return &model.Model{Method: "lda-raw", Classes: lda.Classes, Input: model.Schema{Kind: model.KindVectors, Dim: 2},
		Stages: []model.Stage{&model.Scaling{Scale: []float64{1}}}, Classifier: lda,
		Training: trainingdata.OfVectors(marginals, marginals)}, draw
}

// A watch with a memory forgets old observations, and a watch without a memory forgets nothing. If the model is
// updated, the watch continues, or starts again if the number of classes has changed.
func TestDriftWatchForgets(t *testing.T) {
	m, draw := driftModel(t)
	for _, memory := range []int{0, 100} {
		w := testkit.Must(m.WatchDrift(memory))(t)
		for k := range 20 {
			testkit.Must(w.Predict(t.Context(), model.Vectors(draw(100, float64(k/10)))))(t)
		}
		next := *m
		w = w.Of(&next)
		d := w.Drift()
		want, n := 0.5, 2000
		if memory > 0 {
			want, n = 1, 158 // 100 / (1 - 1/e)
		}
		if math.Abs(d.Values[1].Shift-want) > 0.15 || d.N != n || d.Values[1].N != n {
			t.Errorf("memory %d: shift %.3f, want %g; %d observations, want %d", memory, d.Values[1].Shift, want,
				d.N, n)
		}
		next.Classes = []string{"low", "middle", "high"}
		testkit.Equal(t, w.Of(&next).Drift().N, 0, "observations after a model with more classes")
	}
}

// A decoder adds each observation to its watch.
func TestDriftOfDecoder(t *testing.T) {
	m, draw := driftModel(t)
	var d [2]*model.Drift
	x := draw(50, 3)
	for i := range d {
		w, err := m.WatchDrift(0)
		testkit.NoError(t, err)
		if i == 0 {
			err = w.Add(t.Context(), model.Vectors(x))
		} else {
			dec := testkit.Must(model.NewDecoder(m, model.DecoderOptions{Watch: w}))(t)
			for k := range 50 {
				if _, err = dec.Observe(x.RawRowView(k)); err != nil {
					break
				}
			}
		}
		testkit.NoError(t, err)
		d[i] = w.Drift()
	}
	if d[0].N != 50 || d[1].N != 50 || d[0].Balance != d[1].Balance || d[0].Outliers != d[1].Outliers {
		t.Errorf("%+v and %+v", d[0], d[1])
	}
	for j, c := range d[0].Values {
		testkit.Near(t, c.Shift, d[1].Values[j].Shift, 1e-12, "column", j)
	}
}
