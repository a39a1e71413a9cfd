package feature_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/classify"
	"rao/dataset"
	"rao/evaluate"
	"rao/feature"
	"rao/gaussian"
	"rao/internal/learners"
	"rao/internal/optionvalues"
	"rao/internal/testkit"
)

// openMNIST returns the first rows of a part of MNIST, divided by 78.57, the standard deviation of all its values.
func openMNIST(t *testing.T, part string, rows int) (*mat.Dense, []int, []string) {
	t.Helper()
	images := testkit.External(t, "data", "mnist", part+"-images-idx3-ubyte.gz")
	labels := testkit.External(t, "data", "mnist", part+"-labels-idx1-ubyte.gz")
	d := testkit.Must(dataset.Open(context.Background(), images, dataset.OpenOptions{Labels: labels}))(t)
	x := d.X.Rows(0, rows).Dense()
	x.Scale(1/78.57, x)
	return x, d.Labels[:rows], d.Classes
}

// Nine filters learned by AMA-Gauss from 4000 digits, with hundreds of constant or nearly constant pixels, classify
// held-out digits better than linear discriminants.
func TestAMAOnMNIST(t *testing.T) {
	testkit.SkipShort(t, "reads all of MNIST")
	x, y, names := openMNIST(t, "train", 4000)
	q, qy, _ := openMNIST(t, "t10k", 4000)
	stats := testkit.Must(gaussian.Estimate(x, y, names))(t)
	accuracy := func(m *feature.Model, err error) float64 {
		testkit.NoError(t, err)
		var z, logp mat.Dense
		m.Transform(&z, x)
		s := testkit.Must(gaussian.Estimate(&z, y, names))(t)
		c := testkit.Must(classify.FitQDA(s, classify.QDAOptions{}))(t)
		z.Reset()
		m.Transform(&z, q)
		testkit.NoError(t, c.LogPosterior(t.Context(), &logp, &z))
		r := testkit.Must(evaluate.Score(qy, &logp))(t)
		return r.Accuracy
	}
	lda := accuracy(feature.FitLDA(stats, feature.LDAOptions{Filters: 9, Shrinkage: gaussian.ShrinkRule{
		Kind: "fixed", Amount: 0.1}}))
	ama := accuracy(learners.FitAMA(context.Background(), x, y, names,
		learners.AMAOptions{Filters: 9, Noise: 1, Tol: 1e-3}))
	t.Logf("lda %.3f, ama %.3f", lda, ama)
	if ama < 0.89 || ama < lda+0.02 {
		t.Errorf("accuracy %.3f, linear discriminants %.3f", ama, lda)
	}
}

// With a square metric for the leading principal components of MNIST, three nearest neighbors make fewer errors on new
// digits than with Euclidean distance. This is a small version of the experiment in the LMNN paper.
func TestLMNNOnMNIST(t *testing.T) {
	testkit.SkipShort(t, "reads all of MNIST")
	x, y, names := openMNIST(t, "train", 3000)
	q, qy, _ := openMNIST(t, "t10k", 4000)
	errors := func(m *feature.Model, err error) int {
		if err != nil && !rao.IsNotConverged(err) {
			t.Fatal(err)
		}
		var z, zq, logp mat.Dense
		m.Transform(&z, x)
		m.Transform(&zq, q)
		knn := testkit.Must(classify.FitKNN(&z, y, names, classify.KNNOptions{K: 3}))(t)
		testkit.NoError(t, knn.LogPosterior(t.Context(), &logp, &zq))
		r := testkit.Must(evaluate.Score(qy, &logp))(t)
		return int(math.Round((1 - r.Accuracy) * float64(len(qy))))
	}
	stats := testkit.Must(gaussian.Estimate(x, y, names))(t)
	pca := errors(feature.FitPCA(stats, feature.PCAOptions{Filters: 164}))
	lmnn := errors(learners.FitLMNN(context.Background(), x, y, names,
		learners.LMNNOptions{Filters: 164, Components: 164, Neighbors: 8, Rounds: 3}))
	t.Logf("errors among %d: principal components %d, lmnn %d", len(qy), pca, lmnn)
	if float64(lmnn) > 0.85*float64(pca) {
		t.Errorf("%d errors, %d by principal components", lmnn, pca)
	}
}

// Filters are finite for any noise and regularization, even if hundreds of columns are constant or nearly constant.
func TestLearnersStayFiniteOnMNIST(t *testing.T) {
	testkit.SkipShort(t, "reads all of MNIST")
	x, y, names := openMNIST(t, "train", 1000)
	check := func(name string, value float64, m *feature.Model, err error) {
		if err != nil && !rao.IsNotConverged(err) {
			t.Errorf("%s at %g: %v", name, value, err)
			return
		}
		if err := m.Validate(); err != nil || math.IsNaN(m.Report.Objective) || math.IsInf(m.Report.Objective, 0) {
			t.Errorf("%s at %g: objective %g, %v", name, value, m.Report.Objective, err)
		}
	}
	for _, noise := range []float64{1e-6, 1e-3, 1, 1e3} {
		m, err := learners.FitAMA(context.Background(), x, y, names,
			learners.AMAOptions{Filters: 9, Noise: noise, MaxIter: 10})
		check("ama", noise, m, err)
	}
	for _, reg := range []float64{1e-6, 1, 1e3} {
		for _, components := range []optionvalues.SomeCount{0, -1} {
			m, err := learners.FitWDA(context.Background(), x, y, names,
				learners.WDAOptions{Filters: 9, Regularization: reg, Components: components, Rows: 20, MaxIter: 2})
			if reg == 1e-6 && err != nil && strings.Contains(err.Error(), "larger regularization") {
				continue // every row stays where it is, so transport within a class costs nothing: there is no ratio
			}
			check("wda", reg, m, err)
		}
	}
}
