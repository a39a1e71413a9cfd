package learners

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/feature"
	"rao/internal/linalg/vec"
	"rao/internal/testkit"
)

func TestICAAgreesWithScikitLearn(t *testing.T) {
	g, _ := readGolden(t)
	x := mat.NewDense(len(g.ICA.X)/4, 4, g.ICA.X)
	for _, c := range g.ICA.Fits {
		opt := ICAOptions{Filters: 4, Contrast: c.Fun, Deflation: c.Algorithm == "deflation", Tol: 1e-12,
			Start: mat.NewDense(4, 4, c.Start)}
		m := testkit.Must(FitICA(background, x, opt))(t)
		var p mat.Dense // their unmixing times our mixing
		p.Mul(mat.NewDense(4, 4, c.Unmixing), m.Loadings)
		if d := testkit.Amari(&p); d > 1e-7 {
			t.Errorf("%s %s: Amari distance %g to scikit-learn", c.Algorithm, c.Fun, d)
		}
		p.Mul(m.Filters.T(), mat.NewDense(4, 4, g.ICA.Mixing))
		if d := testkit.Amari(&p); d > 0.05 {
			t.Errorf("%s %s: Amari distance %g to the truth", c.Algorithm, c.Fun, d)
		}
		var z mat.Dense
		m.Transform(&z, x)
		cov := estimate(t, &z, make([]int, 2000)).Covariance(0).RawSymmetric().Data
		for i := range cov {
			cov[i] *= 1999. / 2000
		}
		testkit.Close(t, "covariance of the components", cov, vec.Identity(4), 1e-9)
		p.Mul(m.Filters.T(), m.Loadings)
		testkit.Close(t, "filters times loadings", p.RawMatrix().Data, vec.Identity(4), 1e-9)
	}
}

func TestICAFromARandomStartFindsTheSources(t *testing.T) {
	g, _ := readGolden(t)
	x := mat.NewDense(len(g.ICA.X)/4, 4, g.ICA.X)
	var first *feature.Model
	for seed := range uint64(4) {
		m := testkit.Must(FitICA(background, x, ICAOptions{Filters: 4, Seed: seed}))(t)
		if first == nil {
			first = m
		}
		testkit.Close(t, "filters", m.Filters.RawMatrix().Data, first.Filters.RawMatrix().Data, 1e-3)
	}
}

func TestICAReportsThatItDidNotConverge(t *testing.T) {
	x, _ := sample(100, 4, 2, 6)
	m, err := FitICA(background, x, ICAOptions{Filters: 4, MaxIter: 1})
	if !rao.IsNotConverged(err) || m == nil || m.Report.Status != rao.StatusMaxIterations || m.Validate() != nil {
		t.Errorf("model %v, error %v", m, err)
	}
	for _, deflation := range []bool{false, true} {
		m, err = FitICA(testkit.Canceled(), x, ICAOptions{Filters: 4, Deflation: deflation})
		if !rao.HasModel(err) || m.Report.Status != rao.StatusCanceled {
			t.Errorf("deflation %v, canceled: error %v", deflation, err)
		}
	}
}
