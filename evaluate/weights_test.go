package evaluate

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/scoring"
	"rao/internal/testkit"
)

// Scores, measures and thresholds of weighted observations equal those of repeated observations.
func TestWeightedScoresAreThoseOfRepeatedObservations(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	var truth, again []int
	var weights, p, q []float64
	for range 300 {
		k, w := rng.IntN(2), rng.IntN(4)
		s := math.Round(20*(rng.Float64()+0.4*float64(k)))/30 + 0.01 // with ties
		row := []float64{math.Log(1 - s), math.Log(s)}
		truth, weights, p = append(truth, k), append(weights, float64(w)), append(p, row...)
		for range w {
			again, q = append(again, k), append(q, row...)
		}
	}
	a := testkit.Must(Score(truth, mat.NewDense(len(truth), 2, p), weights...))(t)
	b := testkit.Must(Score(again, mat.NewDense(len(again), 2, q)))(t)
	for name, v := range map[string][2]float64{"accuracy": {a.Accuracy, b.Accuracy}, "kappa": {a.Kappa, b.Kappa},
		"balanced": {a.BalancedAccuracy, b.BalancedAccuracy}, "loss": {a.LogLoss, b.LogLoss}, "ECE": {a.ECE, b.ECE},
		"count": {a.Weight, float64(b.N)}, "confusion": {a.Weighted[1][0], float64(b.Confusion[1][0])}} {
		testkit.Near(t, v[0], v[1], 1e-12*math.Max(1, v[1]), name)
	}
	x := testkit.Must(a.Measures(MeasureOptions{Threshold: 0.4, Resamples: 20}))(t)
	y, err := b.Measures(MeasureOptions{Threshold: 0.4})
	if err != nil || len(x) != len(y) {
		t.Fatal(err, x, y)
	}
	for i := range x {
		if math.Abs(x[i].Value-y[i].Value) > 1e-12 || x[i].Interval == nil {
			t.Errorf("%+v, want %+v", x[i], y[i])
		}
	}
	for _, rule := range []string{"f1", "kappa", "accuracy", "cost:3"} {
		at, v, err := scoring.Threshold(truth, mat.NewDense(len(truth), 2, p), weights, rule)
		want, w, e := scoring.Threshold(again, mat.NewDense(len(again), 2, q), nil, rule)
		if err != nil || e != nil || at != want || math.Abs(v-w) > 1e-12 {
			t.Errorf("%s: threshold %v and %v, want %v and %v (%v, %v)", rule, at, v, want, w, err, e)
		}
	}
}
