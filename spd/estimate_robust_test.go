package spd

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/testkit"
)

func estimated(t *testing.T, x []float64, c int, opt CovarianceOptions) ([]float64, error) {
	t.Helper()
	var s mat.SymDense
	if _, err := Covariance(&s, mat.NewDense(len(x)/c, c, x), opt); err != nil {
		return nil, err
	}
	out := make([]float64, 0, c*c)
	for i := range c {
		for j := range c {
			out = append(out, s.At(i, j))
		}
	}
	return out, nil
}

// The covariances agree with pyRiemann 0.12. Huber's agrees with its formula in numpy, and the M-estimators are at
// their fixed points (see testdata/estimators.py).
func TestEstimatorsAgreeWithPyRiemann(t *testing.T) {
	var gold map[string][]float64
	testkit.ReadJSON(t, "testdata/estimators.json", &gold)
	for _, name := range []string{"schaefer_strimmer", "huber", "student", "tyler"} {
		e := Estimator(name)
		got := testkit.Must(estimated(t, gold["x"], 5, CovarianceOptions{Estimator: e}))(t)
		testkit.Close(t, name, got, gold[name], 1e-8)
		normal := testkit.Must(estimated(t, gold["x"], 5, CovarianceOptions{Estimator: e, TraceNormalize: true}))(t)
		trace := 0.0
		for i := range 5 {
			trace += normal[6*i]
		}
		testkit.Near(t, trace, 5, 1e-12, name, "trace")
	}
	got := testkit.Must(estimated(t, gold["few"], 5, CovarianceOptions{Estimator: "schaefer_strimmer"}))(t)
	testkit.Close(t, "few samples", got, gold["schaefer_few"], 1e-12)
}

// The minimum covariance determinant is the minimum over all subsets if they can be enumerated. With many local minima
// it is as low as scikit-learn's (see testdata/estimators.py).
func TestMCDFindsTheSmallestDeterminant(t *testing.T) {
	var gold map[string][]float64
	testkit.ReadJSON(t, "testdata/estimators.json", &gold)
	opt := CovarianceOptions{Estimator: "mcd"}
	got := testkit.Must(estimated(t, gold["mcd few x"], 2, opt))(t)
	testkit.Close(t, "few", got, gold["mcd few"], 1e-10)
	got = testkit.Must(estimated(t, gold["x"], 5, opt))(t)
	if d := mat.Det(mat.NewDense(5, 5, got)); d > gold["mcd determinant"][0]*(1+1e-9) {
		t.Errorf("determinant %g, scikit-learn's is %g", d, gold["mcd determinant"][0])
	}
}

// An outlier moves the M-estimators little, and the sample covariance much.
func TestMEstimatorsResistOutliers(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	x := testkit.Normals(r, 3*200)
	move := func(e Estimator) float64 {
		opt := CovarianceOptions{Estimator: e, TraceNormalize: true}
		before := testkit.Must(estimated(t, x, 3, opt))(t)
		bad := append([]float64(nil), x...)
		bad[0], bad[3] = 200, -150
		after := testkit.Must(estimated(t, bad, 3, opt))(t)
		d := 0.0
		for i, v := range before {
			d = math.Max(d, math.Abs(v-after[i]))
		}
		return d
	}
	plain := move("sample")
	for _, e := range []Estimator{"huber", "student", "tyler", "mcd"} {
		if d := move(e); d > 0.2 || plain < 1 {
			t.Errorf("%v moves by %g, the sample covariance by %g", e, d, plain)
		}
	}
}

func TestMEstimatorsNeedSamples(t *testing.T) {
	x := []float64{1, 2, 3, 2, 1, 4, 5, 3, 2}
	for _, e := range []Estimator{"huber", "student", "tyler"} {
		testkit.ErrorContains(t, testkit.ErrorOf(estimated(t, x, 3, CovarianceOptions{Estimator: e})),
			"needs more samples than channels; use oas", e)
	}
	// The third channel is the sum of the others.
	x = nil
	r := rand.New(rand.NewPCG(3, 3))
	for range 50 {
		a, b := r.NormFloat64(), r.NormFloat64()
		x = append(x, a, b, a+b)
	}
	for _, e := range []Estimator{"tyler", "mcd"} {
		testkit.ErrorContains(t, testkit.ErrorOf(estimated(t, x, 3, CovarianceOptions{Estimator: e})), "use oas", e)
	}
	testkit.ErrorContains(t, testkit.ErrorOf(estimated(t, x[:9], 3, CovarianceOptions{Estimator: "mcd"})),
		"needs more samples than channels; use oas")
}
