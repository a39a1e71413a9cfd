package feature_test

import (
	"context"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/dataset"
	"rao/evaluate"
	"rao/feature"
	"rao/gaussian"
	"rao/internal/testkit"
)

// openMNIST returns the first rows of one part of MNIST, divided by 78.57, the
// standard deviation of all its values.
func openMNIST(t *testing.T, part string, rows int) (*mat.Dense, []int, []string) {
	t.Helper()
	images := testkit.External(t, "data", "mnist", part+"-images-idx3-ubyte.gz")
	labels := testkit.External(t, "data", "mnist", part+"-labels-idx1-ubyte.gz")
	d, err := dataset.Open(context.Background(), images, dataset.OpenOptions{Labels: labels})
	if err != nil {
		t.Fatal(err)
	}
	x := d.X.Rows(0, rows).Dense()
	x.Scale(1/78.57, x)
	return x, d.Labels[:rows], d.Classes
}

// Nine filters learned by AMA-Gauss from 4000 digits, hundreds of pixels constant or
// nearly so, decide on digits they have not seen better than linear discriminants.
func TestAMAOnMNIST(t *testing.T) {
	if testing.Short() {
		t.Skip("reads all of MNIST")
	}
	x, y, names := openMNIST(t, "train", 4000)
	q, qy, _ := openMNIST(t, "t10k", 4000)
	stats, err := gaussian.Estimate(x, y, names)
	if err != nil {
		t.Fatal(err)
	}
	accuracy := func(m *feature.Model, err error) float64 {
		if err != nil {
			t.Fatal(err)
		}
		var z, logp mat.Dense
		m.Transform(&z, x)
		s, err := gaussian.Estimate(&z, y, names)
		if err != nil {
			t.Fatal(err)
		}
		c, err := classify.FitQDA(s, classify.QDAOptions{})
		if err != nil {
			t.Fatal(err)
		}
		z.Reset()
		m.Transform(&z, q)
		c.LogPosterior(&logp, &z)
		r, err := evaluate.Score(qy, &logp)
		if err != nil {
			t.Fatal(err)
		}
		return r.Accuracy
	}
	lda := accuracy(feature.FitLDA(stats, feature.LDAOptions{Filters: 9, Shrinkage: gaussian.Fixed, Amount: 0.1}))
	ama := accuracy(feature.FitAMA(context.Background(), x, y, names, feature.AMAOptions{Filters: 9, Noise: 1, Tolerance: 1e-3}))
	t.Logf("lda %.3f, ama %.3f", lda, ama)
	if ama < 0.89 || ama < lda+0.02 {
		t.Errorf("accuracy %.3f, linear discriminants %.3f", ama, lda)
	}
}
