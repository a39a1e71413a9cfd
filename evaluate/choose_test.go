package evaluate

import "testing"

func TestOneStandardErrorTakesTheLeastCloseThatIsAsGood(t *testing.T) {
	hard := []float64{3, 0.1, 2.5, 0.2, 3.2, 0.1, 2.8, 0.3} // what all candidates meet
	shifted := func(by ...float64) []float64 {
		out := make([]float64, len(hard))
		for i := range out {
			out[i] = hard[i] + by[i%len(by)]
		}
		return out
	}
	for _, c := range []struct {
		name   string
		losses [][]float64
		want   int
	}{
		{"one candidate", [][]float64{hard}, 0},
		{"a difference within its noise", [][]float64{hard, shifted(0.3, -0.2)}, 1},
		{"the same difference on every observation", [][]float64{hard, shifted(0.02)}, 0},
		{"closer fits do not count", [][]float64{shifted(0.3, -0.2), hard}, 1},
		{"a bad one between two good ones", [][]float64{hard, shifted(1), shifted(0.3, -0.2)}, 2},
		{"equal candidates", [][]float64{hard, hard, hard}, 2},
	} {
		if got := OneStandardError(c.losses); got != c.want {
			t.Errorf("%s: candidate %d, want %d", c.name, got, c.want)
		}
	}
}

func TestOneStandardErrorPanicsOnRaggedLosses(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	OneStandardError([][]float64{{1, 2}, {1}})
}
