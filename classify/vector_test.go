package classify

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/linalg/vec"
	"rao/internal/testkit"
)

// vectorClassifier is what all classifiers of vectors offer.
type vectorClassifier interface {
	LogPosterior(ctx context.Context, dst *mat.Dense, x mat.Matrix) error
	Dims() (in, classes int)
	Validate() error
}

var (
	_ vectorClassifier = (*QDA)(nil)
	_ vectorClassifier = (*LDA)(nil)
	_ vectorClassifier = (*KNN)(nil)
)

// sample returns rows of c Gaussian classes in n dimensions.
func sample(rows, n, c int, seed uint64) (*mat.Dense, []int, []string) {
	rng := rand.New(rand.NewPCG(seed, 1))
	x, y := mat.NewDense(rows, n, nil), make([]int, rows)
	for i := range rows {
		y[i] = i % c
		for j := range n {
			x.Set(i, j, rng.NormFloat64()*(1+float64(y[i]*(j%2)))+float64((y[i]*(j+1))%c))
		}
	}
	names := make([]string, c)
	for i := range names {
		names[i] = fmt.Sprint("class", i)
	}
	return x, y, names
}

func estimate(t testing.TB, x mat.Matrix, y []int, names []string) *gaussian.Statistics {
	t.Helper()
	return testkit.Must(gaussian.Estimate(x, y, names))(t)
}

// fitAll fits every classifier of vectors to the same data.
func fitAll(t testing.TB, x mat.Matrix, y []int, names []string) map[string]vectorClassifier {
	t.Helper()
	s := estimate(t, x, y, names)
	q := testkit.Must(FitQDA(s, QDAOptions{}))(t)
	l := testkit.Must(FitLDA(s, LDAOptions{}))(t)
	k := testkit.Must(FitKNN(x, y, names, KNNOptions{}))(t)
	return map[string]vectorClassifier{"qda": q, "lda": l, "knn": k}
}

func posterior(m vectorClassifier, x mat.Matrix) []float64 {
	var dst mat.Dense
	if err := m.LogPosterior(context.Background(), &dst, x); err != nil {
		panic(err)
	}
	return slices.Clone(dst.RawMatrix().Data)
}

func TestVectorClassifiersAgreeWithScikitLearn(t *testing.T) {
	var g struct {
		Dim             int
		X, Test, Priors []float64
		Y               []int
		QDA             []float64
		QDAReg          []float64 `json:"qda_reg"`
		QDAPriors       []float64 `json:"qda_priors"`
		LDA             []float64
		LDAPriors       []float64 `json:"lda_priors"`
		LDAFixed        []float64 `json:"lda_fixed"`
		KNNVotes        []float64 `json:"knn_votes"`
	}
	b, err := os.ReadFile("testdata/vector.json")
	if err == nil {
		err = json.Unmarshal(b, &g)
	}
	testkit.NoError(t, err)
	x, test := mat.NewDense(len(g.Y), g.Dim, g.X), mat.NewDense(len(g.Test)/g.Dim, g.Dim, g.Test)
	names := []string{"a", "b", "c"}
	s := estimate(t, x, g.Y, names)
	for _, c := range []struct {
		name string
		opt  QDAOptions
		want []float64
	}{{"qda", QDAOptions{}, g.QDA}, {"qda reg_param", QDAOptions{RegParam: 0.1}, g.QDAReg},
		{"qda priors", QDAOptions{Priors: g.Priors}, g.QDAPriors}} {
		m := testkit.Must(FitQDA(s, c.opt))(t)
		testkit.Close(t, c.name, posterior(m, test), c.want, 1e-11)
	}
	for _, c := range []struct {
		name string
		opt  LDAOptions
		want []float64
	}{{"lda", LDAOptions{}, g.LDA}, {"lda priors", LDAOptions{Priors: g.Priors}, g.LDAPriors},
		{"lda shrunk", LDAOptions{Shrinkage: fixed(0.3)}, g.LDAFixed}} {
		m := testkit.Must(FitLDA(s, c.opt))(t)
		testkit.Close(t, c.name, posterior(m, test), c.want, 1e-11)
	}
	k := testkit.Must(FitKNN(x, g.Y, names, KNNOptions{K: 5}))(t)
	got := posterior(k, test)
	for i, v := range g.KNNVotes {
		g.KNNVotes[i] = math.Log((v + 1./3) / 6)
	}
	testkit.Close(t, "knn", got, g.KNNVotes, 1e-11) // scikit-learn gives no class 2⁻⁴⁰ of a vote more
}

func TestProbabilitiesSumToOne(t *testing.T) {
	x, y, names := sample(120, 4, 3, 1)
	far := mat.DenseCopyOf(x)
	far.Scale(1e6, x) // densities underflow; their ratios must not
	for name, m := range fitAll(t, x, y, names) {
		for _, q := range []mat.Matrix{x, far} {
			p := posterior(m, q)
			for i := 0; i < len(p); i += 3 {
				sum := math.Exp(p[i]) + math.Exp(p[i+1]) + math.Exp(p[i+2])
				if !(math.Abs(sum-1) < 1e-12) {
					t.Fatalf("%s: probabilities of row %d sum to %g", name, i/3, sum)
				}
			}
		}
	}
}

// Permuting classes permutes the columns; an invertible linear map of the data
// changes nothing for the Gaussian classifiers.
func TestClassifiersAreEquivariant(t *testing.T) {
	x, y, names := sample(150, 3, 3, 2)
	flip := make([]int, len(y))
	for i, l := range y {
		flip[i] = 2 - l
	}
	mapped := new(mat.Dense)
	mapped.Mul(x, mat.NewDense(3, 3, []float64{2, 1, 0, -1, 1, 0.5, 0, 3, 2}))
	base, flipped, moved := fitAll(t, x, y, names), fitAll(t, x, flip, names), fitAll(t, mapped, y, names)
	for _, name := range []string{"qda", "lda", "knn"} {
		want, got := posterior(base[name], x), posterior(flipped[name], x)
		for i := 0; i < len(got); i += 3 {
			got[i], got[i+2] = got[i+2], got[i]
		}
		testkit.Close(t, name+" with permuted classes", got, want, 1e-10)
		if name != "knn" {
			testkit.Close(t, name+" of mapped data", posterior(moved[name], mapped), want, 1e-9)
		}
	}
}

func TestSameBitsForAnyNumberOfProcessors(t *testing.T) {
	x, y, names := sample(1500, 5, 4, 3)
	for name := range fitAll(t, x, y, names) {
		testkit.SameAtAnyProcs(t, func() []float64 { return posterior(fitAll(t, x, y, names)[name], x) }, name)
	}
}

// The posterior of a row has the same bits for one row, few rows and many rows.
func TestRowsOfQDAAreIndependent(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	const n, c = 9, 3
	x, labels := mat.NewDense(1200, n, nil), make([]int, 1200)
	for i := range labels {
		labels[i] = i % c
		for j := range n {
			x.Set(i, j, r.NormFloat64()*float64(1+labels[i])+float64(j*labels[i]))
		}
	}
	s := testkit.Must(gaussian.Estimate(x, labels, []string{"a", "b", "c"}))(t)
	q := testkit.Must(FitQDA(s, QDAOptions{}))(t)
	var all mat.Dense
	testkit.NoError(t, q.LogPosterior(t.Context(), &all, x))
	for _, rows := range []int{1, 7, 8, 13, 600} {
		for _, first := range []int{0, 511, 590} {
			var part mat.Dense
			testkit.NoError(t, q.LogPosterior(t.Context(), &part, x.Slice(first, first+rows, 0, n)))
			if !mat.Equal(&part, all.Slice(first, first+rows, 0, c)) {
				t.Errorf("%d rows from %d on differ from the same among all", rows, first)
			}
		}
	}
	for i := range 20 {
		sum, want := 0.0, make([]float64, c)
		for k := range c {
			d := mat.NewVecDense(n, nil)
			d.SubVec(x.RowView(i), q.Means.RowView(k))
			cov := mat.NewSymDense(n, q.Covariances.At(k))
			var chol mat.Cholesky
			var w mat.VecDense
			if !chol.Factorize(cov) || chol.SolveVecTo(&w, d) != nil {
				t.Fatal("singular")
			}
			want[k] = math.Log(q.Priors[k]) - chol.LogDet()/2 - mat.Dot(d, &w)/2
			sum += math.Exp(want[k])
		}
		for k := range c {
			if got := all.At(i, k); math.Abs(got-want[k]+math.Log(sum)) > 1e-11 {
				t.Errorf("row %d, class %d: %g, want %g", i, k, got, want[k]-math.Log(sum))
			}
		}
	}
}

func TestValidateRebuildsAModel(t *testing.T) {
	x, y, names := sample(90, 3, 2, 4)
	for name, m := range fitAll(t, x, y, names) {
		want := posterior(m, x)
		switch v := m.(type) {
		case *QDA:
			m = &QDA{Classes: v.Classes, Priors: v.Priors, Means: v.Means, Covariances: v.Covariances}
		case *LDA:
			m = &LDA{Classes: v.Classes, Priors: v.Priors, Means: v.Means, Coefficients: v.Coefficients,
				Center: v.Center, Intercepts: v.Intercepts}
		case *KNN:
			m = &KNN{Classes: v.Classes, K: v.K, Smoothing: v.Smoothing, Rows: v.Rows, Labels: v.Labels}
		}
		testkit.NoError(t, m.Validate(), name)
		testkit.EqualSlices(t, posterior(m, x), want, name, "a model read back decides otherwise")
		if n, classes := m.Dims(); classes != 2 || n != 3 {
			t.Errorf("%s: %d classes, %d dimensions", name, classes, n)
		}
	}
}

func TestValidateRefusesDamage(t *testing.T) {
	x, y, names := sample(60, 2, 2, 5)
	fit := func() (*QDA, *LDA, *KNN) {
		m := fitAll(t, x, y, names)
		return m["qda"].(*QDA), m["lda"].(*LDA), m["knn"].(*KNN)
	}
	for want, damage := range map[string]func(*QDA, *LDA, *KNN) error{
		"the model has no covariances": func(q *QDA, _ *LDA, _ *KNN) error {
			q.Covariances = nil
			return q.Validate()
		},
		"the number of priors is 3, but the number of classes is 2": func(q *QDA, _ *LDA, _ *KNN) error {
			q.Priors = make([]float64, 3)
			return q.Validate()
		},
		"the priors sum to 3": func(q *QDA, _ *LDA, _ *KNN) error {
			q.Priors = []float64{1, 2}
			return q.Validate()
		},
		"means: the array is 1×1, but must be 2×2": func(q *QDA, _ *LDA, _ *KNN) error {
			q.Means = mat.NewDense(1, 1, nil)
			return q.Validate()
		},
		"the covariance of class class1 contains NaN": func(q *QDA, _ *LDA, _ *KNN) error {
			q.Covariances.At(1)[2] = math.NaN()
			return q.Validate()
		},
		"covariances of the model is 2, but the number of classes is 1": func(q *QDA, _ *LDA, _ *KNN) error {
			q.Classes = q.Classes[:1]
			return q.Validate()
		},
		"means: the value in row 1, column 0 is 1e+200, so large that its square overflows": func(q *QDA, _ *LDA,
			_ *KNN) error {
			q.Means.Set(1, 0, 1e200)
			return q.Validate()
		},
		"means: the value in row 0, column 1 is -1e+200": func(_ *QDA, l *LDA, _ *KNN) error {
			l.Means.Set(0, 1, -1e200)
			return l.Validate()
		},
		"center: the value in row 0, column 1 is 1e+200": func(_ *QDA, l *LDA, _ *KNN) error {
			l.Center[1] = 1e200
			return l.Validate()
		},
		"training rows: the value in row 2, column 1 is 1e+200, so large": func(_ *QDA, _ *LDA, k *KNN) error {
			k.Rows.Set(2, 1, 1e200)
			return k.Validate()
		},
		"coefficients: the array is missing": func(_ *QDA, l *LDA, _ *KNN) error {
			l.Coefficients = nil
			return l.Validate()
		},
		"intercepts is 1, but the number of classes is 2": func(_ *QDA, l *LDA, _ *KNN) error {
			l.Intercepts = l.Intercepts[:1]
			return l.Validate()
		},
		"the model has 0 classes in 2": func(_ *QDA, l *LDA,
			_ *KNN) error {
			l.Classes = nil
			return l.Validate()
		},
		"row 3 has label 9": func(_ *QDA, _ *LDA, k *KNN) error {
			k.Labels[3] = 9
			return k.Validate()
		},
		"the number of neighbors is 61": func(_ *QDA, _ *LDA, k *KNN) error {
			k.K = 61
			return k.Validate()
		},
		"the model has no training rows": func(_ *QDA, _ *LDA, k *KNN) error {
			k.Rows = nil
			return k.Validate()
		},
		"the smoothing is 0": func(_ *QDA, _ *LDA, k *KNN) error {
			k.Smoothing = 0
			return k.Validate()
		},
		"training rows: the value in row 2, column 1 is": func(_ *QDA, _ *LDA, k *KNN) error {
			k.Rows.Set(2, 1, math.Inf(1))
			return k.Validate()
		},
	} {
		testkit.ErrorContains(t, damage(fit()), want)
	}
}

func TestBadTrainingDataIsExplained(t *testing.T) {
	x, y, names := sample(40, 3, 2, 6)
	s := estimate(t, x, y, names)
	flat := mat.DenseCopyOf(x)
	for i := range 40 {
		if y[i] == 1 {
			flat.Set(i, 2, flat.At(i, 0)+flat.At(i, 1)) // dependent columns in one class
		}
	}
	both := mat.DenseCopyOf(x)
	for i := range 40 {
		both.Set(i, 2, 2*both.At(i, 0))
	}
	nan := mat.DenseCopyOf(x)
	nan.Set(7, 1, math.NaN())
	few, fewY, _ := sample(6, 4, 2, 7)
	var err error
	qda := func(s *gaussian.Statistics, o QDAOptions) error { _, err = FitQDA(s, o); return err }
	lda := func(s *gaussian.Statistics, o LDAOptions) error { _, err = FitLDA(s, o); return err }
	knn := func(x mat.Matrix, y []int, names []string, o KNNOptions) error {
		_, err = FitKNN(x, y, names, o)
		return err
	}
	one := estimate(t, x, make([]int, 40), names[:1])
	for _, c := range []struct {
		err  error
		want []string
	}{
		{qda(estimate(t, flat, y, names), QDAOptions{}),
			[]string{"covariance of class class1 is not positive definite", "smallest eigenvalue", "set the " +
				"shrinkage to oas",
				"reg_param"}},
		{qda(estimate(t, few, fewY, names), QDAOptions{}),
			[]string{"class class0", "from 3 observations of 4 dimensions"}},
		{lda(estimate(t, both, y, names), LDAOptions{}),
			[]string{"the pooled covariance of the classes is not positive", "smallest eigenvalue", "shrinkage"}},
		{qda(one, QDAOptions{}), []string{"at least 2 classes are needed"}},
		{lda(one, LDAOptions{}), []string{"at least 2 classes are needed"}},
		{qda(s, QDAOptions{RegParam: 2}), []string{"reg_param is 2; it must be between"}},
		{qda(s, QDAOptions{Shrinkage: fixed(-1)}), []string{"shrinkage is -1"}},
		{qda(s, QDAOptions{Priors: []float64{1}}), []string{"the number of priors is 1, but the number of classes is " +
			"2"}},
		{qda(s, QDAOptions{Priors: []float64{1, 0}}), []string{"prior of class class1 is 0"}},
		{knn(nan, y, names, KNNOptions{}), []string{"row 7, column 1 is NaN"}},
		{knn(x, y, names, KNNOptions{K: 50}), []string{"the number of neighbors is 50, but there are 40"}},
		{knn(x, y, names[:1], KNNOptions{}), []string{"at least two"}},
		{knn(x, y, []string{"a", "b"}, KNNOptions{Smoothing: -1}), []string{"smoothing is -1"}},
	} {
		for _, want := range c.want {
			testkit.ErrorContains(t, c.err, want)
		}
	}
	oas := gaussian.ShrinkRule{Kind: "oas"}
	testkit.NoError(t, qda(estimate(t, flat, y, names), QDAOptions{Shrinkage: oas}), "the remedy offered does not work")
	testkit.NoError(t, qda(estimate(t, flat, y, names), QDAOptions{RegParam: 0.01}), "the remedy offered does not work")
}

func TestWrongShapesPanic(t *testing.T) {
	x, y, names := sample(30, 3, 2, 8)
	for name, m := range fitAll(t, x, y, names) {
		for _, f := range []func(){
			func() { m.LogPosterior(t.Context(), &mat.Dense{}, mat.NewDense(2, 4, nil)) },
			func() { m.LogPosterior(t.Context(), mat.NewDense(2, 2, nil), x) },
		} {
			testkit.Equal(t, testkit.Panic(f), any(mat.ErrShape), name)
		}
	}
}

func TestNaNRowGivesNaN(t *testing.T) {
	x, y, names := sample(30, 3, 2, 9)
	q := mat.NewDense(2, 3, []float64{0, math.NaN(), 1, 0.5, 0.5, 0.5})
	for name, m := range fitAll(t, x, y, names) {
		p := posterior(m, q)
		if name != "knn" && !math.IsNaN(p[0]) || math.IsNaN(p[2]) {
			t.Errorf("%s: %v", name, p)
		}
	}
}

// With many dimensions the blocked factorizations are used. The results equal the definition.
func TestManyDimensions(t *testing.T) {
	x, y, names := sample(700, 110, 2, 10)
	s := estimate(t, x, y, names)
	m := testkit.Must(FitQDA(s, QDAOptions{Shrinkage: gaussian.ShrinkRule{Kind: "oas"}}))(t)
	got := posterior(m, x)
	var chol [2]mat.Cholesky
	for i := range 2 {
		if !chol[i].Factorize(m.Covariances.Sym(i)) {
			t.Fatal("not positive definite")
		}
	}
	for r := range 20 {
		var z [2]float64
		for i := range 2 {
			var d, u mat.VecDense
			d.SubVec(x.RowView(r), m.Means.RowView(i))
			testkit.NoError(t, chol[i].SolveVecTo(&u, &d))
			z[i] = math.Log(m.Priors[i]) - chol[i].LogDet()/2 - mat.Dot(&d, &u)/2
		}
		vec.LogSoftmax(z[:])
		testkit.Close(t, "log-posterior", got[2*r:2*r+2], z[:], 1e-9)
	}
}

func BenchmarkQDALogPosterior(b *testing.B) {
	x, y, names := sample(10000, 9, 10, 1)
	m := fitAll(b, x, y, names)["qda"]
	dst := mat.NewDense(10000, 10, nil)
	for b.Loop() {
		testkit.NoError(b, m.LogPosterior(b.Context(), dst, x))
	}
}

func ExampleFitQDA() {
	x := mat.NewDense(6, 1, []float64{-1, 0, 1, 9, 10, 11})
	stats, err := gaussian.Estimate(x, []int{0, 0, 0, 1, 1, 1}, []string{"low", "high"})
	if err != nil {
		fmt.Println(err)
		return
	}
	qda, err := FitQDA(stats, QDAOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var logp mat.Dense
	if err := qda.LogPosterior(context.Background(), &logp, mat.NewDense(2, 1, []float64{0.2, 5})); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f\n", math.Exp(logp.At(0, 0)))
	fmt.Printf("%.2f\n", math.Exp(logp.At(1, 0)))
	// Output:
	// 1.00
	// 0.50
}

// With equally many votes the class of the nearest neighbor wins, not the first.
func TestTiesOfNeighborsGoToTheNearest(t *testing.T) {
	x := mat.NewDense(4, 1, []float64{2, 9, 1, 9})
	m := testkit.Must(FitKNN(x, []int{0, 0, 1, 1}, []string{"far", "near"}, KNNOptions{K: 2}))(t)
	var lp mat.Dense
	testkit.NoError(t, m.LogPosterior(t.Context(), &lp, mat.NewDense(2, 1, []float64{0, 3})))
	if !(lp.At(0, 1) > lp.At(0, 0)) || !(lp.At(1, 0) > lp.At(1, 1)) {
		t.Errorf("log-posteriors %v; the neighbors of 0 are 1 (near), 2 (far), of 3 the other way", lp.RawMatrix().Data)
	}
	if d := lp.At(0, 1) - lp.At(0, 0); d > 1e-11 {
		t.Errorf("a tie is decided by %g", d)
	}
}

// Coefficients may be a view of a larger matrix.
func TestLDAOfCoefficientsInALargerMatrix(t *testing.T) {
	x, y, names := sample(90, 4, 3, 5)
	m := testkit.Must(FitLDA(estimate(t, x, y, names), LDAOptions{}))(t)
	var want, got mat.Dense
	testkit.NoError(t, m.LogPosterior(t.Context(), &want, x))
	larger := mat.NewDense(3, 6, nil)
	part := larger.Slice(0, 3, 1, 5).(*mat.Dense)
	part.Copy(m.Coefficients)
	m = &LDA{Classes: m.Classes, Priors: m.Priors, Means: m.Means, Coefficients: part, Center: m.Center,
		Intercepts: m.Intercepts}
	testkit.NoError(t, m.Validate())
	if err := m.LogPosterior(t.Context(), &got, x); err != nil || !mat.Equal(&got, &want) {
		t.Errorf("other probabilities: %v", err)
	}
}

func fixed(amount float64) gaussian.ShrinkRule {
	return gaussian.ShrinkRule{Kind: "fixed", Amount: amount}
}
