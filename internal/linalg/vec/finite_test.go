package vec

import (
	"math"
	"testing"

	"rao/internal/testkit"
)

func TestNotFiniteFindsTheFirst(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		x    []float64
		want int
	}{{nil, -1}, {[]float64{0, math.MaxFloat64, -5}, -1}, {[]float64{1, nan, inf}, 1}, {[]float64{-inf}, 0},
		{[]float64{1, 2, inf}, 2}} {
		testkit.Equal(t, NotFinite(c.x), c.want, c.x)
	}
}

func TestLogSumExp(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		x    []float64
		want float64
	}{{nil, -inf}, {[]float64{-inf, -inf}, -inf}, {[]float64{-1000, -1000}, -1000 + math.Ln2},
		{[]float64{800, 800}, 800 + math.Ln2},
		{[]float64{math.Log(3), -inf, math.Log(4)}, math.Log(7)}} {
		if got := LogSumExp(c.x); got != c.want && !(math.Abs(got-c.want) < 1e-12) {
			t.Errorf("%v: %v, want %v", c.x, got, c.want)
		}
	}
	if got := LogSumExp([]float64{1, math.NaN()}); !math.IsNaN(got) {
		t.Errorf("with NaN: %v", got)
	}
}

// LogAdd agrees with LogSumExp, also with a sum of zero as a term and far from the range of exp.
func TestLogAdd(t *testing.T) {
	for _, x := range [][]float64{{1, 2}, {2, 1}, {-800, -801}, {900, 3}, {math.Inf(-1), 5}, {5, math.Inf(-1)}} {
		testkit.Near(t, LogAdd(x[0], x[1]), LogSumExp(x), 1e-15*math.Max(1, math.Abs(LogSumExp(x))), x)
	}
	testkit.Equal(t, LogAdd(math.Inf(-1), math.Inf(-1)), math.Inf(-1), "nothing")
}
