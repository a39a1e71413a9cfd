package spd

import (
	"context"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/testkit"
)

// rootEuclid is Euclidean between square roots (Dryden, Koloydenko and Zhou 2009): a metric
// as docs/extending.md adds one, in one file.
var rootEuclid = newFlat("rooteuclid", &FlatSpace{
	to: func(s *scratch, dst []float64, x *Stack, lo, hi int, role string) error {
		return s.function(dst, nil, x, lo, hi, role, true, math.Sqrt)
	},
	from: func(t []float64, n int) ([]float64, error) {
		out := make([]float64, n*n)
		mul(out, t, t, n)
		return out, nil
	},
})

func TestAMetricIsOneEntryAndOneFile(t *testing.T) {
	before := geometries
	geometries = append(slices.Clone(before), rootEuclid) // the entry
	defer func() { geometries = before }()

	m, err := LookupMetric("rooteuclid")
	if err != nil || !slices.Contains(Metrics(), "rooteuclid") {
		t.Fatalf("%v, metrics %v", err, Metrics())
	}
	x := StackOf(2, 2, []float64{4, 0, 0, 9, 16, 0, 0, 1})
	var d, k mat.Dense
	if err := Distances(&d, m, x, nil); err != nil {
		t.Fatal(err)
	}
	testkit.Close(t, "distances", d.RawMatrix().Data, []float64{0, math.Sqrt(8), math.Sqrt(8), 0}, 1e-14)
	mean, _, err := weightedMean(context.Background(), x, nil, m, MeanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	testkit.Close(t, "mean", mean, []float64{9, 0, 0, 4}, 1e-14)
	mid, err := geodesicOf(m, x.At(0), x.At(1), 0.5, 2)
	if err != nil {
		t.Fatal(err)
	}
	testkit.Close(t, "geodesic", mid, mean, 1e-14)
	if err := GaussianKernel(context.Background(), &k, m, x, nil, 1); err != nil ||
		math.Abs(k.At(0, 1)-math.Exp(-8)) > 1e-15 {
		t.Errorf("Gaussian kernel %v, %v", k.At(0, 1), err)
	}
	if err := logMap(new(Stack), m, x, x.At(0)); err == nil {
		t.Error("a map that the metric has not")
	}
}
