package sqfa

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/internal/heldout"
	"rao/internal/testkit"
)

// Noises are compared by the classifier that will be fitted: with a regularization, its covariances are regularized,
// and OAS is not an alternative, even though a class has few rows.
func TestNoiseIsScoredByTheRegularizedClassifier(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	x, labels := mat.NewDense(36, 4, nil), make([]int, 36)
	for i := range labels {
		labels[i] = i % 2
		for j := range 4 {
			x.Set(i, j, rng.NormFloat64()*float64(1+2*labels[i]*(j%2)))
		}
	}
	opt := testkit.Must(Options{Filters: 2, Noise: AutoNoise, Folds: 3, RegParam: 0.3}.plan(2, 4))(t)
	f := testkit.Must(Rows{X: x, Labels: labels}.folds(opt.Options))(t)
	paths := testkit.Must(f.paths(opt, testkit.Must(newStartBasis(f.All, 2))(t)))(t)
	filters := mat.NewDense(4, 2, []float64{1, 0, 0, 1, 0.5, 0, 0, 0.5})
	for k, p := range paths {
		got := testkit.Must(f.scoreRows(p, filters, 0.1, opt, f.Held[k]))(t)
		if got[1] != nil {
			t.Error("scores with OAS, which a classifier with a regularization does not use")
		}
		q := testkit.Must(classify.FitQDA(p.plain.Project(filters), classify.QDAOptions{RegParam: 0.3}))(t)
		held := mat.NewDense(len(f.Held[k]), 4, nil)
		for i, row := range f.Held[k] {
			held.SetRow(i, x.RawRowView(row))
		}
		var z, want mat.Dense
		z.Mul(held, filters)
		testkit.NoError(t, q.LogPosterior(t.Context(), &want, &z))
		for i := range f.Held[k] {
			heldout.FromTop(want.RawRowView(i))
		}
		testkit.Close(t, "scores", got[0].RawMatrix().Data, want.RawMatrix().Data, 1e-12)
	}
}
