package dsp

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"rao/internal/testkit"
)

type golden struct {
	X, Freq []float64
	Cases   []struct {
		Kind               string
		Rate               float64
		Edges              []float64
		Order              int
		Gain, Causal, Zero []float64
	}
}

func loadGolden(t testing.TB) golden {
	var g golden
	testkit.ReadJSON(t, "testdata/butter.json", &g)
	return g
}

// response returns the complex gain at a frequency in hertz, for the given sampling rate.
func (f *Filter) response(frequency, rate float64) complex128 {
	w := 2 * math.Pi * frequency / rate
	z1 := cmplx.Exp(complex(0, -w))
	z2 := cmplx.Exp(complex(0, -2*w))
	h := complex(1, 0)
	for _, s := range f.Sections {
		num := complex(s.B0, 0) + complex(s.B1, 0)*z1 + complex(s.B2, 0)*z2
		h *= num / (1 + complex(s.A1, 0)*z1 + complex(s.A2, 0)*z2)
	}
	return h
}

func TestAgreesWithScipy(t *testing.T) {
	g := loadGolden(t)
	kinds := map[string]Kind{"bandpass": BandPass, "lowpass": LowPass, "highpass": HighPass, "bandstop": BandStop}
	for _, c := range g.Cases {
		t.Run(c.Kind, func(t *testing.T) {
			f := testkit.Must(Butterworth(kinds[c.Kind], c.Order, c.Rate, c.Edges...))(t)
			gain := make([]float64, len(g.Freq))
			for i, v := range g.Freq {
				gain[i] = cmplx.Abs(f.response(v, c.Rate))
			}
			testkit.Close(t, "gain", gain, c.Gain, 1e-9)
			y := make([]float64, len(g.X))
			s := f.NewState(1)
			s.settled = true // at rest, as in scipy
			s.Process(y, g.X)
			testkit.Close(t, "causal", y, c.Causal, 1e-9)
			testkit.NoError(t, f.ZeroPhase(y, g.X, 1))
			testkit.Close(t, "zero phase", y, c.Zero, 1e-9)
		})
	}
}

func TestGainAtEdgesIsHalfPower(t *testing.T) {
	for order := 1; order <= MaxOrder; order++ {
		for kind, edges := range [][]float64{{4, 40}, {30}, {3}, {20, 60}} {
			f := testkit.Must(Butterworth(Kind(kind), order, 200, edges...))(t)
			for _, e := range edges {
				testkit.Near(t, cmplx.Abs(f.response(e, 200)), math.Sqrt2/2, 1e-9, Kind(kind), "order", order, "gain",
					"at", e, "Hz, want 1/√2")
			}
		}
	}
}

func noise(seed uint64, n int) []float64 {
	rng := rand.New(rand.NewPCG(seed, 0))
	x := make([]float64, n)
	for i := range x {
		x[i] = 10 + rng.NormFloat64()
	}
	return x
}

func TestStreamDoesNotDependOnTheCut(t *testing.T) {
	const channels = 3
	x := noise(1, 300*channels)
	f, _ := Butterworth(BandPass, 5, 250, 8, 30)
	whole := make([]float64, len(x))
	f.NewState(channels).Process(whole, x)
	s := f.NewState(channels)
	var got []float64
	for lo, step := 0, 1; lo < len(x); step = step*3%7 + 1 {
		hi := min(lo+step*channels, len(x))
		block := slices.Clone(x[lo:hi])
		s.Process(block, block)
		got = append(got, block...)
		lo = hi
	}
	testkit.EqualSlices(t, got, whole, "blocks give another signal than the whole")
	s.Reset()
	s.Process(got, x)
	testkit.EqualSlices(t, got, whole, "after Reset the filter is not in its initial state")
}

func TestChannelsAreIndependent(t *testing.T) {
	const channels, n = 7, 200
	x := noise(2, n*channels)
	f, _ := Butterworth(HighPass, 3, 100, 2)
	first := testkit.SameAtAnyProcs(t, func() []float64 {
		y := make([]float64, len(x))
		testkit.NoError(t, f.ZeroPhase(y, x, channels))
		return y
	})
	for c := range channels {
		one, all := make([]float64, n), make([]float64, n)
		for k := range n {
			one[k], all[k] = x[k*channels+c], first[k*channels+c]
		}
		testkit.NoError(t, f.ZeroPhase(one, one, 1))
		testkit.Close(t, "channel", all, one, 0)
	}
}

func TestSettledFilterKeepsAConstant(t *testing.T) {
	for kind, want := range map[Kind]float64{LowPass: 5, HighPass: 0} {
		f, _ := Butterworth(kind, 5, 250, 10)
		s := f.NewState(1)
		s.Settle([]float64{5})
		y := slices.Repeat([]float64{5}, 50)
		s.Process(y, y)
		for i, v := range y {
			testkit.Near(t, v, want, 1e-9, kind, "sample", i, "of a settled constant")
		}
	}
}

func TestTimeReversalCommutesWithZeroPhase(t *testing.T) {
	x := noise(3, 5000)
	f, _ := Butterworth(BandPass, 4, 250, 8, 30)
	y, z := make([]float64, len(x)), slices.Clone(x)
	testkit.NoError(t, f.ZeroPhase(y, x, 1))
	slices.Reverse(z)
	testkit.NoError(t, f.ZeroPhase(z, z, 1))
	slices.Reverse(z)
	testkit.Close(t, "inner part", z[500:4500], y[500:4500], 1e-9)
}

func TestDesignRefuses(t *testing.T) {
	cases := []struct {
		kind  Kind
		order int
		rate  float64
		edges []float64
		want  string
	}{
		{BandPass, 5, 250, []float64{8}, "a band-pass filter needs 2"},
		{LowPass, 5, 250, []float64{8, 30}, "a low-pass filter needs 1"},
		{BandPass, 0, 250, []float64{8, 30}, "order is 0"},
		{BandPass, 21, 250, []float64{8, 30}, "order is 21"},
		{BandPass, 5, 0, []float64{8, 30}, "sampling rate is 0 Hz"},
		{BandPass, 5, math.NaN(), []float64{8, 30}, "sampling rate is NaN"},
		{BandPass, 5, 250, []float64{8, 125}, "band edge is 125 Hz"},
		{BandPass, 5, 250, []float64{0, 30}, "band edge is 0 Hz"},
		{BandPass, 5, 250, []float64{30, 8}, "give the lower edge first"},
		{Kind(9), 5, 250, []float64{30}, "is unknown"},
	}
	for _, c := range cases {
		testkit.ErrorContains(t, testkit.ErrorOf(Butterworth(c.kind, c.order, c.rate, c.edges...)), c.want, c.kind,
			"order", c.order, "at", c.rate, "of", c.edges)
	}
	f, _ := Butterworth(BandPass, 5, 250, 8, 30)
	short := make([]float64, f.Padding())
	testkit.ErrorContains(t, f.ZeroPhase(short, short, 1), "33 samples is too short", "short signal")
}

func BenchmarkProcess22Channels(b *testing.B) {
	f, _ := Butterworth(BandPass, 5, 250, 8, 30)
	s := f.NewState(22)
	x := noise(1, 22*250)
	y := make([]float64, len(x))
	b.SetBytes(int64(8 * len(x)))
	for b.Loop() {
		s.Process(y, x)
	}
}
