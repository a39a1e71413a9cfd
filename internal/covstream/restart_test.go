package covstream

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/testkit"
	"rao/recipe"
	"rao/spd"
)

// ends contains the windows of a stream: their matrices one after the other, and where they end.
func ends(t *testing.T, s *Stream, x []float64) (covs []float64, at []int64) {
	t.Helper()
	testkit.NoError(t, s.Push(x, func(cov *mat.SymDense, end int64) error {
		one := spd.NewStack(1, s.Dim())
		one.Set(0, cov)
		covs, at = append(covs, one.Data...), append(at, end)
		return nil
	}))
	return covs, at
}

// After a restart, a stream gives the same results as a new stream, bit for bit, and continues to count.
func TestRestartIsANewStream(t *testing.T) {
	data := testkit.Rhythm(20, 200)
	for _, opt := range []Options{
		{Window: 0.8, Step: 0.3, SignalOptions: recipe.SignalOptions{
			Bands: []recipe.Band{{Low: 8, High: 12}, {Low: 15, High: 25}}, Combine: "stacked"}},
		{Window: 0.8, SignalOptions: recipe.SignalOptions{Bands: []recipe.Band{{Low: 8, High: 30}}},
			Prepare: recipe.Preparation{Notch: []float64{20}, Rate: 64}},
	} {
		worn := testkit.Must(New(3, 100, opt))(t)
		fresh := testkit.Must(New(3, 100, opt))(t)
		ends(t, worn, data[:3*333])
		worn.Restart(0)
		got, at := ends(t, worn, data[3*400:3*900])
		want, from := ends(t, fresh, data[3*400:3*900])
		if !slices.Equal(got, want) || len(want) == 0 {
			t.Errorf("%+v: other matrices after a restart", opt)
		}
		for k := range at {
			testkit.Equal(t, at[k], from[k]+333, "window", k, "ends at")
		}
	}
}

// A stream without a step returns a window at every call.
func TestCovarianceOnDemand(t *testing.T) {
	data := testkit.Rhythm(20, 200)
	opt := Options{Window: 0.8, SignalOptions: recipe.SignalOptions{Bands: []recipe.Band{{Low: 8, High: 30}}}}
	stepping := testkit.Must(New(3, 100, opt))(t)
	opt.Step = math.Inf(1)
	s := testkit.Must(New(3, 100, opt))(t)
	want, at := ends(t, stepping, data)
	k := 0
	for i := range len(data) / 3 {
		if _, none := ends(t, s, data[3*i:3*i+3]); none != nil {
			t.Fatal("a window that nobody asked for")
		}
		cov, err := s.Covariance()
		if err != nil || (cov == nil) != (i+1 < s.Window()) {
			t.Fatalf("sample %d: %v, %v", i, cov, err)
		}
		if k < len(at) && at[k] == int64(i+1) {
			one := spd.NewStack(1, 3)
			one.Set(0, cov)
			testkit.EqualSlices(t, one.Data, want[9*k:9*k+9], "window", k, "is another")
			k++
		}
	}
	if k != len(at) || k == 0 {
		t.Errorf("%d of %d windows", k, len(at))
	}
}
