package gaussian_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/classcolumns"
	"rao/internal/gaussiancheck"
	"rao/internal/testkit"
)

// goldenCase is a case of testdata/dissimilarities.json: the value and gradient of the sum over i<j. They are computed
// by automatic differentiation of torch 1.13 in float64, without smoothing. Those of fisher_rao are from an independent
// minimization with an error of about 1e-6.
type goldenCase struct {
	M               int
	Means           [][]float64
	Covariances     [][][]float64
	Distance        map[string][][]float64
	GradMeans       map[string][][]float64   `json:"grad_means"`
	GradCovariances map[string][][][]float64 `json:"grad_covariances"`
}

func goldenCases(t *testing.T) []goldenCase {
	t.Helper()
	var g struct{ Cases []goldenCase }
	testkit.ReadJSON(t, "testdata/dissimilarities.json", &g)
	return g.Cases
}

func flatten(x [][]float64) []float64 { return slices.Concat(x...) }

func flatten3(x [][][]float64) []float64 {
	var out []float64
	for _, a := range x {
		out = append(out, flatten(a)...)
	}
	return out
}

func TestDissimilaritiesAgreeWithAutomaticDifferentiation(t *testing.T) {
	for _, g := range goldenCases(t) {
		c := len(g.Means)
		means, covs := flatten(g.Means), flatten3(g.Covariances)
		seen := 0
		for name, want := range g.Distance {
			d := testkit.Must(gaussian.ParseDissimilarity(name))(t)
			what := fmt.Sprintf("m=%d %s", g.M, name)
			tol := 1e-9
			if name == "fisher_rao" {
				tol = 1e-5
			}
			s := &gaussian.Statistics{Dim: g.M, Means: means, Covariances: covs}
			for i := range c {
				s.Classes, s.Counts = append(s.Classes, fmt.Sprint(i)), append(s.Counts, 100)
			}
			var got mat.Dense
			testkit.NoError(t, s.DissimilarityMatrix(&got, d), what)
			for i := range want { // the file holds every row but the last
				testkit.Close(t, fmt.Sprintf("%s row %d", what, i), got.RawRowView(i), want[i], tol)
			}
			if g.GradMeans[name] == nil {
				continue
			}
			seen++
			p := d.Pairs(nil, c, g.M, 0)
			values, weights := make([]float64, classcolumns.NumPairs(c)), make([]float64, classcolumns.NumPairs(c))
			testkit.NoError(t, p.Values(values, means, covs), what)
			for i := range weights {
				weights[i] = 1
			}
			gm, gs := make([]float64, c*g.M), make([]float64, c*g.M*g.M)
			p.Gradient(gm, gs, weights)
			testkit.Close(t, what+" gradient in means", gm, flatten(g.GradMeans[name]), tol)
			testkit.Close(t, what+" gradient in covariances", gs, flatten3(g.GradCovariances[name]), tol)
		}
		testkit.Equal(t, seen, 11, "gradients for m =", g.M)
	}
}

// allDissimilarities lists every name.
func allDissimilarities() (list []gaussian.Dissimilarity) {
	for _, name := range append(gaussian.Dissimilarities(), "chernoff:0.3") {
		list = append(list, gaussian.Dissimilarity(name))
	}
	return list
}

func TestDissimilaritiesHaveWhatLearnersNeed(t *testing.T) {
	for _, d := range allDissimilarities() {
		gaussiancheck.Check(t, d)
	}
}

// Kernels compute pairs in chunks, and in vectors of several matrices. This test needs more than one of each.
func TestGradientsOfManyAndLargeGaussians(t *testing.T) {
	for _, size := range []struct{ c, m int }{{20, 3}, {3, 16}, {20, 16}} {
		for _, repeats := range []bool{false, true} {
			means, covs := gaussiancheck.Random(uint64(size.c*100+size.m), size.c, size.m, repeats)
			for _, d := range allDissimilarities() {
				if d == gaussian.FisherRao && size.c*size.m > 100 {
					continue // seconds; the kernel treats pairs one by one
				}
				gaussiancheck.Gradient(t, d, size.c, size.m, means, covs)
			}
		}
	}
}

// Properties that the definitions promise, each on random Gaussians.
func TestDissimilarityInvariances(t *testing.T) {
	const c, m = 5, 4
	means, covs := gaussiancheck.Random(11, c, m, false)
	rng := rand.New(rand.NewPCG(1, 1))
	l := testkit.Normals(rng, m*m)
	shift := []float64{1, -2, 0.5, 3}
	affine := []gaussian.Dissimilarity{gaussian.CalvoOller, gaussian.Bhattacharyya, gaussian.Chernoff, "chernoff:0.3",
		gaussian.Hellinger, gaussian.Jeffreys, gaussian.Mahalanobis, gaussian.FisherRao, gaussian.ChernoffBest}
	others := []gaussian.Dissimilarity{gaussian.Riemann, gaussian.LogEuclid, gaussian.Wasserstein,
		gaussian.WassersteinNormalized, gaussian.Euclid,
		"mean_shift", "joint_shift"} // of extend_test.go
	for _, d := range allDissimilarities() {
		if name, _, _ := strings.Cut(string(d), "_squared"); !slices.Contains(append(affine, others...),
			gaussian.Dissimilarity(name)) {
			t.Errorf("say in a list above whether %s is the same after x ↦ Lx + b", d)
		}
		base := pairValuesOf(t, d, c, m, means, covs)
		if slices.Contains(affine, d) {
			x, y := transformed(means, covs, l, shift, c, m)
			testkit.Close(t, string(d)+" under x ↦ Lx + b", pairValuesOf(t, d, c, m, x, y), base, 1e-8)
		}
		if d == gaussian.Riemann {
			x, y := transformed(means, covs, l, make([]float64, m), c, m)
			testkit.Close(t, string(d)+" under x ↦ Lx", pairValuesOf(t, d, c, m, x, y), base, 1e-9)
		}
	}
}

func pairValuesOf(t *testing.T, d gaussian.Dissimilarity, c, m int, means, covs []float64) []float64 {
	t.Helper()
	v := make([]float64, classcolumns.NumPairs(c))
	testkit.NoError(t, d.Pairs(nil, c, m, 0).Values(v, means, covs), d)
	return v
}

// transformed returns the Gaussians of Lx + b.
func transformed(means, covs, l, b []float64, c, m int) (x, y []float64) {
	x, y = make([]float64, c*m), make([]float64, c*m*m)
	lm := mat.NewDense(m, m, l)
	for k := range c {
		var v mat.VecDense
		v.MulVec(lm, mat.NewVecDense(m, means[k*m:(k+1)*m]))
		var s mat.Dense
		s.Product(lm, mat.NewDense(m, m, covs[k*m*m:(k+1)*m*m]), lm.T())
		for i := range m {
			x[k*m+i] = v.AtVec(i) + b[i]
			for j := range m {
				y[(k*m+i)*m+j] = (s.At(i, j) + s.At(j, i)) / 2
			}
		}
	}
	return x, y
}

func TestLookupDissimilarity(t *testing.T) {
	for _, d := range allDissimilarities() {
		back, err := gaussian.ParseDissimilarity(string(d))
		if err != nil || back != d {
			t.Errorf("%v reads back as %v, %v", d, back, err)
		}
	}
	for name, want := range map[string]string{
		"calvo-oler":             "did you mean calvo_oller",
		"bhattacharya":           "did you mean bhattacharyya",
		"":                       "",
		"jeffreys_squared":       "no square",
		"chernoff:1.5":           "above 0 and below 1",
		"chernoff:0":             "above 0 and below 1",
		"chernoff:x":             "must be a number above 0 and below 1",
		"mahalanobis:0.5":        "only chernoff has one",
		"wasserstein_normalised": "wasserstein_normalized",
	} {
		_, err := gaussian.ParseDissimilarity(name)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", name, err, want)
		}
	}
}

func FuzzLookupDissimilarity(f *testing.F) {
	for _, name := range append(gaussian.Dissimilarities(), "chernoff:0.3", "hellinger_squared", "chernoff:",
		":_squared", "") {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		d, err := gaussian.ParseDissimilarity(name)
		if err != nil {
			return
		}
		back, err := gaussian.ParseDissimilarity(string(d))
		if err != nil || back != d {
			t.Errorf("%q reads as %v, which reads as %v: %v", name, d, back, err)
		}
	})
}

func TestSingularClassIsNamed(t *testing.T) {
	means := make([]float64, 6)
	covs := []float64{2, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 1}
	for i := range means {
		means[i] = float64(i * i)
	}
	s := &gaussian.Statistics{Classes: []string{"cat", "dog", "owl"}, Counts: []int{9, 9, 9}, Dim: 2, Means: means,
		Covariances: covs}
	for _, d := range allDissimilarities() {
		how := testkit.Must(d.Measure())(t)
		if how.Singular || how.Moments || d == gaussian.CalvoOller {
			continue // the singular direction is where rounding decides, or the means fill it
		}
		err := s.DissimilarityMatrix(&mat.Dense{}, d)
		if err == nil || !strings.Contains(err.Error(), "class dog is not positive definite: its smallest") ||
			!strings.Contains(err.Error(), "add feature noise") {
			t.Errorf("%v: %v", d, err)
		}
	}
}

// The eigenvalues in an error are those of the covariance, not of the embedding.
func TestSingularErrorTellsOfTheCovariance(t *testing.T) {
	covs := []float64{2, 0, 0, 3, 0, 0, 0, 0}
	err := gaussian.CalvoOller.Pairs(nil, 2, 2, 0).Values(make([]float64, 1), make([]float64, 4), covs)
	var singular *gaussian.SingularError
	if !errors.As(err, &singular) || singular.Class != 1 || singular.Smallest != 0 || singular.Largest != 0 {
		t.Errorf("zero covariance: %v", err)
	}
}

func ExampleStatistics_DissimilarityMatrix() {
	s := &gaussian.Statistics{Classes: []string{"a", "b"}, Counts: []int{10, 10}, Dim: 1,
		Means: []float64{0, 0}, Covariances: []float64{1, math.Exp(2)}}
	var d mat.Dense
	if err := s.DissimilarityMatrix(&d, gaussian.FisherRao); err != nil {
		panic(err)
	}
	fmt.Printf("%.4f\n", d.At(0, 1)) // sqrt(2) times the difference of the log standard deviations
	// Output: 1.4142
}
