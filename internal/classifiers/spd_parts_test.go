package classifiers

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/internal/classifiers/common"
	"rao/internal/indices"
	"rao/internal/linearfilters"
	"rao/internal/optim"
	"rao/internal/testkit"
	"rao/spd"
)

func TestMDMPosteriorIsSoftmaxOfSquaredDistances(t *testing.T) {
	x, y := clusters(20, 10, 4, 3, 0.4)
	m := testkit.Must(classify.FitMDM(context.Background(), x, y, threeClasses, classify.MDMOptions{}))(t)
	var d mat.Dense
	testkit.NoError(t, m.Distances(t.Context(), &d, x))
	lp := posteriors(t, m, x)
	for k := range x.Count {
		for i := 1; i < 3; i++ {
			want := d.At(k, 0)*d.At(k, 0) - d.At(k, i)*d.At(k, i)
			testkit.Close(t, "log odds", []float64{lp.At(k, i) - lp.At(k, 0)}, []float64{want}, 1e-9)
		}
	}
}

// The bound must not change the neighbors: compare with all distances, sorted.
func TestMatrixKNNIsExact(t *testing.T) {
	x, y := clusters(21, 60, 5, 3, 0.6)
	test, _ := clusters(22, 10, 5, 3, 0.6)
	for _, metric := range []spd.Metric{spd.Riemann, spd.LogEuclid, spd.Wasserstein} {
		for _, k := range []int{1, 5, 20, 180} {
			m := testkit.Must(FitMatrixKNN(context.Background(), x, y, threeClasses, MatrixKNNOptions{K: k,
				Metric: metric}))(t)
			var d mat.Dense
			testkit.NoError(t, spd.Distances(t.Context(), &d, metric, test, x))
			var s knnSearch
			got := testkit.Must(s.neighbors(context.Background(), m, test))(t)
			for i := range test.Count {
				row := d.RawRowView(i)
				want := indices.Range(x.Count)
				slices.SortFunc(want, func(a, b int) int { return cmp.Or(cmp.Compare(row[a], row[b]), a-b) })
				if !slices.Equal(got[i*k:(i+1)*k], want[:k]) {
					t.Fatalf("%s, k=%d, matrix %d: neighbors %v, want %v", metric, k, i, got[i*k:(i+1)*k], want[:k])
				}
			}
		}
	}
}

func TestSubmanifoldGradient(t *testing.T) {
	x, y := clusters(23, 12, 5, 3, 0.5)
	_, v, _, err := trainingSpace(context.Background(), x, spd.Riemann, spd.MeanOptions{})
	testkit.NoError(t, err)
	p := newSubmanifold(v, y, 3, 5, 2)
	rng := rand.New(rand.NewPCG(1, 1))
	w := testkit.Normals(rng, 10)
	grad, scratch := make([]float64, 10), make([]float64, 10)
	p.value(w, grad)
	numeric := make([]float64, 10)
	const h = 1e-6
	for i := range w {
		at := w[i]
		w[i] = at + h
		up := p.value(w, scratch)
		w[i] = at - h
		numeric[i] = (up - p.value(w, scratch)) / (2 * h)
		w[i] = at
	}
	testkit.Close(t, "gradient", grad, numeric, 1e-7)
	// The slope along the curve is the derivative of its values.
	leading, _ := testkit.Must2(linearfilters.LeadingOfSquares(p.between, p.m))(t)
	start := leading.RawMatrix().Data
	d := testkit.Normals(rng, 10)
	manifold := optim.NewManifold(optim.Orthogonal, p.n, p.m)
	manifold.Project(start, d)
	line := optim.FunctionOn(manifold, p.value)
	testkit.NoError(t, line.Search(start, d))
	_, slope := line.Along(0.3)
	up, _ := line.Along(0.3 + h)
	down, _ := line.Along(0.3 - h)
	testkit.Close(t, "slope", []float64{slope}, []float64{(up - down) / (2 * h)}, 1e-6)
}

func TestLogisticGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	v := mat.NewDense(20, 3, nil)
	labels := make([]int, 20)
	for k := range labels {
		labels[k] = k % 3
		v.SetRow(k, []float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()})
	}
	f := common.NewLogisticLoss(v, labels, 3, 0.7)
	x, grad, scratch, numeric := make([]float64, 12), make([]float64, 12), make([]float64, 12), make([]float64, 12)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	f.Value(x, grad)
	const h = 1e-6
	for i := range x {
		at := x[i]
		x[i] = at + h
		up := f.Value(x, scratch)
		x[i] = at - h
		numeric[i] = (up - f.Value(x, scratch)) / (2 * h)
		x[i] = at
	}
	testkit.Close(t, "gradient", grad, numeric, 1e-7)
}

// The shrinkage coefficients agree with scikit-learn 1.2.1 (ledoit_wolf and oas with assume_centered) on the rows
// below.
func TestShrinkageCoefficients(t *testing.T) {
	rows := []float64{
		1, 2, 0.5,
		-1, -2.3, -0.2,
		0.4, 1, 0.1,
		-0.4, -0.8, -0.4,
		2, 3.5, 0.7,
		-2, -3.4, -0.7,
	}
	m := testkit.Must(momentsOf(t.Context(), rows, 6, 3))(t)
	testkit.Close(t, "Ledoit-Wolf", []float64{m.LedoitWolf()}, []float64{0.17661016147337844}, 1e-9)
	testkit.Close(t, "OAS", []float64{m.OAS()}, []float64{0.4327939462884982}, 1e-9)
	// The smaller side gives the same.
	var wide mat.Dense
	wide.CloneFrom(mat.NewDense(6, 3, rows).T())
	w, err := momentsOf(t.Context(), wide.RawMatrix().Data, 3, 6)
	if err != nil || math.Abs(w.Squares*9-m.Squares*36) > 1e-12*m.Squares {
		t.Errorf("‖RR'‖² is %g, ‖R'R‖² is %g", w.Squares*9, m.Squares*36)
	}
}

func TestSMOReachesTheOptimum(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	n := 60
	pts, y := make([]float64, n), make([]float64, n)
	for i := range n {
		y[i] = float64(2*(i%2) - 1)
		pts[i] = y[i] + rng.NormFloat64()
	}
	k := make([]float64, n*n)
	for i := range n {
		for j := range n {
			k[i*n+j] = math.Exp(-(pts[i] - pts[j]) * (pts[i] - pts[j]))
		}
	}
	const c = 2.0
	coef, bias, ok := smo(context.Background(), k, y, MachineOptions{C: c, Tol: 1e-8, MaxIter: 100000})
	if !ok {
		t.Fatal("no convergence")
	}
	balance := 0.0
	for i := range n {
		balance += coef[i]
		a := coef[i] * y[i]
		margin := bias
		for j := range n {
			margin += coef[j] * k[i*n+j]
		}
		margin *= y[i]
		switch {
		case a < 0 || a > c:
			t.Errorf("weight %d is %g, outside [0, %g]", i, a, c)
		case a == 0 && margin < 1-1e-6, a == c && margin > 1+1e-6, a > 0 && a < c && math.Abs(margin-1) > 1e-6:
			t.Errorf("point %d: weight %g with margin %g", i, a, margin)
		}
	}
	if math.Abs(balance) > 1e-9 {
		t.Errorf("y'α is %g", balance)
	}
}

func TestPlattRecoversASigmoid(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	f, y := make([]float64, 20000), make([]float64, 20000)
	for i := range f {
		f[i] = 2 * rng.NormFloat64()
		y[i] = -1
		if rng.Float64() < 1/(1+math.Exp(-1.5*f[i]+0.4)) {
			y[i] = 1
		}
	}
	if a, b := platt(f, y); math.Abs(a+1.5) > 0.07 || math.Abs(b-0.4) > 0.07 {
		t.Errorf("sigmoid %g, %g, want -1.5, 0.4", a, b)
	}
}

func TestCoupleRecoversConsistentProbabilities(t *testing.T) {
	want := []float64{0.5, 0.3, 0.15, 0.05}
	r := make([]float64, 16)
	for i, p := range want {
		for j, q := range want {
			r[i*4+j] = p / (p + q)
		}
	}
	got := make([]float64, 4)
	(&coupleWork{r: r}).couple(got)
	testkit.Close(t, "coupled probabilities", got, want, 0.01)
}

func TestDamagedModelsAreRefused(t *testing.T) {
	x, y := clusters(24, 8, 4, 3, 0.4)
	for _, m := range matrixMethods() {
		fresh := func() matrixClassifier { return mustFit(t, m, x, y, threeClasses) }
		damage := map[string]func(f matrixClassifier){}
		switch fresh().(type) {
		case *classify.MDM:
			damage["metric"] = func(f matrixClassifier) { f.(*classify.MDM).Metric = "x" }
			damage["means"] = func(f matrixClassifier) { f.(*classify.MDM).Means.Data[3] = math.NaN() }
			damage["no means"] = func(f matrixClassifier) { f.(*classify.MDM).Means = nil }
			damage["short stack"] = func(f matrixClassifier) {
				f.(*classify.MDM).Means.Data = f.(*classify.MDM).Means.Data[:5]
			}
		case *TangentLDA:
			damage["reference"] = func(f matrixClassifier) {
				f.(*TangentLDA).Tangent = &TangentSpace{Metric: "riemann", N: 4, Reference: mat.NewSymDense(3, nil)}
			}
			damage["coefficients"] = func(f matrixClassifier) { f.(*TangentLDA).Coefficients.Set(0, 0, math.Inf(1)) }
			damage["priors"] = func(f matrixClassifier) { f.(*TangentLDA).Priors[0] = 7 }
		case *TangentLogistic:
			damage["intercepts"] = func(f matrixClassifier) { f.(*TangentLogistic).Intercepts = nil }
		case *ENuc:
			damage["coefficients"] = func(f matrixClassifier) { f.(*ENuc).Coefficients = mat.NewDense(3, 9, nil) }
			damage["temperature"] = func(f matrixClassifier) { f.(*ENuc).Temperature = 0 }
			damage["penalty"] = func(f matrixClassifier) { f.(*ENuc).Ridge = math.NaN() }
		case behind:
			continue // its parts have tests of their own
		case *TangentSVM:
			damage["sigmoid"] = func(f matrixClassifier) { f.(*TangentSVM).SigmoidA = nil }
			damage["coefficients"] = func(f matrixClassifier) { f.(*TangentSVM).Coefficients = mat.NewDense(3, 9, nil) }
		case *MatrixKNN:
			damage["k"] = func(f matrixClassifier) { f.(*MatrixKNN).K = 0 }
			damage["labels"] = func(f matrixClassifier) { f.(*MatrixKNN).Labels[0] = 9 }
			damage["smoothing"] = func(f matrixClassifier) { f.(*MatrixKNN).Smoothing = -1 }
		case *MatrixSVM:
			damage["gamma"] = func(f matrixClassifier) { f.(*MatrixSVM).Gamma = math.NaN() }
			damage["bias"] = func(f matrixClassifier) { f.(*MatrixSVM).Bias = nil }
			damage["coefficients"] = func(f matrixClassifier) { f.(*MatrixSVM).Coef = nil }
		}
		for name, d := range damage {
			f := fresh()
			d(f)
			testkit.ErrorContains(t, f.Validate(), "", m.name, "with a bad", name)
		}
	}
}

// For balanced classes the coefficients have rank c-1: the last direction of their rows is rounding noise, and the
// filter does not contain it.
func TestGeodesicFilterKeepsOneDirectionLessThanClasses(t *testing.T) {
	x, y := clusters(21, 20, 5, 3, 0.3)
	m := testkit.Must(FitGeodesicFilter(context.Background(), x, y, threeClasses, GeodesicFilterOptions{}))(t)
	if _, r := m.Basis.Dims(); r != 2 {
		t.Errorf("%d directions for 3 classes, want 2", r)
	}
	var gram mat.Dense
	gram.Mul(m.Basis.T(), m.Basis)
	testkit.Close(t, "orthonormality", gram.RawMatrix().Data, []float64{1, 0, 0, 1}, 1e-13)
}

// Nearest neighbors of many matrices check for cancellation between one matrix and the next.
func TestMatrixKNNHearsCancellation(t *testing.T) {
	for _, metric := range []spd.Metric{spd.Riemann, spd.LogEuclid, spd.Euclid, spd.Wasserstein} {
		x := spd.NewStack(300, 2)
		labels := make([]int, x.Count)
		for k := range x.Count {
			copy(x.At(k), []float64{1 + float64(k), 0, 0, 1})
			labels[k] = k % 2
		}
		m := testkit.Must(FitMatrixKNN(context.Background(), x, labels, []string{"a", "b"},
			MatrixKNNOptions{Metric: metric}))(t)
		var logp mat.Dense
		testkit.ErrorIs(t, m.LogPosterior(testkit.CancelAt(2), &logp, x), context.Canceled, metric)
		testkit.NoError(t, m.LogPosterior(context.Background(), &logp, x), metric)
	}
}

func TestDamagedMapsAreRefused(t *testing.T) {
	x, y := clusters(21, 20, 4, 3, 0.3)
	filter := func() *GeodesicFilter {
		return testkit.Must(FitGeodesicFilter(context.Background(), x, y, threeClasses, GeodesicFilterOptions{}))(t)
	}
	smaller := testkit.Must(FitSubmanifold(context.Background(), x, y, threeClasses, SubmanifoldOptions{}))(t)
	noTangent, badBasis, badFilters := filter(), filter(), *smaller
	noTangent.Tangent = nil
	badBasis.Basis = mat.NewDense(3, 2, nil)
	badFilters.Filters = mat.NewDense(3, 4, nil)
	noFilters, wild := badFilters, *smaller
	noFilters.Filters = nil
	wild.Filters = mat.DenseCopyOf(smaller.Filters)
	wild.Filters.Set(0, 0, math.NaN())
	for name, err := range map[string]error{"the tangent space": noTangent.Validate(),
		"basis": badBasis.Validate(), "the reduction maps 3": badFilters.Validate(),
		"the reduction has no filters": noFilters.Validate(), "filter 0 of the reduction": wild.Validate()} {
		testkit.ErrorContains(t, err, name)
	}
}

// With equally many votes the class of the nearest matrix wins, not the first. The matrices are of order 1.
func TestTiesOfMatricesGoToTheNearest(t *testing.T) {
	s, one := spd.NewStack(2, 1), spd.NewStack(2, 1)
	copy(s.Data, []float64{4, 2})
	copy(one.Data, []float64{1, 8})
	for _, metric := range []spd.Metric{spd.Riemann, spd.LogEuclid, spd.Euclid} {
		k := testkit.Must(FitMatrixKNN(context.Background(), s, []int{0, 1}, []string{"four", "two"},
			MatrixKNNOptions{K: 2, Metric: metric}))(t)
		if got := decide(t, k, one); got[0] != 1 || got[1] != 0 {
			t.Errorf("%s: decisions %v, want the nearest, [1 0]", metric, got)
		}
	}
}

// The computation of tangent vectors stops when its context ends.
func TestTangentVectorsHearCancellation(t *testing.T) {
	stack, _ := clusters(40, 600, 6, 2, 1)
	space := testkit.Must(FitTangentSpace(context.Background(), stack, spd.Riemann, spd.MeanOptions{}))(t)
	for _, at := range []int64{1, 2, 3} {
		ctx := testkit.CancelAt(at)
		err := space.Vectors(ctx, new(mat.Dense), stack)
		if !errors.Is(err, context.Canceled) || ctx.Late() > testkit.Soon {
			t.Errorf("canceled at its question %d: %v after %v", at, err, ctx.Late())
		}
	}
}
