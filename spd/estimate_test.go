package spd

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/testkit"
)

type covarianceGolden struct {
	X, Sample, OAS, LW []float64
	OASShrinkage       float64 `json:"oas_shrinkage"`
	LWShrinkage        float64 `json:"lw_shrinkage"`
}

func loadCovarianceGolden(t testing.TB) covarianceGolden {
	var g covarianceGolden
	testkit.ReadJSON(t, "testdata/estimate.json", &g)
	return g
}

func TestCovarianceAgreesWithNumpyAndScikitLearn(t *testing.T) {
	g := loadCovarianceGolden(t)
	var cov, unit mat.SymDense
	x := mat.NewDense(len(g.X)/5, 5, g.X)
	for _, c := range []struct {
		e    Estimator
		want []float64
		a    float64
	}{{"sample", g.Sample, 0}, {"oas", g.OAS, g.OASShrinkage},
		{"ledoit_wolf", g.LW, g.LWShrinkage}} {
		a := testkit.Must(Covariance(&cov, x, CovarianceOptions{Estimator: c.e}))(t)
		dst := full(&cov)
		testkit.Close(t, string(c.e), dst, c.want, 1e-13)
		testkit.Close(t, string(c.e)+" shrinkage", []float64{a}, []float64{c.a}, 1e-12)
		testkit.Must(Covariance(&unit, x, CovarianceOptions{Estimator: c.e, TraceNormalize: true}))(t)
		trace := 0.0
		for i := range 5 {
			trace += dst[6*i]
		}
		for i := range dst {
			dst[i] *= 5 / trace
		}
		testkit.Close(t, "trace-normalized", full(&unit), dst, 1e-13)
	}
}

// The kernel for many channels and the loop for few channels give the same covariances for the channels that they
// share.
func TestCovarianceOfManyChannelsHoldsThatOfFew(t *testing.T) {
	const wide, few, n = 30, 7, 101
	rng := rand.New(rand.NewPCG(4, 4))
	x, y := make([]float64, wide*n), []float64{}
	for k := range n {
		for c := range wide {
			x[k*wide+c] = float64(c) + rng.NormFloat64()
		}
		y = append(y, x[k*wide:k*wide+few]...)
	}
	var a, b mat.SymDense
	testkit.Must(Covariance(&a, mat.NewDense(n, wide, x), CovarianceOptions{}))(t)
	testkit.Must(Covariance(&b, mat.NewDense(n, few, y), CovarianceOptions{}))(t)
	testkit.Close(t, "part", full(a.SliceSym(0, few)), full(&b), 1e-13)
	// A transposed input and a destination within a larger matrix give the same bits.
	corner := mat.NewSymDense(wide+1, nil).SliceSym(0, wide).(*mat.SymDense)
	testkit.Must(Covariance(corner, mat.NewDense(wide, n, transposed(x, n, wide)).T(),
		CovarianceOptions{}))(t)
	testkit.Close(t, "turned", full(corner), full(&a), 0)
}

func transposed(x []float64, rows, cols int) []float64 {
	out := make([]float64, len(x))
	for i := range rows {
		for j := range cols {
			out[j*rows+i] = x[i*cols+j]
		}
	}
	return out
}

func TestCovarianceDoesNotAllocate(t *testing.T) {
	g := loadCovarianceGolden(t)
	dst, x := mat.NewSymDense(5, nil), mat.NewDense(len(g.X)/5, 5, g.X)
	if n := testing.AllocsPerRun(10, func() {
		testkit.Must(Covariance(dst, x, CovarianceOptions{Estimator: "ledoit_wolf"}))(t)
	}); n != 0 && !testkit.Race { // under the race detector pools drop values
		t.Errorf("%g allocations", n)
	}
}

func TestCovarianceRefuses(t *testing.T) {
	var dst mat.SymDense
	for _, c := range []struct {
		x    []float64
		want string
	}{
		{[]float64{1, 2}, "a trial has 1 sample"},
		{[]float64{1, 2, 3, math.NaN(), 5, 6}, "channel 1 (counted from 0) of the trial has values that are not " +
			"finite"},
		{[]float64{7, 2, 7, 3, 7, 6}, "channel 0 (counted from 0) of the trial is constant (7)"},
		{[]float64{1, 0, 2, 0, 3, 0}, "channel 1 (counted from 0) of the trial is constant (0)"},
		{[]float64{0.1, 2, 0.1, 3, 0.1, 6}, "channel 0 (counted from 0) of the trial is constant (0.1)"},
	} {
		testkit.ErrorContains(t, testkit.ErrorOf(Covariance(&dst, mat.NewDense(len(c.x)/2, 2, c.x),
			CovarianceOptions{})), c.want, c.x)
	}
	if _, err := Covariance(&dst, mat.NewDense(2, 2, []float64{1, 2, 3, 5}),
		CovarianceOptions{Estimator: "basc"}); err == nil {
		t.Error("an unknown estimator is accepted")
	}
}

func BenchmarkCovariance22(b *testing.B) {
	x := make([]float64, 22*500)
	for i := range x {
		x[i] = math.Sin(float64(i * i))
	}
	var dst mat.SymDense
	trial := mat.NewDense(500, 22, x)
	for b.Loop() {
		testkit.Must(Covariance(&dst, trial, CovarianceOptions{}))(b)
	}
}

func TestCovariancesNameTheTrial(t *testing.T) {
	good := mat.NewDense(3, 2, []float64{1, 0, 2, 2, 3, 1})
	bad := mat.NewDense(3, 2, []float64{1, 0, 2, math.NaN(), 3, 1})
	ctx, cancel := context.WithCancel(context.Background())
	for want, trials := range map[string][]mat.Matrix{"no trials": nil, "trial 1: ": {good, bad, good},
		"trial 1 has 3 channels, but the first trial has 2": {good, mat.NewDense(2, 3, nil)}} {
		testkit.ErrorContains(t, testkit.ErrorOf(Covariances(ctx, trials, CovarianceOptions{})), want)
	}
	cancel()
	if _, err := Covariances(ctx, []mat.Matrix{good}, CovarianceOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}
