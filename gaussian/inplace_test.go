package gaussian_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
)

// Statistics are added and taken away in place as Merge and Subtract do it.
func TestInPlaceIsMergeAndSubtract(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	classes := []string{"a", "b", "c"}
	part := func(rows, only int) *gaussian.Statistics {
		x, labels := mat.NewDense(rows, 4, nil), make([]int, rows)
		for i := range rows {
			labels[i] = i % only
			for j := range 4 {
				x.Set(i, j, 3+rng.NormFloat64()*float64(1+labels[i]+j))
			}
		}
		a := gaussian.NewAccumulator(4, 3)
		if err := a.Add(x, labels); err != nil {
			t.Fatal(err)
		}
		s, err := a.Statistics(classes)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	a, b, c := part(50, 3), part(21, 2), part(1, 1)
	merged, err := gaussian.Merge(a, b, c)
	if err != nil {
		t.Fatal(err)
	}
	same := func(what string, got, want *gaussian.Statistics) {
		t.Helper()
		for i, n := range want.Counts {
			if got.Counts[i] != n {
				t.Errorf("%s: counts %v, want %v", what, got.Counts, want.Counts)
			}
		}
		for k, pair := range [][2][]float64{{got.Means, want.Means}, {got.Covariances, want.Covariances}} {
			for i, v := range pair[1] {
				if math.Abs(pair[0][i]-v) > 1e-12*math.Max(1, math.Abs(v)) {
					t.Fatalf("%s: value %d of %d is %v, want %v", what, i, k, pair[0][i], v)
				}
			}
		}
	}
	rest := gaussian.New(classes, 4)
	if err := rest.AddInPlace(a, b, c); err != nil {
		t.Fatal(err)
	}
	same("added", rest, merged)
	for _, p := range []*gaussian.Statistics{a, b, c, merged} {
		want, err := gaussian.Subtract(merged, p)
		if err != nil {
			t.Fatal(err)
		}
		got := gaussian.New(classes, 4)
		if err := got.AddInPlace(p); err != nil {
			t.Fatal(err)
		}
		if err := got.ComplementInPlace(merged); err != nil {
			t.Fatal(err)
		}
		same("complement", got, want)
	}
	if err := a.AddInPlace(gaussian.New(classes, 5)); err == nil {
		t.Error("another dimension was added")
	}
	if err := a.ComplementInPlace(gaussian.New([]string{"a", "b", "d"}, 4)); err == nil {
		t.Error("other classes were taken")
	}
	if err := merged.ComplementInPlace(a); err == nil {
		t.Error("more was taken than there is")
	}
}
