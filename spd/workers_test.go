package spd

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/indices"
	"rao/internal/testkit"
)

// Results have the same bits for any number of workers.
func TestResultsDoNotDependOnWorkers(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 1))
	x := randomSPD(rng, 300, 7)
	testkit.SameAtAnyProcs(t, func() []float64 {
		var out []float64
		for _, m := range Metrics() {
			out = append(out, distances(t, Metric(m), x.Select(indices.Range(70)), nil)...)
			out = append(out, distances(t, Metric(m), x, x.Select([]int{5, 7, 9}))...)
			v, _ := testkit.Must2(weightedMean(context.Background(), x, nil, Metric(m), MeanOptions{}))(t)
			out = append(out, v...)
		}
		var v mat.Dense
		testkit.NoError(t, tangentVectors(context.Background(), &v, x, x.At(0)))
		return append(out, v.RawMatrix().Data...)
	})
}

// A stack whose stride is larger than a matrix, with NaN in the gaps, gives the same results.
func TestStrideIsHonored(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	n := 5
	x := randomSPD(rng, 30, n)
	wide := &Stack{Count: 30, Dim: n, Stride: n*n + 3, Data: make([]float64, 30*(n*n+3))}
	for i := range wide.Data {
		wide.Data[i] = math.NaN()
	}
	for k := range 30 {
		copy(wide.At(k), x.At(k))
	}
	for _, m := range Metrics() {
		testkit.EqualSlices(t, distances(t, Metric(m), x, nil), distances(t, Metric(m), wide, nil), m,
			"distances of a stack with a stride differ")
		testkit.EqualSlices(t, meanOf(t, Metric(m), x, nil), meanOf(t, Metric(m), wide, nil), m,
			"mean of a stack with a stride differs")
	}
}
