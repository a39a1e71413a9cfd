package gaussian

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/testkit"
)

// goldenCase is one case of testdata/dissimilarities.json: values and gradients of
// the sum over i<j by torch 1.13 automatic differentiation in float64, without
// smoothing; fisher_rao by an independent minimization, good to about 1e-6.
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
	b, err := os.ReadFile("testdata/dissimilarities.json")
	if err != nil {
		t.Fatal(err)
	}
	var g struct{ Cases []goldenCase }
	if err := json.Unmarshal(b, &g); err != nil {
		t.Fatal(err)
	}
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
			d, err := ParseDissimilarity(name)
			if err != nil {
				t.Fatal(err)
			}
			what := fmt.Sprintf("m=%d %s", g.M, name)
			tol := 1e-9
			if name == "fisher_rao" {
				tol = 1e-5
			}
			s := &Statistics{Dim: g.M, Means: means, Covariances: covs}
			for i := range c {
				s.Classes, s.Counts = append(s.Classes, fmt.Sprint(i)), append(s.Counts, 100)
			}
			var got mat.Dense
			if err := s.DissimilarityMatrix(&got, d); err != nil {
				t.Fatal(what, err)
			}
			for i := range want { // the file holds every row but the last
				testkit.Close(t, fmt.Sprintf("%s row %d", what, i), got.RawRowView(i), want[i], tol)
			}
			if g.GradMeans[name] == nil {
				continue
			}
			seen++
			p := d.Pairs(c, g.M, 0)
			values, weights := make([]float64, NumPairs(c)), make([]float64, NumPairs(c))
			if err := p.Values(values, means, covs); err != nil {
				t.Fatal(what, err)
			}
			for i := range weights {
				weights[i] = 1
			}
			gm, gs := make([]float64, c*g.M), make([]float64, c*g.M*g.M)
			p.Gradient(gm, gs, weights)
			testkit.Close(t, what+" gradient in means", gm, flatten(g.GradMeans[name]), tol)
			testkit.Close(t, what+" gradient in covariances", gs, flatten3(g.GradCovariances[name]), tol)
		}
		if seen != 11 {
			t.Errorf("m=%d: %d gradients compared, want 11", g.M, seen)
		}
	}
}

// randomGaussians returns c Gaussians in m dimensions: covariances of condition
// about 50; with repeats, class 1 equals class 0 and class 2 has repeated
// eigenvalues relative to class 0 (a multiple of its covariance, same mean).
func randomGaussians(seed uint64, c, m int, repeats bool) (means, covs []float64) {
	rng := rand.New(rand.NewPCG(seed, 7))
	means, covs = make([]float64, c*m), make([]float64, c*m*m)
	a := make([]float64, m*2*m)
	for k := range c {
		for i := range m {
			means[k*m+i] = rng.NormFloat64()
		}
		for i := range a {
			a[i] = rng.NormFloat64()
		}
		for i := range m {
			for j := range m {
				var s float64
				for l := range 2 * m {
					s += a[i*2*m+l] * a[j*2*m+l]
				}
				covs[(k*m+i)*m+j] = s / float64(2*m)
				if i == j {
					covs[(k*m+i)*m+j] += 0.1
				}
			}
		}
	}
	if repeats && c > 2 {
		copy(means[m:2*m], means[:m])
		copy(means[2*m:3*m], means[:m])
		copy(covs[m*m:2*m*m], covs[:m*m])
		for i := range m * m {
			covs[2*m*m+i] = 3 * covs[i]
		}
	}
	return means, covs
}

// allDissimilarities lists every name, with its square where there is one.
func allDissimilarities(t *testing.T) []Dissimilarity {
	t.Helper()
	var out []Dissimilarity
	for _, name := range append(Dissimilarities(), "chernoff:0.3") {
		d, err := ParseDissimilarity(name)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, d)
		if d.Squared = true; d.Validate() == nil {
			out = append(out, d)
		}
	}
	return out
}

func TestGradientsAgreeWithCentralDifferences(t *testing.T) {
	for _, size := range []struct{ c, m int }{{2, 1}, {3, 2}, {4, 5}, {20, 3}, {3, 16}, {20, 16}} {
		for _, repeats := range []bool{false, true} {
			means, covs := randomGaussians(uint64(size.c*100+size.m), size.c, size.m, repeats)
			for _, d := range allDissimilarities(t) {
				if d.Name == "fisher_rao" && size.c*size.m > 100 {
					continue // seconds; the kernel treats pairs one by one
				}
				checkGradient(t, d, size.c, size.m, means, covs)
			}
		}
	}
}

// checkGradient compares the gradient of Σ w_p d_p along random symmetric
// directions with a fourth-order central difference.
func checkGradient(t *testing.T, d Dissimilarity, c, m int, means, covs []float64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, uint64(c)))
	p := d.Pairs(c, m, Smoothing)
	n := NumPairs(c)
	values, weights := make([]float64, n), make([]float64, n)
	for i := range weights {
		weights[i] = rng.Float64() - 0.3
	}
	if err := p.Values(values, means, covs); err != nil {
		t.Fatal(d, err)
	}
	gm, gs := make([]float64, c*m), make([]float64, c*m*m)
	p.Gradient(gm, gs, weights)
	dm, ds := make([]float64, c*m), make([]float64, c*m*m)
	for range 2 {
		var slope, scale float64
		for i := range dm {
			dm[i] = rng.NormFloat64()
			slope += dm[i] * gm[i]
			scale += math.Abs(gm[i])
		}
		for k := range c {
			for i := range m {
				for j := range i + 1 {
					v := rng.NormFloat64()
					ds[(k*m+i)*m+j], ds[(k*m+j)*m+i] = v, v
				}
			}
		}
		for i := range ds {
			slope += ds[i] * gs[i]
			scale += math.Abs(gs[i])
		}
		at := func(h float64) float64 {
			x, y := slices.Clone(means), slices.Clone(covs)
			for i := range x {
				x[i] += h * dm[i]
			}
			for i := range y {
				y[i] += h * ds[i]
			}
			if err := p.Values(values, x, y); err != nil {
				t.Fatal(d, err)
			}
			var s float64
			for i, w := range weights {
				s += w * values[i]
			}
			return s
		}
		// Where classes coincide the distance curves like sqrt(h² + 1e-6), so the
		// step must be well below 1e-3.
		const h = 4e-6
		numeric := (8*(at(h)-at(-h)) - (at(2*h) - at(-2*h))) / (12 * h)
		if !(math.Abs(numeric-slope) <= 1e-6*(1+scale)) {
			t.Errorf("%v c=%d m=%d: slope %.12g, central difference %.12g (scale %.3g)", d, c, m, slope, numeric, scale)
		}
	}
}

// Properties that the definitions promise, each on random Gaussians.
func TestDissimilarityInvariances(t *testing.T) {
	const c, m = 5, 4
	means, covs := randomGaussians(11, c, m, false)
	rng := rand.New(rand.NewPCG(1, 1))
	l := make([]float64, m*m)
	for i := range l {
		l[i] = rng.NormFloat64()
	}
	shift := []float64{1, -2, 0.5, 3}
	affine := map[string]bool{"calvo_oller": true, "bhattacharyya": true, "chernoff": true, "hellinger": true,
		"jeffreys": true, "mahalanobis": true, "fisher_rao": true}
	for _, d := range allDissimilarities(t) {
		base := pairValuesOf(t, d, c, m, means, covs)
		if affine[d.Name] {
			x, y := transformed(means, covs, l, shift, c, m)
			testkit.Close(t, d.String()+" under x ↦ Lx + b", pairValuesOf(t, d, c, m, x, y), base, 1e-8)
		}
		if d.Name == "affine_invariant" {
			x, y := transformed(means, covs, l, make([]float64, m), c, m)
			testkit.Close(t, d.String()+" under x ↦ Lx", pairValuesOf(t, d, c, m, x, y), base, 1e-9)
		}
		for i, v := range base {
			if !(v > 0) {
				t.Errorf("%v: pair %d of different Gaussians has %g", d, i, v)
			}
		}
		if d.S == 0 { // the others are symmetric: reversing the classes reverses the pairs
			x, y := reversed(means, m), reversed(covs, m*m)
			back := pairValuesOf(t, d, c, m, x, y)
			slices.Reverse(back)
			for i := range c { // row-by-row order reversed is column-by-column order
				for j := i + 1; j < c; j++ {
					got := back[len(back)-1-PairIndex(c-1-j, c-1-i, c)]
					if want := base[PairIndex(i, j, c)]; math.Abs(got-want) > 1e-9*(1+want) {
						t.Errorf("%v: pair (%d,%d) is %g, swapped %g", d, i, j, want, got)
					}
				}
			}
		}
	}
}

func reversed(x []float64, size int) []float64 {
	var out []float64
	for i := len(x) - size; i >= 0; i -= size {
		out = append(out, x[i:i+size]...)
	}
	return out
}

func pairValuesOf(t *testing.T, d Dissimilarity, c, m int, means, covs []float64) []float64 {
	t.Helper()
	v := make([]float64, NumPairs(c))
	if err := d.Pairs(c, m, 0).Values(v, means, covs); err != nil {
		t.Fatal(d, err)
	}
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

func TestEqualGaussiansHaveNoDistance(t *testing.T) {
	const c, m = 3, 3
	means, covs := randomGaussians(3, c, m, true)
	for _, d := range allDissimilarities(t) {
		if v := pairValuesOf(t, d, c, m, means, covs)[0]; !(math.Abs(v) < 3e-7) {
			t.Errorf("%v of equal Gaussians is %g", d, v)
		}
		p := d.Pairs(c, m, 0)
		values, weights := make([]float64, 3), []float64{1, 0, 0}
		if err := p.Values(values, means, covs); err != nil {
			t.Fatal(err)
		}
		gm, gs := make([]float64, c*m), make([]float64, c*m*m)
		p.Gradient(gm, gs, weights)
		for _, g := range append(gm, gs...) {
			if math.IsNaN(g) || math.IsInf(g, 0) {
				t.Errorf("%v: gradient of equal Gaussians without smoothing is %g", d, g)
				break
			}
		}
	}
}

func TestSameBitsAtAnyGOMAXPROCS(t *testing.T) {
	const c, m = 15, 4
	means, covs := randomGaussians(21, c, m, true)
	for _, d := range allDissimilarities(t) {
		var first []float64
		for _, procs := range []int{1, 2, 8} {
			old := runtime.GOMAXPROCS(procs)
			p := d.Pairs(c, m, Smoothing)
			values, weights := make([]float64, NumPairs(c)), make([]float64, NumPairs(c))
			gm, gs := make([]float64, c*m), make([]float64, c*m*m)
			err := p.Values(values, means, covs)
			for i := range weights {
				weights[i] = float64(i%7) - 2
			}
			p.Gradient(gm, gs, weights)
			runtime.GOMAXPROCS(old)
			if err != nil {
				t.Fatal(err)
			}
			all := slices.Concat(values, gm, gs)
			if first == nil {
				first = all
			} else if !slices.Equal(first, all) {
				t.Errorf("%v: other bits at GOMAXPROCS %d", d, procs)
			}
		}
	}
}

func TestParseDissimilarity(t *testing.T) {
	for _, d := range allDissimilarities(t) {
		back, err := ParseDissimilarity(d.String())
		if err != nil || back.String() != d.String() {
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
		"chernoff:x":             "only chernoff takes a weight",
		"mahalanobis:0.5":        "only chernoff takes a weight",
		"wasserstein_normalised": "wasserstein_normalized",
	} {
		_, err := ParseDissimilarity(name)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", name, err, want)
		}
	}
}

func FuzzParseDissimilarity(f *testing.F) {
	for _, name := range append(Dissimilarities(), "chernoff:0.3", "hellinger_squared", "chernoff:", ":_squared", "") {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		d, err := ParseDissimilarity(name)
		if err != nil {
			return
		}
		back, err := ParseDissimilarity(d.String())
		if err != nil || back.String() != d.String() || d.Validate() != nil {
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
	s := &Statistics{Classes: []string{"cat", "dog", "owl"}, Counts: []int{9, 9, 9}, Dim: 2, Means: means,
		Covariances: covs}
	for _, d := range allDissimilarities(t) {
		if d.UsesSecondMoments() || d.Name == "calvo_oller" {
			continue // the singular direction is where rounding decides, or the means fill it
		}
		err := s.DissimilarityMatrix(&mat.Dense{}, d)
		if err == nil || !strings.Contains(err.Error(), "class dog is not positive definite (smallest eigenvalue") ||
			!strings.Contains(err.Error(), "add feature noise") {
			t.Errorf("%v: %v", d, err)
		}
	}
}

// The eigenvalues that an error tells are those of the covariance, not of the
// embedding.
func TestSingularErrorTellsOfTheCovariance(t *testing.T) {
	covs := []float64{2, 0, 0, 3, 0, 0, 0, 0}
	err := Dissimilarity{}.Pairs(2, 2, 0).Values(make([]float64, 1), make([]float64, 4), covs)
	var singular *SingularError
	if !errors.As(err, &singular) || singular.Class != 1 || singular.Smallest != 0 || singular.Largest != 0 {
		t.Errorf("zero covariance: %v", err)
	}
}

func ExampleStatistics_DissimilarityMatrix() {
	s := &Statistics{Classes: []string{"a", "b"}, Counts: []int{10, 10}, Dim: 1,
		Means: []float64{0, 0}, Covariances: []float64{1, math.Exp(2)}}
	var d mat.Dense
	if err := s.DissimilarityMatrix(&d, Dissimilarity{Name: "fisher_rao"}); err != nil {
		panic(err)
	}
	fmt.Printf("%.4f\n", d.At(0, 1)) // sqrt(2) times the difference of the log standard deviations
	// Output: 1.4142
}
