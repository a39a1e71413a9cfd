package classstats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/classstats"
	"rao/internal/testkit"
)

// Add and Complement have the results of Merge and Subtract.
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
		testkit.NoError(t, a.Add(x, labels))
		return testkit.Must(a.Statistics(classes))(t)
	}
	a, b, c := part(50, 3), part(21, 2), part(1, 1)
	merged := testkit.Must(gaussian.Merge(a, b, c))(t)
	same := func(what string, got, want *gaussian.Statistics) {
		t.Helper()
		for i, n := range want.Counts {
			testkit.Equal(t, got.Counts[i], n, what, "counts", got.Counts, "want", want.Counts)
		}
		for k, pair := range [][2][]float64{{got.Means, want.Means}, {got.Covariances, want.Covariances}} {
			for i, v := range pair[1] {
				testkit.Near(t, pair[0][i], v, 1e-12*math.Max(1, math.Abs(v)), what, "value", i, "of", k)
			}
		}
	}
	rest := gaussian.New(classes, 4)
	testkit.NoError(t, classstats.Add(rest, a, b, c))
	same("added", rest, merged)
	for _, p := range []*gaussian.Statistics{a, b, c, merged} {
		want := testkit.Must(gaussian.Subtract(merged, p))(t)
		got := gaussian.New(classes, 4)
		testkit.NoError(t, classstats.Add(got, p))
		testkit.NoError(t, classstats.Complement(got, merged))
		same("complement", got, want)
	}
	single := b.Clone()
	single.Single = true
	for name, change := range map[string]func(s *gaussian.Statistics) error{
		"added":      func(s *gaussian.Statistics) error { return classstats.Add(s, single) },
		"complement": func(s *gaussian.Statistics) error { return classstats.Complement(s, single) },
	} {
		if s := gaussian.New(classes, 4); change(s) != nil || !s.Single {
			t.Errorf("%s: not marked as single precision", name)
		}
	}
	testkit.Fails(t, classstats.Add(a, gaussian.New(classes, 5)), "another dimension was added")
	testkit.Fails(t, classstats.Complement(a, gaussian.New([]string{"a", "b", "d"}, 4)),
		"other classes were subtracted")
	testkit.Fails(t, classstats.Complement(merged, a), "more was subtracted than there is")
}

// Affine changes statistics to the result of gaussian's Affine.
func TestAffineInPlace(t *testing.T) {
	x := mat.NewDense(6, 2, []float64{1, 2, 3, 5, 4, 4, 9, 8, 7, 1, 2, 2})
	s := testkit.Must(gaussian.EstimateMoments(x, []int{0, 0, 0, 1, 1, 1}, []string{"a", "b"}))(t)
	for _, scale := range [][]float64{{3}, {3, 0.5}} {
		want, got := s.Affine([]float64{1, -2}, scale), s.Clone()
		classstats.Affine(got, []float64{1, -2}, scale)
		for _, pair := range [][2][]float64{{got.Means, want.Means}, {got.Covariances, want.Covariances},
			{got.Cubic, want.Cubic}, {got.Quartic, want.Quartic}} {
			testkit.EqualSlices(t, pair[0], pair[1], "scale", scale)
		}
	}
}
