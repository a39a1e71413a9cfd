package feature_test

import (
	"context"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/classify"
	"rao/dataset"
	"rao/evaluate"
	"rao/feature"
	"rao/gaussian"
	"rao/internal/learners"
	"rao/internal/testkit"
	_ "rao/sets" // digits by name
)

// digits are the 1797 embedded optical digits, and the golden numbers for them.
type digits struct {
	*dataset.Data
	stats  *gaussian.Statistics
	golden struct {
		Digits struct {
			PCA, ICA []float64
			ICAStart []float64 `json:"ica_start"`
		}
	}
}

func openDigits(t *testing.T) *digits {
	t.Helper()
	data := testkit.Must(dataset.Open(context.Background(), "digits", dataset.OpenOptions{}))(t)
	testkit.Equal(t, data.N(), 1797, "digits")
	d := &digits{Data: data}
	testkit.ReadJSON(t, "testdata/linear.json", &d.golden)
	d.stats = testkit.Must(gaussian.Estimate(d.X, d.Labels, d.Classes))(t)
	return d
}

func TestPCAOfDigits(t *testing.T) {
	d := openDigits(t)
	m := testkit.Must(feature.FitPCA(d.stats, feature.PCAOptions{Filters: 9}))(t)
	testkit.Close(t, "variances", m.Values, d.golden.Digits.PCA, 1e-10)
}

func TestICAOfDigits(t *testing.T) {
	d := openDigits(t)
	start := mat.NewDense(64, 9, d.golden.Digits.ICAStart)
	m := testkit.Must(learners.FitICA(context.Background(), d.X,
		learners.ICAOptions{Filters: 9, Start: start, Tol: 1e-12, MaxIter: 5000}))(t)
	var p mat.Dense
	p.Mul(mat.NewDense(9, 64, d.golden.Digits.ICA), m.Loadings)
	if d := testkit.Amari(&p); d > 1e-3 {
		t.Errorf("Amari distance %g to scikit-learn", d)
	}
}

// On held-out digits, every supervised learner separates the classes better than principal components.
func TestSupervisedLearnersBeatPCAOnDigits(t *testing.T) {
	d := openDigits(t)
	fold := testkit.Must(evaluate.StratifiedSplit(d.Labels, 0.5, 1))(t)
	train, test := d.Subset(fold.Train), d.Subset(fold.Test)
	stats := testkit.Must(gaussian.Estimate(train.X, train.Labels, d.Classes))(t)
	const filters = 4
	ctx, x, y, names := context.Background(), train.X, train.Labels, d.Classes
	score := func(name string, m *feature.Model, err error) float64 {
		if err != nil && !rao.IsNotConverged(err) {
			t.Fatalf("%s: %v", name, err)
		}
		var z, logp mat.Dense
		m.Transform(&z, train.X)
		s := testkit.Must(gaussian.Estimate(&z, y, names))(t, name)
		q, err := classify.FitQDA(s, classify.QDAOptions{})
		testkit.NoError(t, err, name)
		z.Reset()
		m.Transform(&z, test.X)
		testkit.NoError(t, q.LogPosterior(ctx, &logp, &z))
		r, err := evaluate.Score(test.Labels, &logp)
		testkit.NoError(t, err, name)
		t.Logf("%s: %.3f", name, r.Accuracy)
		return r.Accuracy
	}
	fit := func(m *feature.Model, err error) (*feature.Model, error) { return m, err }
	pca, err := feature.FitPCA(stats, feature.PCAOptions{Filters: filters})
	base := score("pca", pca, err)
	for name, f := range map[string]func() (*feature.Model, error){
		"lda": func() (*feature.Model, error) {
			return fit(feature.FitLDA(stats, feature.LDAOptions{Filters: filters}))
		},
		"spca": func() (*feature.Model, error) {
			return fit(learners.FitSPCA(stats, learners.SPCAOptions{Filters: filters}))
		},
		"lfda": func() (*feature.Model, error) {
			return learners.FitLFDA(ctx, x, y, names, learners.LFDAOptions{Filters: filters})
		},
		"lmnn": func() (*feature.Model, error) {
			return learners.FitLMNN(ctx, x, y, names, learners.LMNNOptions{Filters: filters})
		},
		"wda": func() (*feature.Model, error) {
			return learners.FitWDA(ctx, x, y, names, learners.WDAOptions{Filters: filters})
		},
		"nca": func() (*feature.Model, error) {
			return learners.FitNCA(ctx, x, y, names, learners.NCAOptions{Filters: filters, MaxIter: 30})
		},
		"ama": func() (*feature.Model, error) {
			return learners.FitAMA(ctx, x, y, names, learners.AMAOptions{Filters: filters})
		},
	} {
		m, err := f()
		if got := score(name, m, err); got < base+0.005 {
			t.Errorf("%s: accuracy %.3f, principal components %.3f", name, got, base)
		}
	}
}
