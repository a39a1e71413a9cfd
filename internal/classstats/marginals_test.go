package classstats_test

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/classcolumns"
	"rao/internal/classstats"
	"rao/internal/testkit"
)

// Marginals equal those of the statistics, also far from zero and in blocks.
func TestMarginalsAreThoseOfStatistics(t *testing.T) {
	const rows, n = 700, 2100 // more values than a block
	rng := rand.New(rand.NewPCG(5, 5))
	x, labels, classes := mat.NewDense(rows, n, nil), make([]int, rows), []string{"a", "b", "c"}
	for i := range rows {
		labels[i] = i % 3
		for j := range n {
			x.Set(i, j, 1e5+float64(labels[i]*j)+rng.NormFloat64())
		}
	}
	got := testkit.Must(classcolumns.Estimate(x, labels, classes))(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if again, err := classcolumns.Estimate(x, labels, classes); err != nil ||
		!slices.Equal(got.Variances, again.Variances) {
		t.Errorf("other variances on one processor, %v", err)
	}
	s := testkit.Must(gaussian.Estimate(x.Slice(0, rows, 0, 50), labels, classes))(t)
	want := classstats.Marginals(s)
	testkit.ErrorContains(t, classstats.Validate(s, 4), "at least 4 classes are needed, but the data have only 3",
		"too few classes")
	for i := range classes {
		testkit.Close(t, "mean", got.Mean(i)[:50], want.Mean(i), 1e-9)
		testkit.Close(t, "variance", got.Variance(i)[:50], want.Variance(i), 1e-7)
	}
	mean, _, _, total := s.Pooled(nil)
	m, v := want.Pooled()
	testkit.Close(t, "pooled mean", m, mean, 1e-9)
	for j := range v {
		if d := total.At(j, j); math.Abs(v[j]-d) > 1e-9*d {
			t.Errorf("pooled variance %d: %g, want %g", j, v[j], d)
		}
	}
}

func TestMarginalsNameWhatIsWrong(t *testing.T) {
	good := mat.NewDense(4, 2, []float64{1, 2, 3, 4, 5, 6, 7, 8})
	bad := mat.DenseCopyOf(good)
	bad.Set(2, 1, math.Inf(1))
	large := mat.DenseCopyOf(good)
	large.Set(2, 1, 1e200)
	for _, c := range []struct {
		x      mat.Matrix
		labels []int
		want   string
	}{
		{good, []int{0, 0, 1}, "the number of labels is 3, but the number of rows is 4"},
		{good, []int{0, 0, 1, 2}, "row 3 has label 2; labels must be from 0 to 1"},
		{good, []int{0, 0, 0, 1}, "class b has one observation"},
		{bad, []int{0, 0, 1, 1}, "row 2, column 1"},
		{large, []int{0, 0, 1, 1}, "squares of column 1 overflow"},
	} {
		testkit.ErrorContains(t, testkit.ErrorOf(classcolumns.Estimate(c.x, c.labels, []string{"a", "b"})), c.want)
	}
}
