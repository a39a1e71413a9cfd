package gaussian

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/testkit"
)

// weightedRows returns rows of two classes, their weights, and the same rows repeated.
func weightedRows(n int) (x *mat.Dense, labels []int, weights []float64, repeated *mat.Dense, again []int) {
	rng := rand.New(rand.NewPCG(3, 1))
	x = mat.NewDense(n, 3, nil)
	var rows []float64
	for i := range n {
		row := []float64{1e4 + rng.NormFloat64(), rng.NormFloat64(), float64(i % 5)}
		x.SetRow(i, row)
		w := i * 7 % 4
		labels, weights = append(labels, i%2), append(weights, float64(w))
		for range w {
			rows, again = append(rows, row...), append(again, i%2)
		}
	}
	return x, labels, weights, mat.NewDense(len(again), 3, rows), again
}

func estimateWeighted(t *testing.T, x *mat.Dense, labels []int, weights []float64, block int) *Statistics {
	t.Helper()
	rows, cols := x.Dims()
	a := NewAccumulator(cols, 2)
	for lo := 0; lo < rows; lo += block {
		hi := min(lo+block, rows)
		testkit.NoError(t, a.AddWeighted(x.Slice(lo, hi, 0, cols), labels[lo:hi], weights[lo:hi]))
	}
	s, err := a.Finish([]string{"a", "b"})
	if err != nil || s.Validate() != nil {
		t.Fatal(err, s.Validate())
	}
	return s
}

// Integer weights give the statistics of repeated rows, also after a merge, in a file, and after a part is subtracted
// and added again.
func TestWeightsCountAsRepeatedRows(t *testing.T) {
	x, labels, weights, repeated, again := weightedRows(1500)
	want := testkit.Must(Estimate(repeated, again, []string{"a", "b"}))(t)
	whole := estimateWeighted(t, x, labels, weights, 1500)
	testkit.EqualBits(t, estimateWeighted(t, x, labels, weights, 77).Covariances, whole.Covariances, "in other calls")
	first := estimateWeighted(t, mat.DenseCopyOf(x.Slice(0, 500, 0, 3)), labels[:500], weights[:500], 500)
	second := estimateWeighted(t, mat.DenseCopyOf(x.Slice(500, 1500, 0, 3)), labels[500:], weights[500:], 1000)
	merged := testkit.Must(Merge(first, second))(t)
	rest := testkit.Must(Subtract(merged, second))(t)
	back := testkit.Must(Merge(rest, second))(t)
	path := filepath.Join(t.TempDir(), "s.npz")
	testkit.NoError(t, whole.WriteFile(path))
	read := testkit.Must(ReadFile(path))(t)
	source := testkit.Must(OpenSource(path))(t)
	defer source.Close()
	loaded := testkit.Must(source.Load(t.Context()))(t)
	for name, s := range map[string]*Statistics{"one pass": whole, "merged": merged, "subtracted": back, "a file": read,
		"a source": loaded} {
		for i := range 2 {
			if s.Weights[i] != float64(want.Counts[i]) || s.Counts[i] >= want.Counts[i] {
				t.Errorf("%s: class %d has weight %v and %d rows, want weight %d", name, i, s.Weights[i], s.Counts[i],
					want.Counts[i])
			}
			testkit.Close(t, name+" means", s.Mean(i), want.Mean(i), 1e-13)
			testkit.Close(t, name+" covariances", s.cov(i), want.cov(i), 1e-9)
		}
		testkit.Close(t, name+" priors", s.Priors(), want.Priors(), 1e-9)
		testkit.Near(t, globalScale(s), globalScale(want), 1e-9*globalScale(want), name, "scale")
	}
}

// Weights that would give a wrong result without notice are errors.
func TestWeightsAreRefused(t *testing.T) {
	x, labels, weights, repeated, again := weightedRows(40)
	plain := testkit.Must(Estimate(repeated, again, []string{"a", "b"}))(t)
	s := estimateWeighted(t, x, labels, weights, 40)
	testkit.ErrorContains(t, testkit.ErrorOf(Merge(plain, s)),
		"the rows of part 2 have weights but "+"the rows of part 1 do not")
	testkit.ErrorContains(t, testkit.ErrorOf(Subtract(s, plain)), "have weights")
	for want, w := range map[string]float64{"row 39 has weight -1": -1, "row 39 has weight NaN": math.NaN(),
		"row 39 has weight +Inf": math.Inf(1)} {
		bad := append(weights[:39:39], w)
		testkit.ErrorContains(t, NewAccumulator(3, 2).AddWeighted(x, labels, bad), want)
	}
	a := NewAccumulator(3, 2)
	small := slices.Repeat([]float64{0.04}, 40)
	testkit.NoError(t, a.AddWeighted(x, labels, small))
	testkit.ErrorContains(t, testkit.ErrorOf(a.Finish([]string{"a", "b"})), "the weights of class a sum "+"to 0.8")

	with, without, moments := NewAccumulator(3, 2), NewAccumulator(3, 2), NewAccumulator(3, 2)
	testkit.NoError(t, with.AddWeighted(x, labels, weights))
	testkit.ErrorContains(t, with.Add(x, labels), "rows with weights and rows without")
	testkit.NoError(t, without.Add(x, labels))
	testkit.ErrorContains(t, without.AddWeighted(x, labels, weights), "rows with weights and rows without")
	moments.CollectMoments()
	testkit.ErrorContains(t, moments.AddWeighted(x, labels, weights), "moments do not support weights")
}

// Statistics in between do not change the bits of the statistics of all rows.
func TestWeightedStatisticsInBetween(t *testing.T) {
	x, labels, weights, _, _ := weightedRows(1500)
	want := estimateWeighted(t, x, labels, weights, 1500)
	a := NewAccumulator(3, 2)
	for lo := 0; lo < 1500; lo += 300 {
		testkit.NoError(t, a.AddWeighted(x.Slice(lo, lo+300, 0, 3), labels[lo:lo+300], weights[lo:lo+300]))
		got := testkit.Must(a.Statistics(want.Classes))(t)
		first := estimateWeighted(t, mat.DenseCopyOf(x.Slice(0, lo+300, 0, 3)), labels[:lo+300], weights[:lo+300], 300)
		testkit.EqualBits(t, got.Covariances, first.Covariances, "after", lo+300)
	}
	testkit.EqualBits(t, testkit.Must(a.Finish(want.Classes))(t).Covariances, want.Covariances, "at the end")
}
