package sqfa_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/heldout"
	"rao/internal/testkit"
	"rao/sqfa"
)

// Folds that are scaled after their pass over the rows give the fit of scaled rows, and their total equals the
// statistics of all rows.
func TestFoldsAreScaledAfterTheirPass(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	const rows, n = 400, 6
	shift, scale := make([]float64, n), make([]float64, n)
	for j := range shift {
		shift[j], scale[j] = rng.NormFloat64(), 0.5+rng.Float64()
	}
	x, scaled, labels := mat.NewDense(rows, n, nil), mat.NewDense(rows, n, nil), make([]int, rows)
	for i := range rows {
		labels[i] = i % 3
		for j := range n {
			v := rng.NormFloat64()*(1+float64(labels[i]*j)/4) + float64(labels[i]*(j%2))
			x.Set(i, j, v)
			scaled.Set(i, j, (v-shift[j])*scale[j])
		}
	}
	opt := sqfa.Options{Filters: 2, Noise: sqfa.AutoNoise, Folds: 3, Seed: 5}
	want := testkit.Must(sqfa.Fit(context.Background(), sqfa.Rows{X: scaled, Labels: labels}, opt))(t)
	folds := testkit.Must(sqfa.Rows{X: x, Labels: labels}.Deal(opt))(t)
	whole := testkit.Must(gaussian.Estimate(x, labels, nil))(t)
	testkit.Close(t, "covariances", folds.All.Covariances, whole.Covariances, 5e-14)
	folds.AffineInPlace(shift, scale)
	got := testkit.Must(sqfa.Fit(context.Background(), folds, opt))(t)
	testkit.Near(t, got.Noise, want.Noise, 1e-9*want.Noise, "noise")
	var d mat.Dense
	d.Sub(got.Filters, want.Filters)
	if mat.Norm(&d, 2) > 1e-4 {
		t.Errorf("filters differ by %v", mat.Norm(&d, 2))
	}
}

// Rows that are not held out count in the total and in every training part, and the rows of a fold in all but their
// own. A fit reports how many rows it held out.
func TestSomeFoldsAreHeldOut(t *testing.T) {
	const n = 3
	for _, rows := range []int{800, 3200} {
		rng := rand.New(rand.NewPCG(8, uint64(rows)))
		x, labels := mat.NewDense(rows, n, nil), make([]int, rows)
		for i := range rows {
			labels[i] = i % 2
			for j := range n {
				x.Set(i, j, rng.NormFloat64()*float64(1+labels[i]*j))
			}
		}
		opt := sqfa.Options{Filters: 1, Noise: sqfa.AutoNoise, Seed: 3}
		folds := testkit.Must(sqfa.Rows{X: x, Labels: labels}.Deal(opt))(t)
		whole := testkit.Must(gaussian.Estimate(x, labels, nil))(t)
		testkit.NoError(t, sqfa.CheckTraining(folds, x), rows, "rows")
		testkit.Close(t, "covariances", folds.All.Covariances, whole.Covariances, 1e-11)
		m := testkit.Must(sqfa.Fit(context.Background(), folds, opt))(t)
		_, held := heldout.DealtFolds(0, rows)
		if m.NoiseRows != held*rows/5 || len(m.NoiseAccuracies) != len(m.NoiseGrid) {
			t.Errorf("%d rows held out of %d, accuracies %v of %v", m.NoiseRows, rows, m.NoiseAccuracies, m.NoiseGrid)
		}
	}
}

// Noises are validated with the shrinkage of the classifier: between classes that differ only in the directions of
// their variances, spherical covariances decide by chance.
func TestFoldsAreValidatedWithTheShrinkage(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 8))
	const rows, n = 200, 2
	x, labels := mat.NewDense(rows, n, nil), make([]int, rows)
	for i := range rows {
		labels[i] = i % 2
		for j := range n {
			x.Set(i, j, rng.NormFloat64()*float64(1+3*((labels[i]+j)%2)))
		}
	}
	best := func(rule gaussian.ShrinkRule) float64 {
		m, err := sqfa.Fit(context.Background(), sqfa.Rows{X: x, Labels: labels}, sqfa.Options{Filters: 2,
			Noise: sqfa.AutoNoise, Shrinkage: rule})
		if err != nil {
			t.Fatal(err)
		}
		return slices.Max(m.NoiseAccuracies)
	}
	plain := best(gaussian.ShrinkRule{Kind: "none"})
	round := best(gaussian.ShrinkRule{Kind: "fixed", Amount: 1})
	if plain < 0.75 || round > 0.6 {
		t.Errorf("accuracy %g without shrinkage, %g with spherical covariances", plain, round)
	}
	bad := sqfa.Options{Filters: 2, Shrinkage: gaussian.ShrinkRule{Kind: "fixed", Amount: 2}}
	if _, err := sqfa.Fit(context.Background(), sqfa.Rows{X: x, Labels: labels}, bad); err == nil {
		t.Error("no error for a shrinkage of 2")
	}
}
