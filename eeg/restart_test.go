package eeg

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/spd"
)

// ends are the windows of a stream: their matrices behind each other, and where they end.
func ends(t *testing.T, s *Stream, x []float64) (covs []float64, at []int64) {
	t.Helper()
	err := s.Push(x, func(cov *mat.SymDense, end int64) error {
		one := spd.NewStack(1, s.Dim())
		one.Set(0, cov)
		covs, at = append(covs, one.Data...), append(at, end)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return covs, at
}

// After a restart a stream gives what a new one gives, to the bit, and counts on.
func TestRestartIsANewStream(t *testing.T) {
	r := synthetic(t, 8)
	for _, opt := range []StreamOptions{
		{Window: 0.8, Step: 0.3, Bands: []Band{{8, 12}, {15, 25}}, Combine: Stacked},
		{Window: 0.8, Bands: []Band{{8, 30}}, Prepare: Preparation{Notch: []float64{20}, Rate: 64}},
	} {
		worn, err := NewStream(3, 100, opt)
		if err != nil {
			t.Fatal(err)
		}
		fresh, err := NewStream(3, 100, opt)
		if err != nil {
			t.Fatal(err)
		}
		ends(t, worn, r.data[:3*333])
		worn.Restart()
		got, at := ends(t, worn, r.data[3*400:3*900])
		want, from := ends(t, fresh, r.data[3*400:3*900])
		if !slices.Equal(got, want) || len(want) == 0 {
			t.Errorf("%+v: other matrices after a restart", opt)
		}
		for k := range at {
			if at[k] != from[k]+333 {
				t.Errorf("window %d ends at %d, want %d", k, at[k], from[k]+333)
			}
		}
	}
}

// A stream without a step gives a window whenever it is asked.
func TestCovarianceOnDemand(t *testing.T) {
	r := synthetic(t, 8)
	opt := StreamOptions{Window: 0.8, Bands: []Band{{8, 30}}}
	stepping, err := NewStream(3, 100, opt)
	if err != nil {
		t.Fatal(err)
	}
	opt.Step = math.Inf(1)
	s, err := NewStream(3, 100, opt)
	if err != nil {
		t.Fatal(err)
	}
	want, at := ends(t, stepping, r.data)
	k := 0
	for i := range r.Samples() {
		if _, none := ends(t, s, r.data[3*i:3*i+3]); none != nil {
			t.Fatal("a window that nobody asked for")
		}
		cov, err := s.Covariance()
		if err != nil || (cov == nil) != (i+1 < s.Window()) {
			t.Fatalf("sample %d: %v, %v", i, cov, err)
		}
		if k < len(at) && at[k] == int64(i+1) {
			one := spd.NewStack(1, 3)
			one.Set(0, cov)
			if !slices.Equal(one.Data, want[9*k:9*k+9]) {
				t.Errorf("window %d is another", k)
			}
			k++
		}
	}
	if k != len(at) || k == 0 {
		t.Errorf("%d of %d windows", k, len(at))
	}
}
