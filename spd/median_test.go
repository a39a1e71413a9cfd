package spd

import (
	"context"
	"strings"
	"testing"

	"rao"
	"rao/internal/testkit"
)

// The medians agree with pyRiemann 0.12 (see testdata/medians.py).
func TestMediansAgreeWithPyRiemann(t *testing.T) {
	var gold map[string][]float64
	testkit.ReadJSON(t, "testdata/medians.json", &gold)
	x := NewStack(7, 4)
	for k := range 7 {
		copy(x.At(k), gold["x"][16*k:16*(k+1)])
	}
	for _, metric := range []Metric{Riemann, Euclid} {
		for name, w := range map[string][]float64{string(metric): nil, string(metric) + " weighted": gold["w"]} {
			m, rep, err := Median(context.Background(), x, w, metric, MeanOptions{Tol: 1e-12, MaxIter: 5000})
			testkit.NoError(t, err)
			testkit.Equal(t, rep.Status, rao.StatusConverged, rep)
			testkit.Close(t, name, StackFrom(m).Data, gold[name], 1e-8)
		}
	}
}

// The median stays near the majority of the matrices, and a congruence of the matrices transforms it in the same way.
func TestMedianStaysWithTheMajority(t *testing.T) {
	x := NewStack(5, 2)
	for k, scale := range []float64{1, 1, 1, 500, 900} {
		copy(x.At(k), []float64{2 * scale, scale, scale, 3 * scale})
	}
	for _, metric := range []Metric{Riemann, LogEuclid, Euclid, Wasserstein, LogChol} {
		m, rep, err := Median(context.Background(), x, nil, metric, MeanOptions{MaxIter: 20000, Tol: 1e-11})
		if err != nil {
			t.Fatalf("%s: %v after %d", metric, err, rep.Iterations)
		}
		testkit.Close(t, string(metric), StackFrom(m).Data, x.At(0), 1e-5)
	}
}

func TestMedianRefuses(t *testing.T) {
	x := NewStack(2, 2)
	for k := range 2 {
		copy(x.At(k), []float64{2 + float64(k), 0, 0, 1})
	}
	ctx := context.Background()
	if _, _, err := Median(ctx, x, nil, KullbackSym, MeanOptions{}); err == nil ||
		!strings.Contains(err.Error(), "metric \"kullback_sym\" has no logarithmic map") {
		t.Error(err)
	}
	if _, _, err := Median(ctx, x, []float64{1}, Riemann, MeanOptions{}); err == nil {
		t.Error("one weight for two matrices")
	}
	m, rep, err := Median(testkit.Canceled(), x, nil, Riemann, MeanOptions{})
	if !rao.HasModel(err) || m == nil || rep.Status != rao.StatusCanceled {
		t.Error(m, rep.Status, err)
	}
}
