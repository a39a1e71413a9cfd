package classify

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/subclasses"
	"rao/internal/testkit"
)

// The log-posteriors equal the values of an independent program in numpy (see ../sqfa/testdata/README.md).
func TestMixtureAgreesWithNumpy(t *testing.T) {
	var g struct {
		Of               []int
		Weights          []float64
		Means, Filters   [][]float64
		Covariances      [][][]float64
		Noise            float64
		Rows, Posteriors [][]float64
	}
	b, err := os.ReadFile("../sqfa/testdata/components.json")
	if err == nil {
		err = json.Unmarshal(b, &g)
	}
	testkit.NoError(t, err)
	s := &gaussian.Statistics{Dim: len(g.Means[0]), Classes: make([]string, len(g.Of))}
	for k := range g.Of {
		s.Counts = append(s.Counts, int(math.Round(20*g.Weights[k])))
		s.Means, s.Covariances = append(s.Means, g.Means[k]...),
			append(s.Covariances, slices.Concat(g.Covariances[k]...)...)
	}
	m := testkit.Must(FitMixture(s.Project(mat.NewDense(s.Dim, 2, slices.Concat(g.Filters...))), g.Of,
		[]string{"a", "b", "c", "d"}, MixtureOptions{Noise: g.Noise}))(t)
	var got mat.Dense
	testkit.NoError(t, m.LogPosterior(t.Context(), &got, mat.NewDense(len(g.Rows), 2, slices.Concat(g.Rows...))))
	testkit.Close(t, "log-posteriors", got.RawMatrix().Data, slices.Concat(g.Posteriors...), 1e-11)
}

// mixtureOf returns rows of two classes of two clusters each, and their statistics.
func mixtureOf(t testing.TB, seed uint64, rows, n int) (x *mat.Dense, labels []int, s *subclasses.Statistics) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 3))
	x = mat.NewDense(rows, n, nil)
	for i := range rows {
		k := rng.IntN(4)
		labels = append(labels, k%2)
		for j := range n {
			x.Set(i, j, rng.NormFloat64()*float64(1+j%2)+3)
		}
		x.Set(i, 0, x.At(i, 0)+2*float64(k))
	}
	s = testkit.Must(subclasses.Estimate(t.Context(), subclasses.RowsOf(x, labels, []string{"even", "odd"}),
		subclasses.Options{Most: 2}))(t)
	s = s.Scaled(1, true)
	return x, labels, s
}

// With one component per class the mixture is the quadratic discriminant, and a second, identical component changes
// nothing.
func TestMixtureOfOneIsQDA(t *testing.T) {
	x, labels, _ := mixtureOf(t, 1, 400, 3)
	stats := testkit.Must(gaussian.Estimate(x, labels, nil))(t)
	q := testkit.Must(FitQDA(stats, QDAOptions{Priors: []float64{1, 3}}))(t)
	m := testkit.Must(FitMixture(stats, []int{0, 1}, stats.Classes, MixtureOptions{Priors: []float64{1, 3}}))(t)
	twice := &gaussian.Statistics{Dim: 3, Classes: []string{"a", "b", "c"},
		Counts:      append(slices.Clone(stats.Counts), stats.Counts[1]),
		Means:       slices.Concat(stats.Means, stats.Mean(1)),
		Covariances: slices.Concat(stats.Covariances, stats.Covariance(1).RawSymmetric().Data)}
	d := testkit.Must(FitMixture(twice, []int{0, 1, 1}, stats.Classes, MixtureOptions{Priors: []float64{1, 3}}))(t)
	var want, got, double mat.Dense
	testkit.NoError(t, q.LogPosterior(t.Context(), &want, x))
	testkit.NoError(t, m.LogPosterior(t.Context(), &got, x))
	testkit.NoError(t, d.LogPosterior(t.Context(), &double, x))
	testkit.Close(t, "mixture of one", got.RawMatrix().Data, want.RawMatrix().Data, 1e-9)
	testkit.Close(t, "mixture of one and its double", double.RawMatrix().Data, want.RawMatrix().Data, 1e-9)
}

// A linear map of the features changes neither decisions nor probabilities.
func TestMixtureDoesNotDependOnCoordinates(t *testing.T) {
	x, _, s := mixtureOf(t, 2, 300, 3)
	comp := subclasses.Shrink(s.Components, s.Of)
	var z mat.Dense
	z.Mul(x, s.Basis.Components)
	f := []float64{2, 1, 0, 0, 1e-3, 4, 1, 0, 300}
	var moved mat.Dense
	moved.Mul(&z, mat.NewDense(3, 3, f))
	a := testkit.Must(FitMixture(comp, s.Of, s.Classes, MixtureOptions{}))(t)
	b := testkit.Must(FitMixture(comp.Project(mat.NewDense(3, 3, f)), s.Of, s.Classes, MixtureOptions{}))(t)
	var p, q mat.Dense
	testkit.NoError(t, a.LogPosterior(t.Context(), &p, &z))
	testkit.NoError(t, b.LogPosterior(t.Context(), &q, &moved))
	testkit.Close(t, "log-posteriors", q.RawMatrix().Data, p.RawMatrix().Data, 1e-7)
}

func TestMixtureGivesTheSameBits(t *testing.T) {
	x, labels, s := mixtureOf(t, 3, 1500, 4)
	var z mat.Dense
	z.Mul(x, s.Basis.Components)
	testkit.SameAtAnyProcs(t, func() []float64 {
		m := testkit.Must(FitMixture(subclasses.Shrink(s.Components, s.Of), s.Of, s.Classes, MixtureOptions{}))(t)
		testkit.NoError(t, m.Calibrate(t.Context(), &z, labels, 1, MixtureOptions{}))
		var p mat.Dense
		testkit.NoError(t, m.LogPosterior(t.Context(), &p, &z))
		return p.RawMatrix().Data
	})
}

// Calibration lowers the confidence of an overconfident mixture and does not change a calibrated one.
func TestCalibrationOfMixtures(t *testing.T) {
	loss := func(m *Mixture, z mat.Matrix, labels []int) float64 {
		var p mat.Dense
		testkit.NoError(t, m.LogPosterior(t.Context(), &p, z))
		sum := 0.0
		for i, l := range labels {
			sum -= p.At(i, l) / float64(len(labels))
		}
		return sum
	}
	for _, c := range []struct {
		n, rows int
		heavy   bool
	}{{3, 4000, false}, {8, 600, true}} {
		// Four heavy-tailed clusters on a line against a mixture of Gaussians.
		draw := func(seed uint64, rows int) (*mat.Dense, []int) {
			x, labels, _ := mixtureOf(t, seed, rows, c.n)
			rng := rand.New(rand.NewPCG(seed, 9))
			for i := range rows {
				if c.heavy && rng.IntN(10) == 0 {
					for j := range c.n {
						x.Set(i, j, x.At(i, j)+3*rng.NormFloat64())
					}
				}
			}
			return x, labels
		}
		x, labels := draw(4, c.rows)
		s := testkit.Must(subclasses.Estimate(t.Context(), subclasses.RowsOf(x, labels, []string{"a", "b"}),
			subclasses.Options{Most: 2}))(t)
		m := testkit.Must(FitMixture(s.Shrunk(), s.Of, s.Classes, MixtureOptions{}))(t)
		project := func(x *mat.Dense) *mat.Dense {
			rows, n := x.Dims()
			z := mat.NewDense(rows, n, nil)
			z.Apply(func(_, j int, v float64) float64 { return v - s.Basis.Center[j] }, x)
			z.Mul(z, s.Basis.Components)
			return z
		}
		fresh, truth := draw(5, 20000)
		z := project(fresh)
		before := loss(m, z, truth)
		testkit.NoError(t, m.Calibrate(t.Context(), project(x), labels, 1, MixtureOptions{}))
		after := loss(m, z, truth)
		t.Logf("heavy %v: temperature %.3f, log loss %.4f → %.4f", c.heavy, m.Temperature, before, after)
		if c.heavy && !(m.Temperature > 1.02 && after < before) || !c.heavy &&
			!(math.Abs(math.Log(m.Temperature)) < 0.25 && after < before+1e-3) {
			t.Errorf("heavy %v: temperature %.3f, log loss %.4f → %.4f", c.heavy, m.Temperature, before, after)
		}
	}
}

func TestMixtureNamesWhatIsWrong(t *testing.T) {
	_, _, s := mixtureOf(t, 6, 200, 3)
	flat := s.Shrunk()
	for i := range 9 {
		flat.Covariances[i] = 0
	}
	for _, c := range []struct {
		want  string
		stats *gaussian.Statistics
		of    []int
		opt   MixtureOptions
	}{
		{"class even is not positive definite: its", flat, s.Of, MixtureOptions{}},
		{"noise is -1", s.Shrunk(), s.Of, MixtureOptions{Noise: -1}},
		{"number of priors is 3", s.Shrunk(), s.Of, MixtureOptions{Priors: []float64{1, 2, 3}}},
		{"the class number 1 of component", s.Shrunk(), []int{1, 0, 0, 1}, MixtureOptions{}},
		{"classes of the components is 1", s.Shrunk(), []int{0, 0, 0, 0}, MixtureOptions{}},
	} {
		testkit.ErrorContains(t, testkit.ErrorOf(FitMixture(c.stats, c.of, s.Classes, c.opt)), c.want)
	}
	m, err := FitMixture(s.Shrunk(), s.Of, s.Classes, MixtureOptions{})
	if err != nil || m.Validate() != nil {
		t.Fatal(err, m.Validate())
	}
	for _, spoil := range []func(m *Mixture){
		func(m *Mixture) { m.Temperature = 0 }, func(m *Mixture) { m.Weights = []float64{1} },
		func(m *Mixture) { m.Of = []int{0, 1, 2, 3} },
		func(m *Mixture) { m.Covariances = nil }, func(m *Mixture) { m.Means = mat.NewDense(1, 1, nil) }} {
		bad := *m
		if spoil(&bad); bad.Validate() == nil {
			t.Errorf("a damaged mixture passes: %+v", bad)
		}
	}
	m.Means.Set(2, 1, 1e200)
	testkit.ErrorContains(t, m.Validate(), "means: the value in row 2, column 1 is 1e+200, so large that its square "+
		"overflows")
}
