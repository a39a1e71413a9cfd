package feature_test

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/dataset"
	"rao/evaluate"
	"rao/feature"
	"rao/gaussian"
	"rao/internal/classstats"
	"rao/internal/learners"
	"rao/internal/testkit"
)

// optdigits are the results of scikit-learn on the optical digits, written by testdata/optdigits.py.
type optdigits struct {
	FA []struct {
		Data, Scale string
		Factors     int
		Loglik      float64
	}
	ICA struct{ Start, Unmixing []float64 }
}

func readOptdigits(t *testing.T) *optdigits {
	t.Helper()
	g := new(optdigits)
	testkit.ReadJSON(t, "testdata/optdigits.json", g)
	return g
}

// openUCI returns the full set of optical digits, part tra or tes.
func openUCI(t *testing.T, part string) *dataset.Data {
	t.Helper()
	path := testkit.External(t, "data", "optdigits", "optdigits."+part)
	return testkit.Must(dataset.Open(context.Background(), path, dataset.OpenOptions{Y: "64"}))(t)
}

// logLikelihood returns the mean log-density of the rows under N(mean, ΛΛ' + Ψ), computed from the definition, with the
// covariance of divisor N.
func logLikelihood(t *testing.T, m *feature.Model, cov mat.Symmetric) float64 {
	t.Helper()
	n := cov.SymmetricDim()
	var sigma mat.SymDense
	sigma.SymOuterK(1, m.Loadings)
	for i, v := range m.NoiseVariances {
		sigma.SetSym(i, i, sigma.At(i, i)+v)
	}
	var chol mat.Cholesky
	if !chol.Factorize(&sigma) {
		t.Fatal("the model's covariance is singular")
	}
	var x mat.Dense
	if err := chol.SolveTo(&x, cov); err != nil {
		t.Log(err) // a constant pixel has the variance of the floor
	}
	return -0.5 * (float64(n)*math.Log(2*math.Pi) + chol.LogDet() + mat.Trace(&x))
}

func checkFA(t *testing.T, name string, data *dataset.Data) {
	t.Helper()
	stats := testkit.Must(gaussian.Estimate(data.X, make([]int, data.N()), []string{"all"}))(t)
	cases := 0
	for _, c := range readOptdigits(t).FA {
		if c.Data != name || testing.Short() && c.Factors != 5 && c.Factors != 9 {
			continue
		}
		cases++
		s := stats
		if c.Scale == "std" {
			s = s.Affine(nil, []float64{1 / classstats.GlobalScale(s)})
		}
		m := testkit.Must(learners.FitFA(context.Background(), s, learners.FAOptions{Filters: c.Factors}))(t)
		var cov mat.SymDense
		cov.ScaleSym(float64(data.N()-1)/float64(data.N()), s.Covariance(0))
		got := m.Report.Objective
		testkit.Close(t, "log-likelihood from the definition", []float64{got}, []float64{logLikelihood(t, m, &cov)},
			1e-6)
		if got < c.Loglik-1e-4*math.Abs(c.Loglik) {
			t.Errorf("%s, scale %s, %d factors: log-likelihood %.8g, scikit-learn %.8g",
				name, c.Scale, c.Factors, got, c.Loglik)
		}
		if got > c.Loglik+1e-4*math.Abs(c.Loglik) {
			t.Logf("%s, scale %s, %d factors: log-likelihood %.8g, better than scikit-learn's %.8g",
				name, c.Scale, c.Factors, got, c.Loglik)
		}
	}
	if cases == 0 {
		t.Fatalf("no golden numbers for %s", name)
	}
}

// Factor analysis reaches at least the likelihood of scikit-learn, even with constant and nearly constant columns,
// where the likelihood has several maxima.
func TestFAOfDigits(t *testing.T) {
	for _, name := range []string{"digits", "digits:train"} {
		d := testkit.Must(dataset.Open(context.Background(), name, dataset.OpenOptions{}))(t)
		checkFA(t, name, d)
	}
}

func TestFAOfTheFullDigits(t *testing.T) {
	checkFA(t, "optdigits:train", openUCI(t, "tra"))
}

// At the better maximum of the likelihood, the factors separate the digits; at a poorer one, with another noise
// variance at the floor, the accuracy of QDA is 75 %.
func TestQDAOnFactorsOfDigits(t *testing.T) {
	data := testkit.Must(dataset.Open(context.Background(), "digits:train", dataset.OpenOptions{}))(t)
	test := testkit.Must(dataset.Open(context.Background(), "digits:test", dataset.OpenOptions{}))(t)
	stats := testkit.Must(gaussian.Estimate(data.X, data.Labels, data.Classes))(t)
	scaled := stats.Affine(nil, []float64{1 / classstats.GlobalScale(stats)})
	m := testkit.Must(learners.FitFA(context.Background(), scaled,
		learners.FAOptions{Filters: 9}))(t)
	q := testkit.Must(classify.FitQDA(stats.Project(m.Filters), classify.QDAOptions{}))(t)
	var z, logp mat.Dense
	z.Mul(test.X.Matrix(), m.Filters)
	testkit.NoError(t, q.LogPosterior(t.Context(), &logp, &z))
	r := testkit.Must(evaluate.Score(test.Labels, &logp))(t)
	if r.Accuracy < 0.9 {
		t.Errorf("accuracy %.3f", r.Accuracy)
	}
}

func TestICAOfTheFullDigits(t *testing.T) {
	d, g := openUCI(t, "tra"), readOptdigits(t).ICA
	m := testkit.Must(learners.FitICA(context.Background(), d.X,
		learners.ICAOptions{Filters: 9, Start: mat.NewDense(64, 9, g.Start), Tol: 1e-12, MaxIter: 5000}))(t)
	var p mat.Dense
	p.Mul(mat.NewDense(9, 64, g.Unmixing), m.Loadings)
	if d := testkit.Amari(&p); d > 1e-3 {
		t.Errorf("Amari distance %g to scikit-learn", d)
	}
}
