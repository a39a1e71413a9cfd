package scoring

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/testkit"
)

// Among all thresholds that give different decisions, none is better by the measures that a Measurer computes.
func TestThreshold(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const n = 300
	truth, logp := make([]int, n), mat.NewDense(n, 2, nil)
	for i := range n {
		p := math.Round(100*r.Float64()*r.Float64()) / 100 // with ties
		if r.Float64() < p/2 {
			truth[i] = 1
		}
		logp.SetRow(i, []float64{math.Log(1 - p), math.Log(p)})
	}
	measured := func(threshold float64, rule string) float64 {
		m := testkit.Must(NewMeasurer(2, MeasureOptions{Threshold: threshold}))(t)
		testkit.NoError(t, m.Add(truth, logp, nil))
		if rule == "cost:5" {
			c := m.Decided().Confusion
			return -float64(5*c[1][0]+c[0][1]) / n
		}
		for _, v := range m.Measures() {
			if v.Name == rule {
				return v.Value
			}
		}
		t.Fatalf("no measure %s", rule)
		return 0
	}
	for _, rule := range []string{"accuracy", "balanced_accuracy", "kappa", "f1", "cost:5"} {
		threshold, value := testkit.Must2(Threshold(truth, logp, nil, rule))(t)
		testkit.Near(t, measured(threshold, rule), value, 1e-12, rule, "at", threshold)
		for k := range 100 {
			if got := measured(float64(k)/100+0.005, rule); got > value+1e-12 {
				t.Errorf("%s: %v at %v, but %v at %v", rule, value, threshold, got, float64(k)/100+0.005)
			}
		}
	}
	if low, _, _ := Threshold(truth, logp, nil, "cost:5"); low >= 0.5 {
		t.Errorf("costly misses decide from %v on", low)
	}
	for _, c := range []struct {
		truth []int
		rule  string
	}{{make([]int, n), "f1"}, {truth, "precision"}, {truth, "cost:-1"}, {truth, "cost:x"}} {
		if _, _, err := Threshold(c.truth, logp, nil, c.rule); err == nil {
			t.Errorf("%s was accepted", c.rule)
		}
	}
	if _, _, err := Threshold([]int{0}, mat.NewDense(1, 3, nil), nil, "f1"); err == nil {
		t.Error("three classes were accepted")
	}
}
