package learners

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/feature"
	"rao/gaussian"
	"rao/internal/linalg/ritz"
	"rao/internal/linalg/vec"
	"rao/internal/linearfilters"
	"rao/internal/testkit"
)

var background = context.Background()

// golden is testdata/linear.json of package feature.
type golden struct {
	Dim int
	X   []float64
	Y   []int
	PCA struct{ Values, Filters []float64 }
	LDA struct{ Filters []float64 }
	FA  struct {
		Dim                      int
		X, Covariance, Transform []float64
		Loglik                   float64
	}
	ICA struct {
		X, Mixing []float64
		Fits      []struct {
			Algorithm, Fun  string
			Start, Unmixing []float64
		}
	}
	NCA struct {
		Start, Gradient []float64
		Value, Best     float64
	}
	Digits struct {
		FA3, FA9 float64
		PCA, ICA []float64
		ICAStart []float64 `json:"ica_start"`
	}
}

func readGolden(t testing.TB) (*golden, *mat.Dense) {
	t.Helper()
	var g golden
	testkit.ReadJSON(t, "../../feature/testdata/linear.json", &g)
	return &g, mat.NewDense(len(g.Y), g.Dim, g.X)
}

func estimate(t testing.TB, x mat.Matrix, y []int) *gaussian.Statistics {
	t.Helper()
	names := make([]string, slices.Max(y)+1)
	for i := range names {
		names[i] = fmt.Sprint(i)
	}
	return testkit.Must(gaussian.Estimate(x, y, names))(t)
}

// sample returns rows of c classes whose means and covariances differ.
func sample(rows, n, c int, seed uint64) (*mat.Dense, []int) {
	rng := rand.New(rand.NewPCG(seed, 1))
	x, y := mat.NewDense(rows, n, nil), make([]int, rows)
	mix := testkit.Normals(rng, n*n)
	z := make([]float64, n)
	for i := range rows {
		y[i] = i % c
		for j := range z {
			z[j] = rng.NormFloat64()*(1+float64((y[i]*(j+1))%c)/2) + float64((y[i]*(j+2))%c)
		}
		for j := range n {
			x.Set(i, j, vec.Dot(mix[j*n:(j+1)*n], z)+3)
		}
	}
	return x, y
}

// sameUpToSign fails unless the columns of got and want agree up to sign and
// positive scale.
func sameUpToSign(t *testing.T, what string, got *mat.Dense, want []float64, tol float64) {
	t.Helper()
	n, m := got.Dims()
	g := slices.Clone(got.RawMatrix().Data)
	w := slices.Clone(want)
	for _, f := range [][]float64{g, w} {
		vec.NormalizeColumns(f, m)
		ritz.FixSigns(f, n, m)
	}
	testkit.Close(t, what, g, w, tol)
}

func TestPCAAgreesWithScikitLearn(t *testing.T) {
	g, x := readGolden(t)
	m := testkit.Must(feature.FitPCA(estimate(t, x, g.Y), feature.PCAOptions{Filters: 3}))(t)
	testkit.Close(t, "variances", m.Values, g.PCA.Values, 1e-12)
	sameUpToSign(t, "filters", m.Filters, g.PCA.Filters, 1e-10)
	one := testkit.Must(feature.FitPCA(estimate(t, x, make([]int, len(g.Y))), feature.PCAOptions{Filters: 3}))(t)
	testkit.Close(t, "filters without classes", one.Filters.RawMatrix().Data, m.Filters.RawMatrix().Data, 1e-10)
}

func TestFeaturesOfPCAHaveTheVariancesFound(t *testing.T) {
	x, y := sample(300, 90, 3, 1) // 90 dimensions take the subspace iteration
	m := testkit.Must(feature.FitPCA(estimate(t, x, y), feature.PCAOptions{Filters: 5}))(t)
	var z mat.Dense
	m.Transform(&z, x)
	s := estimate(t, &z, make([]int, 300))
	want := mat.NewDense(5, 5, nil)
	for i, v := range m.Values {
		want.Set(i, i, v)
	}
	testkit.Close(t, "covariance of the features", s.Covariance(0).RawSymmetric().Data, want.RawMatrix().Data, 1e-10)
	covariance := estimate(t, x, make([]int, 300)).Covariance(0)
	values, vectors := testkit.Must2(linearfilters.FullEigen(covariance.RawSymmetric().Data, 90))(t)
	full := mat.NewDense(90, 5, nil)
	for j := range 5 {
		for i := range 90 {
			full.Set(i, j, vectors[i*90+89-j])
		}
		testkit.Close(t, "variance", m.Values[j:j+1], values[89-j:90-j], 1e-11)
	}
	sameUpToSign(t, "filters", m.Filters, full.RawMatrix().Data, 1e-7)
}

func TestLDAAgreesWithScikitLearn(t *testing.T) {
	g, x := readGolden(t)
	m := testkit.Must(feature.FitLDA(estimate(t, x, g.Y), feature.LDAOptions{Filters: 3}))(t)
	sameUpToSign(t, "filters", m.Filters, g.LDA.Filters, 1e-10)
}

// Values are the F ratios of the features; within-class variances are one.
func TestLDAFeatures(t *testing.T) {
	x, y := sample(240, 7, 4, 2)
	s := estimate(t, x, y)
	m := testkit.Must(feature.FitLDA(s, feature.LDAOptions{Filters: 3}))(t)
	p := s.Project(m.Filters)
	for k := range 3 {
		within, between, mean := 0.0, 0.0, 0.0
		for i := range 4 {
			within += 59 * p.Covariance(i).At(k, k) / 236
			mean += p.Mean(i)[k] / 4
		}
		for i := range 4 {
			d := p.Mean(i)[k] - mean
			between += 60 * d * d / 3
		}
		testkit.Close(t, "within and ratio", []float64{within, between}, []float64{1, m.Values[k]}, 1e-10)
	}
}

func TestLDASkipsEmptyDirections(t *testing.T) {
	x, y := sample(200, 5, 3, 3)
	wide := mat.NewDense(200, 8, nil)
	for i := range 200 {
		for j := range 5 {
			wide.Set(i, j, x.At(i, j))
		}
		wide.Set(i, 5, 4)                       // constant
		wide.Set(i, 6, x.At(i, 0)-2*x.At(i, 3)) // dependent
	}
	want := testkit.Must(feature.FitLDA(estimate(t, x, y), feature.LDAOptions{Filters: 2}))(t)
	got := testkit.Must(feature.FitLDA(estimate(t, wide, y), feature.LDAOptions{Filters: 2}))(t)
	testkit.Close(t, "ratios", got.Values, want.Values, 1e-9)
	var a, b mat.Dense
	want.Transform(&a, x)
	got.Transform(&b, wide)
	sameUpToSign(t, "features", &b, a.RawMatrix().Data, 1e-7)
}

func TestFAAgreesWithScikitLearn(t *testing.T) {
	g, _ := readGolden(t)
	x := mat.NewDense(len(g.FA.X)/g.FA.Dim, g.FA.Dim, g.FA.X)
	rows, _ := x.Dims()
	for _, em := range []bool{false, true} {
		m := testkit.Must(FitFA(background, estimate(t, x, make([]int, rows)), FAOptions{Filters: 2, EM: em,
			Tol: 1e-13}))(t)
		testkit.Close(t, "log-likelihood", []float64{m.Report.Objective}, []float64{g.FA.Loglik}, 1e-9)
		var cov mat.Dense
		cov.Mul(m.Loadings, m.Loadings.T())
		for i, v := range m.NoiseVariances {
			cov.Set(i, i, cov.At(i, i)+v)
		}
		testkit.Close(t, "covariance", cov.RawMatrix().Data, g.FA.Covariance, 1e-4)
		if !em {
			var z mat.Dense // factors are defined up to a rotation: compare inner products
			m.Transform(&z, x.Slice(0, 5, 0, g.FA.Dim))
			var got, want mat.Dense
			got.Mul(&z, z.T())
			theirs := mat.NewDense(5, 2, g.FA.Transform)
			want.Mul(theirs, theirs.T())
			testkit.Close(t, "features", got.RawMatrix().Data, want.RawMatrix().Data, 1e-3)
		}
	}
}

func TestFALikelihoodGradient(t *testing.T) {
	x, y := sample(150, 7, 2, 4)
	s := estimate(t, x, y)
	_, cov, _ := linearfilters.TotalCovariance(s)
	f := newFactors(cov, 7, 2, FAOptions{NoiseFloor: 1e-12})
	for i := range f.psi {
		f.psi[i] = cov[i*7+i] / 2
	}
	value := func() float64 {
		return testkit.Must(f.profile(background))(t)
	}
	value()
	grad := slices.Clone(f.slope)
	const h = 1e-5
	for i := range 7 {
		keep := f.psi[i]
		f.psi[i] = keep * math.Exp(h)
		up := value()
		f.psi[i] = keep * math.Exp(-h)
		down := value()
		f.psi[i] = keep
		testkit.Close(t, "derivative", []float64{grad[i]}, []float64{(up - down) / (2 * h)}, 1e-7)
	}
}

func TestEMNeverLowersTheLikelihood(t *testing.T) {
	x, y := sample(100, 6, 2, 5)
	m := testkit.Must(FitFA(background, estimate(t, x, y), FAOptions{Filters: 2, EM: true, Tol: 1e-5}))(t)
	h := m.Report.History
	for i := 1; i < len(h); i++ {
		if h[i] < h[i-1]-1e-12 {
			t.Fatalf("iteration %d: %.15g after %.15g", i, h[i], h[i-1])
		}
	}
}

func TestStatisticsLearnersExplainBadInput(t *testing.T) {
	x, y := sample(60, 4, 2, 7)
	s := estimate(t, x, y)
	one := estimate(t, x, make([]int, 60))
	broken := estimate(t, x, y)
	broken.Means[1] = math.NaN()
	nan := mat.DenseCopyOf(x)
	nan.Set(3, 2, math.Inf(1))
	thin := mat.NewDense(60, 4, nil)
	for i := range 60 {
		thin.Set(i, 0, x.At(i, 0))
	}
	fit := func(_ *feature.Model, err error) error { return err }
	for _, c := range []struct {
		err  error
		want string
	}{
		{fit(feature.FitPCA(s, feature.PCAOptions{Filters: 5})),
			"the number of filters is 5; it must be between 1 and 4, the number of " +
				"dimensions"},
		{fit(feature.FitPCA(s, feature.PCAOptions{})), "the number of filters is 0"},
		{fit(feature.FitPCA(broken, feature.PCAOptions{Filters: 1})), "class 0: the mean of column 1 is NaN"},
		{fit(feature.FitLDA(one, feature.LDAOptions{Filters: 1})),
			"at least 2 classes are needed, but the data have only 1"},
		{fit(feature.FitLDA(s, feature.LDAOptions{})), "the number of filters is 0; it must be between 1 and 4"},
		{fit(feature.FitLDA(s, feature.LDAOptions{Filters: 1, Shrinkage: gaussian.ShrinkRule{
			Kind: "fixed", Amount: 7}})),
			"the shrinkage is 7"},
		{fit(FitFA(background, s, FAOptions{Filters: 4})), "the number of dimensions minus one"},
		{fit(FitFA(background, s, FAOptions{Filters: 1, Tol: -1})), "the tolerance is -1"},
		{fit(FitFA(background, broken, FAOptions{Filters: 1})), "class 0: the mean of column 1 is NaN"},
		{fit(FitICA(background, nan, ICAOptions{Filters: 2})), "row 3, column 2"},
		{fit(FitICA(background, x, ICAOptions{Filters: 5})), "the number of filters is 5"},
		{fit(FitICA(background, x, ICAOptions{Filters: 2, Contrast: "tan"})), "logcosh, exp, cube"},
		{fit(FitICA(background, thin, ICAOptions{Filters: 2})), "the data vary only in a subspace of dimension 1"},
		{fit(FitICA(background, x, ICAOptions{Filters: 2, Start: mat.NewDense(2, 2, nil)})),
			"the starting filters have shape 2×2, but must have shape 4×2"},
		{fit(FitICA(background, x, ICAOptions{Filters: 2, Start: mat.NewDense(4, 2, nil)})), "linearly dependent"},
	} {
		testkit.ErrorContains(t, c.err, c.want)
	}
}

func TestTransformTakesAnyStorageAndChecksShapes(t *testing.T) {
	x, y := sample(50, 4, 2, 8)
	m := testkit.Must(feature.FitPCA(estimate(t, x, y), feature.PCAOptions{Filters: 2}))(t)
	var want, got mat.Dense
	m.Transform(&want, x)
	m.Transform(&got, mat.DenseCopyOf(x.T()).T())
	if !mat.Equal(&want, &got) {
		t.Error("a transposed view gives other features")
	}
	if in, out := m.Dims(); in != 4 || out != 2 {
		t.Errorf("dimensions %d and %d", in, out)
	}
	for _, f := range []func(){
		func() { m.Transform(&mat.Dense{}, mat.NewDense(2, 3, nil)) },
		func() { m.Transform(mat.NewDense(2, 2, nil), x) },
	} {
		testkit.Equal(t, testkit.Panic(f), any(mat.ErrShape))
	}
}

func TestModelValidateRefusesDamage(t *testing.T) {
	x, y := sample(50, 4, 2, 9)
	s := estimate(t, x, y)
	for want, damage := range map[string]func(*feature.Model){
		"there are no filters":                        func(m *feature.Model) { m.Filters = nil },
		"filter 1 is not finite":                      func(m *feature.Model) { m.Filters.Set(2, 1, math.NaN()) },
		"the length of the center is 1":               func(m *feature.Model) { m.Center = m.Center[:1] },
		"values is 1, but the number of filters is 2": func(m *feature.Model) { m.Values = m.Values[:1] },
		"loadings are 1×1, but must be 4×2":           func(m *feature.Model) { m.Loadings = mat.NewDense(1, 1, nil) },
		"number of noise variances is 3":              func(m *feature.Model) { m.NoiseVariances = make([]float64, 3) },
	} {
		m := testkit.Must(feature.FitPCA(s, feature.PCAOptions{Filters: 2}))(t)
		testkit.NoError(t, m.Validate())
		damage(m)
		testkit.ErrorContains(t, m.Validate(), want)
	}
}

func TestStatisticsLearnersGiveTheSameBitsAnywhere(t *testing.T) {
	x, y := sample(2500, 60, 4, 10)
	for name, fit := range map[string]func() (*feature.Model, error){
		"pca": func() (*feature.Model, error) {
			return feature.FitPCA(estimate(t, x, y), feature.PCAOptions{Filters: 3})
		},
		"lda": func() (*feature.Model, error) {
			return feature.FitLDA(estimate(t, x, y), feature.LDAOptions{Filters: 3})
		},
		"fa":  func() (*feature.Model, error) { return FitFA(background, estimate(t, x, y), FAOptions{Filters: 3}) },
		"ica": func() (*feature.Model, error) { return FitICA(background, x, ICAOptions{Filters: 3, MaxIter: 5}) },
	} {
		testkit.SameAtAnyProcs(t, func() []float64 {
			m := testkit.Fitted(fit())(t, name)
			return m.Filters.RawMatrix().Data
		}, name)
	}
}
