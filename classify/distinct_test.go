package classify

import (
	"context"
	"math"
	"testing"

	"rao/internal/testkit"
	"rao/spd"
)

// The class distinctiveness of two and of three classes agrees with pyRiemann 0.12 (testdata/distinct.py). Its means
// stop at a residual of 1e-8, ours at 1e-9.
func TestDistinctivenessAgreesWithPyRiemann(t *testing.T) {
	var gold struct {
		X                          []float64
		Y                          []int
		Riemann, LogEuclid, Euclid []float64
	}
	testkit.ReadJSON(t, "testdata/distinct.json", &gold)
	x := spd.StackOf(len(gold.Y), 3, gold.X)
	var two, labels []int
	for i, l := range gold.Y {
		if l != 1 {
			two, labels = append(two, i), append(labels, l) // 0 and 2
		}
	}
	for metric, want := range map[spd.Metric][]float64{spd.Riemann: gold.Riemann, spd.LogEuclid: gold.LogEuclid,
		spd.Euclid: gold.Euclid} {
		of2 := testkit.Must(Distinctiveness(context.Background(), x.Select(two), labels, metric))(t)
		of3 := testkit.Must(Distinctiveness(context.Background(), x, gold.Y, metric))(t)
		if math.Abs(of2-want[0]) > 1e-7 || math.Abs(of3-want[1]) > 1e-7 {
			t.Errorf("%s: %v of two classes, %v of three, want %v", metric, of2, of3, want)
		}
	}
}

func TestDistinctivenessRefuses(t *testing.T) {
	x := spd.StackOf(2, 2, []float64{1, 0, 0, 1, 1, 2, 2, 1})
	if d, err := Distinctiveness(context.Background(), x, []int{0, 1}, spd.Riemann); err == nil {
		t.Errorf("%v of a matrix that is not positive definite", d)
	}
}
