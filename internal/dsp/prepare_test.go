package dsp

import (
	"math"
	"slices"
	"testing"

	"rao/internal/testkit"
)

// Notches and resampling agree with scipy 1.17 (see testdata/prepare.py).
func TestNotchAndResamplingAgreeWithScipy(t *testing.T) {
	var gold struct {
		X     []float64
		Notch []struct {
			Rate         float64
			Hz           []float64
			Zero, Causal []float64
		}
		Resample []struct {
			Rates        [2]float64
			Zero, Causal []float64
		}
	}
	testkit.ReadJSON(t, "testdata/prepare.json", &gold)
	for _, n := range gold.Notch {
		f := testkit.Must(Notch(n.Rate, n.Hz...))(t)
		y := make([]float64, len(gold.X))
		testkit.NoError(t, f.ZeroPhase(y, gold.X, 2))
		testkit.Close(t, "zero-phase notch", y, n.Zero, 1e-10)
		s := f.NewState(2)
		s.Settle(gold.X[:2])
		s.Process(y, gold.X)
		testkit.Close(t, "causal notch", y, n.Causal, 1e-10)
	}
	for _, n := range gold.Resample {
		r := testkit.Must(NewResampler(n.Rates[0], n.Rates[1]))(t)
		testkit.Close(t, "resampled", r.ZeroPhase(gold.X, 2), n.Zero, 1e-10)
		testkit.Close(t, "resampled causally", r.Causal(gold.X, 2), n.Causal, 1e-10)
	}
}

// Resampling does not change a sine below half of both rates. The causal filter delays it by half its length.
func TestResamplingKeepsASine(t *testing.T) {
	r := testkit.Must(NewResampler(500, 200))(t)
	x := make([]float64, 1000)
	for k := range x {
		x[k] = math.Sin(2 * math.Pi * 7 * float64(k) / 500)
	}
	late := float64(r.half) / float64(500*r.Up)
	zero, causal := r.ZeroPhase(x, 1), r.Causal(x, 1)
	for k := 100; k < 300; k++ {
		now := float64(k) / 200
		if d := zero[k] - math.Sin(2*math.Pi*7*now); math.Abs(d) > 2e-3 {
			t.Fatalf("sample %d is off by %g", k, d)
		}
		if d := causal[k] - math.Sin(2*math.Pi*7*(now-late)); math.Abs(d) > 2e-3 {
			t.Fatalf("causal sample %d is off by %g", k, d)
		}
	}
}

func TestResamplingRefuses(t *testing.T) {
	for _, c := range [][2]float64{{0, 1}, {1, -1}, {250, math.Inf(1)}, {250, math.NaN()}, {250, 250 / math.Pi},
		{1, 5000}} {
		testkit.Fails(t, testkit.ErrorOf(NewResampler(c[0], c[1])), c, "is taken")
	}
	testkit.ErrorContains(t, testkit.ErrorOf(Notch(100, 50)), "half the sampling rate of 100 Hz")
	if r, err := NewResampler(512, 128); err != nil || r.Len(9) != 3 ||
		!slices.Equal([]int{r.Up, r.Down}, []int{1, 4}) {
		t.Error(r, err)
	}
}
