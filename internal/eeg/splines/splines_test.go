package splines

import (
	"math"
	"testing"

	"rao/internal/testkit"
)

func TestEqualPositionsShareTheirWeight(t *testing.T) {
	from := [][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}, {1, 0, 0}}
	w := testkit.Must(Weights(from, [][3]float64{{0.6, 0.8, 0}}))(t)
	if a, b := w.At(0, 0), w.At(0, 5); !(a > 0.1) || math.Abs(a-b) > 1e-6 {
		t.Errorf("equal positions have the weights %g and %g, want equal positive weights", a, b)
	}
}
