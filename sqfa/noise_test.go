package sqfa_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/dataset"
	"rao/gaussian"
	"rao/sqfa"
)

// The noise chosen by validation is within one standard error of the test set (0.5
// points) of the best fixed one.
func TestAutomaticNoiseOnDigits(t *testing.T) {
	train, test, labels, testLabels := digitSets(t)
	stats, err := gaussian.Estimate(train, labels, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []sqfa.Aggregation{sqfa.Mean, sqfa.Bayes} {
		opt := sqfa.Options{Filters: 9, AutoNoise: true, Aggregate: kind}
		seen := 0
		opt.Progress = func(e rao.Event) {
			if e.Stage == "noise" {
				seen++
			}
		}
		m, err := sqfa.Fit(context.Background(), sqfa.Rows{X: train, Labels: labels}, opt)
		if err != nil {
			t.Fatal(err)
		}
		if seen == 0 || len(m.NoiseGrid) < 3 || m.Validate() != nil {
			t.Errorf("%v: %d events, grid %v, %v", kind, seen, m.NoiseGrid, m.Validate())
		}
		chosen, best := qdaAccuracy(t, m, stats, test, testLabels), 0.0
		variance := stats.GlobalScale() * stats.GlobalScale()
		for e := -6.0; e <= 1; e++ {
			noise := variance * math.Pow(10, e)
			one, err := sqfa.Fit(context.Background(), stats, sqfa.Options{Filters: 9, Noise: noise, Aggregate: kind})
			if one == nil { // it need not converge
				t.Fatal(err)
			}
			best = math.Max(best, qdaAccuracy(t, one, stats, test, testLabels))
		}
		if chosen < best-0.005 {
			t.Errorf("%v: noise %g gives accuracy %.4f, the best fixed one %.4f", kind, m.Noise, chosen, best)
		}
		if kind == sqfa.Bayes {
			continue
		}
		opt.Progress = nil
		again, err := sqfa.Fit(context.Background(), sqfa.Rows{X: train, Labels: labels}, opt)
		if err != nil || again.Noise != m.Noise || !mat.Equal(again.Filters, m.Filters) {
			t.Errorf("%v: a second run differs: %v", kind, err)
		}
		alone, err := sqfa.Fit(context.Background(), stats, opt)
		if err != nil {
			t.Fatal(err)
		}
		if a := qdaAccuracy(t, alone, stats, test, testLabels); a < best-0.02 || len(alone.NoiseGrid) == 0 {
			t.Errorf("%v from statistics alone: noise %g gives accuracy %.4f, the best fixed one %.4f",
				kind, alone.Noise, a, best)
		}
	}
}

// Validation reads rows alike however they are stored.
func TestAutomaticNoiseReadsEveryStorage(t *testing.T) {
	const rows, n = 120, 5
	rng := rand.New(rand.NewPCG(1, 2))
	x, labels := mat.NewDense(rows, n, nil), make([]int, rows)
	single := make([]float32, rows*n)
	for i := range rows {
		labels[i] = i % 3
		for j := range n {
			v := float32(rng.NormFloat64() * (1 + float64(labels[i]*j)))
			x.Set(i, j, float64(v))
			single[i*n+j] = v
		}
	}
	var first *sqfa.Model
	for _, in := range []mat.Matrix{x, x.T().T(), dataset.NewTable64(rows, n, x.RawMatrix().Data),
		dataset.NewTable32(rows, n, single),
		mat.DenseCopyOf(x.T()).T()} {
		m, err := sqfa.Fit(context.Background(), sqfa.Rows{X: in, Labels: labels},
			sqfa.Options{Filters: 2, AutoNoise: true, Folds: 3, Seed: 4})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = m
		}
		if math.Abs(m.Noise-first.Noise) > 1e-6*first.Noise || !mat.EqualApprox(m.Filters, first.Filters, 1e-3) {
			t.Errorf("%T: noise %g, want %g", in, m.Noise, first.Noise)
		}
	}
}
