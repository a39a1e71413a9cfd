package classifiers

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/classify"
	"rao/evaluate"
	"rao/gaussian"
	"rao/internal/classifiers/common"
	"rao/internal/indices"
	"rao/internal/linalg/vec"
	"rao/internal/testkit"
	"rao/spd"
)

var _ = []matrixClassifier{(*classify.MDM)(nil), (*TangentLDA)(nil), (*TangentLogistic)(nil),
	(*TangentSVM)(nil), (*MatrixKNN)(nil), (*MatrixSVM)(nil), (*ENuc)(nil)}

// matrixMethod is a classifier of SPD matrices with its default options.
type matrixMethod struct {
	name string
	fit  stackFit
	// affine: the decisions do not change under congruence of all matrices.
	affine bool
}

// behind is a classifier of mapped matrices.
type behind struct {
	by stackMap
	matrixClassifier
}

func (b behind) Dims() (in, classes int) {
	in, _ = b.by.Dims()
	_, classes = b.matrixClassifier.Dims()
	return in, classes
}

func (b behind) LogPosterior(ctx context.Context, dst *mat.Dense, x *spd.Stack) error {
	z := new(spd.Stack)
	if err := b.by.Map(z, x); err != nil {
		return err
	}
	return b.matrixClassifier.LogPosterior(ctx, dst, z)
}

func (b behind) Validate() error { return errors.Join(b.by.Validate(), b.matrixClassifier.Validate()) }

type (
	stackFit = func(context.Context, *spd.Stack, []int, []string) (matrixClassifier, error)
	stackMap interface {
		Dims() (in, out int)
		Map(dst, x *spd.Stack) error
		Validate() error
	}
	submanifoldOf = func(context.Context, *spd.Stack, []int, []string, SubmanifoldOptions) (*Reduction, error)
)

// fitting returns fit with its options. If a fit fails, it returns no model, unless the model can be used.
func fitting[M matrixClassifier, O any](fit func(context.Context, *spd.Stack, []int, []string, O) (M, error),
	opt O) stackFit {
	return func(ctx context.Context, x *spd.Stack, y []int, c []string) (matrixClassifier, error) {
		m, err := fit(ctx, x, y, c, opt)
		if err != nil && !rao.HasModel(err) {
			return nil, err
		}
		return m, err
	}
}

// after returns a fit to the matrices that a fitted map returns.
func after[M stackMap, O any](by func(context.Context, *spd.Stack, []int, []string, O) (M, error), opt O,
	fit stackFit) stackFit {
	return func(ctx context.Context, x *spd.Stack, y []int, c []string) (matrixClassifier, error) {
		r, unsettled := by(ctx, x, y, c, opt)
		if unsettled != nil && !rao.HasModel(unsettled) {
			return nil, unsettled
		}
		z := new(spd.Stack)
		if err := r.Map(z, x); err != nil {
			return nil, err
		}
		m, err := fit(ctx, z, y, c)
		if m == nil {
			return nil, err
		}
		return behind{r, m}, errors.Join(unsettled, err)
	}
}

var (
	fitFgMDM   = after(FitGeodesicFilter, GeodesicFilterOptions{}, fitting(classify.FitMDM, classify.MDMOptions{}))
	tangentLDA = fitting(FitTangentLDA, TangentLDAOptions{Isotropic: true})
	tangentSVM = fitting(FitTangentSVM, TangentSVMOptions{})
)

func matrixMethods() []matrixMethod {
	order4 := SubmanifoldOptions{Order: 4}
	return []matrixMethod{
		{"mdm", fitting(classify.FitMDM, classify.MDMOptions{}), true},
		{"mdm-logeuclid", fitting(classify.FitMDM, classify.MDMOptions{Metric: spd.LogEuclid}), false},
		{"mdm-kullback", fitting(classify.FitMDM, classify.MDMOptions{Metric: spd.KullbackSym}), true},
		{"fgmdm", fitFgMDM, false},
		{"tslda", tangentLDA, true},
		{"tslda-logeuclid", fitting(FitTangentLDA, TangentLDAOptions{Metric: spd.LogEuclid}), false},
		{"tslr", fitting(FitTangentLogistic, TangentLogisticOptions{LogisticFit: common.LogisticFit{Tol: 1e-9}}), true},
		{"tssm", after(FitSubmanifold, order4, tangentLDA), true},
		{"tssm-svm", after(FitSubmanifold, order4, tangentSVM), true},
		{"tssm-fisher", after(FitFisherSubmanifold, order4, tangentLDA), true},
		{"tssvm", tangentSVM, true},
		{"knn", fitting(FitMatrixKNN, MatrixKNNOptions{}), true},
		{"svm", fitting(FitMatrixSVM, MatrixSVMOptions{}), false},
		{"enuc", fitting(FitENuc, ENucOptions{Folds: -1, Tol: 1e-9}), true}, // folds are drawn by place
		{"enuc-logeuclid",
			fitting(FitENuc, ENucOptions{Metric: spd.LogEuclid, Folds: -1, Tol: 1e-8, MaxIter: 20000}), false},
	}
}

var threeClasses = []string{"rest", "left", "right"}

// clusters draws per matrices of order n in each of c classes, around random class centers. spread is the spread around
// a center.
func clusters(seed uint64, per, n, c int, spread float64) (*spd.Stack, []int) {
	centers := rand.New(rand.NewPCG(12345, 1))
	logs, labels := testkit.Clusters(rand.New(rand.NewPCG(seed, 77)), per, n, c, spread, func() mat.Symmetric {
		g, center := testkit.Normals(centers, n*n), mat.NewSymDense(n, nil)
		for a := range n {
			for b := range a + 1 {
				center.SetSym(a, b, 0.4*(g[a*n+b]+g[b*n+a])/2)
			}
		}
		return center
	})
	x := spd.StackOf(per*c, n, logs)
	if err := spd.Exp(x, x); err != nil {
		panic(err)
	}
	return x, labels
}

func mustFit(t *testing.T, m matrixMethod, x *spd.Stack, labels []int, classes []string) matrixClassifier {
	t.Helper()
	f := testkit.Must(m.fit(context.Background(), x, labels, classes))(t, m.name)
	testkit.NoError(t, f.Validate(), m.name)
	return f
}

func posteriors(t *testing.T, f matrixClassifier, x *spd.Stack) *mat.Dense {
	t.Helper()
	var lp mat.Dense
	testkit.NoError(t, f.LogPosterior(t.Context(), &lp, x))
	return &lp
}

func TestMatrixClassifiersSeparateClusters(t *testing.T) {
	x, y := clusters(1, 25, 6, 3, 0.25)
	test, truth := clusters(2, 20, 6, 3, 0.25)
	for _, m := range matrixMethods() {
		f := mustFit(t, m, x, y, threeClasses)
		if n, classes := f.Dims(); classes != 3 || n != 6 {
			t.Errorf("%s: %d classes, order %d", m.name, classes, n)
		}
		if a := evaluate.Accuracy(truth, decide(t, f, test)); a < 0.9 {
			t.Errorf("%s: accuracy %.2f on separate clusters", m.name, a)
		}
		// One matrix at a time gives the same as all together.
		all := posteriors(t, f, test)
		for _, k := range []int{0, 17, 59} {
			testkit.Close(t, m.name+" of one trial", posteriors(t, f, test.Select([]int{k})).RawRowView(0),
				all.RawRowView(k), 1e-9)
		}
		var none mat.Dense
		if err := f.LogPosterior(t.Context(), &none, spd.NewStack(0, 6)); err != nil || !none.IsEmpty() {
			t.Errorf("%s: no matrices: %v", m.name, err)
		}
	}
}

func TestMatrixClassifiersDoNotDependOnOrder(t *testing.T) {
	x, y := clusters(3, 15, 5, 3, 0.4)
	test, _ := clusters(4, 10, 5, 3, 0.4)
	rng := rand.New(rand.NewPCG(5, 5))
	order, classOrder := rng.Perm(x.Count), []int{2, 0, 1}
	py, pc, my := make([]int, len(y)), make([]string, 3), make([]int, len(y))
	for i, k := range order {
		py[i] = y[k]
	}
	for i, k := range classOrder {
		pc[k] = threeClasses[i]
	}
	for k, l := range y {
		my[k] = classOrder[l]
	}
	for _, m := range matrixMethods() {
		want := posteriors(t, mustFit(t, m, x, y, threeClasses), test)
		tol := 1e-6
		switch m.name {
		case "svm", "tssvm", "tssm-svm":
			tol = math.Inf(1) // its folds are drawn by place: compare with a permutation of classes only
		case "tssm-fisher":
			tol = 1e-2 // ends at a local optimum within its tolerance
		}
		if !math.IsInf(tol, 1) {
			got := posteriors(t, mustFit(t, m, x.Select(order), py, threeClasses), test)
			testkit.Close(t, m.name+" with permuted matrices", got.RawMatrix().Data, want.RawMatrix().Data, tol)
		}
		got := posteriors(t, mustFit(t, m, x, my, pc), test)
		swapped := mat.NewDense(test.Count, 3, nil)
		for k := range test.Count {
			for i, j := range classOrder {
				swapped.Set(k, i, got.At(k, j))
			}
		}
		if strings.HasSuffix(m.name, "svm") {
			tol = 0.3 // other folds, so other sigmoids, but the same machines
		}
		testkit.Close(t, m.name+" with permuted classes", swapped.RawMatrix().Data, want.RawMatrix().Data, tol)
	}
}

func TestMatrixClassifiersUnderCongruence(t *testing.T) {
	n := 5
	x, y := clusters(6, 15, n, 3, 0.4)
	test, _ := clusters(7, 10, n, 3, 0.4)
	// Mixing all channels by W: re-centering from the identity to W W' is one such.
	rng := rand.New(rand.NewPCG(8, 8))
	to := make([]float64, n*n)
	one := vec.Identity(n)
	for range 3 * n {
		v := testkit.Normals(rng, n)
		for i := range n {
			for j := range n {
				to[i*n+j] += v[i] * v[j]
			}
		}
	}
	var mx, mtest spd.Stack
	testkit.NoError(t, errors.Join(spd.Recenter(&mx, x, mat.NewSymDense(n, one), mat.NewSymDense(n, to)),
		spd.Recenter(&mtest, test, mat.NewSymDense(n, one), mat.NewSymDense(n, to))))
	for _, m := range matrixMethods() {
		want := posteriors(t, mustFit(t, m, x, y, threeClasses), test)
		got := posteriors(t, mustFit(t, m, &mx, y, threeClasses), &mtest)
		tol := 1e-5
		switch m.name {
		case "tssm-fisher":
			tol = 1e-2
		case "tssvm", "tssm-svm":
			tol = 1e-3 // the machines end within their tolerance
		}
		if m.affine {
			testkit.Close(t, m.name+" under congruence", got.RawMatrix().Data, want.RawMatrix().Data, tol)
		} else if mat.EqualApprox(got, want, 1e-3) {
			t.Errorf("%s does not change under congruence, the table says it does", m.name)
		}
	}
}

func TestMatrixClassifiersDoNotDependOnWorkers(t *testing.T) {
	x, y := clusters(9, 40, 5, 3, 0.4)
	for _, m := range matrixMethods() {
		testkit.SameAtAnyProcs(t, func() []float64 {
			return posteriors(t, mustFit(t, m, x, y, threeClasses), x).RawMatrix().Data
		}, m.name)
	}
}

func TestMatrixClassifiersRefuseBadInput(t *testing.T) {
	x, y := clusters(10, 6, 4, 3, 0.3)
	other, _ := clusters(11, 2, 5, 3, 0.3)
	spoil := func(k int, f func(a []float64)) *spd.Stack {
		all := indices.Range(x.Count)
		s := x.Select(all)
		f(s.At(k))
		return s
	}
	nan := spoil(7, func(a []float64) { a[1], a[4] = math.NaN(), math.NaN() })
	bent := spoil(7, func(a []float64) { a[1] += 0.5 })
	negative := spoil(7, func(a []float64) { a[5] -= 100 })
	badLabel := slices.Clone(y)
	badLabel[3] = 3
	oneClass := make([]int, len(y))
	for _, m := range matrixMethods() {
		for _, c := range []struct {
			name    string
			x       *spd.Stack
			y       []int
			classes []string
			want    []string
		}{
			{"NaN", nan, y, threeClasses, []string{"matrix 7 is NaN at row 0, column 1"}},
			{"not symmetric", bent, y, threeClasses, []string{"matrix 7 is not symmetric", "row 1, column 0"}},
			{"not positive definite", negative, y, threeClasses,
				[]string{"matrix 7 is not positive definite: its smallest eigenvalue is -", "the cause may be"}},
			{"fewer labels", x, y[1:], threeClasses, []string{"labels is 17, but the number of matrices is 18"}},
			{"label", x, badLabel, threeClasses, []string{"matrix 3 has label 3"}},
			{"one class", x, oneClass, []string{"rest"}, []string{"at least two"}},
			{"empty class", x, oneClass, threeClasses, []string{"class left has 0 matrices"}},
			{"nothing", spd.NewStack(0, 4), nil, threeClasses, []string{"have no matrices"}},
		} {
			_, err := m.fit(context.Background(), c.x, c.y, c.classes)
			if err == nil {
				t.Errorf("%s: %s: no error", m.name, c.name)
				continue
			}
			for _, w := range c.want {
				testkit.Contains(t, err.Error(), w, fmt.Sprintf("%s: %s: error %q does not say", m.name, c.name, err))
			}
		}
		f := mustFit(t, m, x, y, threeClasses)
		var lp mat.Dense
		for name, c := range map[string]struct {
			x    *spd.Stack
			want string
		}{
			"another order":         {other, "order 5"},
			"NaN":                   {nan, "is NaN at row"},
			"not symmetric":         {bent, "not symmetric"},
			"not positive definite": {negative, "is not positive definite: its smallest eigenvalue is -"},
		} {
			lp.Reset()
			err := f.LogPosterior(t.Context(), &lp, c.x)
			testkit.ErrorContains(t, err, c.want, m.name, "predict", name)
		}
	}
}

func TestOptionsOutOfRange(t *testing.T) {
	x, y := clusters(12, 6, 4, 3, 0.3)
	wide, wy := clusters(12, 6, 6, 3, 0.3) // fewer matrices than tangent coordinates
	ctx := context.Background()
	for want, f := range map[string]func() error{
		"unknown metric": func() error {
			_, err := classify.FitMDM(ctx, x, y, threeClasses, classify.MDMOptions{Metric: "rieman"})
			return err
		},
		"does not support the metric": func() error {
			_, err := FitTangentLDA(ctx, x, y, threeClasses, TangentLDAOptions{Metric: spd.Chol})
			return err
		},
		`unknown shrinkage "lasso"`: func() error {
			_, err := FitTangentLDA(ctx, x, y, threeClasses,
				TangentLDAOptions{Shrinkage: gaussian.ShrinkRule{Kind: "lasso"}})
			return err
		},
		"shrinkage is 2": func() error {
			_, err := FitTangentLDA(ctx, x, y, threeClasses,
				TangentLDAOptions{Shrinkage: gaussian.ShrinkRule{Kind: "fixed", Amount: 2}})
			return err
		},
		"set the shrinkage to ledoit_wolf": func() error {
			_, err := FitTangentLDA(ctx, wide, wy, threeClasses, TangentLDAOptions{Shrinkage: gaussian.ShrinkRule{
				Kind: "none"}})
			return err
		},
		"number of priors is 2, but the number of classes is 3": func() error {
			_, err := FitTangentLDA(ctx, x, y, threeClasses, TangentLDAOptions{Priors: []float64{1, 1}})
			return err
		},
		"prior of class 1": func() error {
			_, err := FitTangentLDA(ctx, x, y, threeClasses, TangentLDAOptions{Priors: []float64{1, -1, 1}})
			return err
		},
		"C is -1": func() error {
			_, err := FitTangentLogistic(ctx, x, y, threeClasses,
				TangentLogisticOptions{LogisticFit: common.LogisticFit{C: -1}})
			return err
		},
		"order must be between 1 and 4": func() error {
			_, err := FitSubmanifold(ctx, x, y, threeClasses, SubmanifoldOptions{Order: 5})
			return err
		},
		"the number of neighbors is 99; it must be between 1 and 18": func() error {
			_, err := FitMatrixKNN(context.Background(), x, y, threeClasses, MatrixKNNOptions{K: 99})
			return err
		},
		"gamma is -1": func() error {
			_, err := FitMatrixSVM(ctx, x, y, threeClasses, MatrixSVMOptions{SVMOptions: SVMOptions{Gamma: -1}})
			return err
		},
		"number of folds 1": func() error {
			_, err := FitTangentSVM(ctx, x, y, threeClasses, TangentSVMOptions{SVM: MachineOptions{Folds: 1}})
			return err
		},
		"no Gaussian kernel that is pos": func() error {
			_, err := FitMatrixSVM(ctx, x, y, threeClasses, MatrixSVMOptions{Metric: spd.Riemann})
			return err
		},
	} {
		testkit.ErrorContains(t, f(), want)
	}
}

// A canceled fit returns a usable model, or no model and the error of its context, wherever it is canceled.
func TestInterruptedFitsAreUsable(t *testing.T) {
	x, y := clusters(13, 10, 4, 3, 0.3)
	for _, m := range matrixMethods() {
		none := 0
		for _, at := range []int64{1, 2, 3, 5, 8, 13, 21, 34, 55} {
			ctx := testkit.CancelAt(at)
			f, err := m.fit(ctx, x, y, threeClasses)
			switch {
			case err == nil: // it was over before
			case rao.HasModel(err):
				if f.Validate() != nil {
					t.Errorf("%s: the model of a canceled fit is not valid: %v", m.name, f.Validate())
				}
				posteriors(t, f, x)
			case errors.Is(err, context.Canceled) && f == nil:
				none++
			default:
				t.Errorf("%s, told to end at its question %d: %v", m.name, at, err)
			}
		}
		if tangent := strings.HasPrefix(m.name, "ts") || m.name == "fgmdm"; tangent && none == 0 {
			t.Errorf("%s: the pass of its tangent vectors hears no end", m.name)
		}
	}
}

// Support vector machines whose fit would take minutes stop when their context ends, and are usable.
func TestSupportVectorsHearCancellation(t *testing.T) {
	x, y := clusters(14, 300, 3, 2, 1)
	for name, fit := range map[string]func(context.Context) (matrixClassifier, error){
		"svm-spd": func(ctx context.Context) (matrixClassifier, error) {
			return FitMatrixSVM(ctx, x, y, threeClasses[:2],
				MatrixSVMOptions{SVMOptions: SVMOptions{Gamma: 10,
					SVM: MachineOptions{C: 1e6, Tol: 1e-12, MaxIter: math.MaxInt32}}})
		},
		"tssvm": func(ctx context.Context) (matrixClassifier, error) {
			return FitTangentSVM(ctx, x, y, threeClasses[:2],
				TangentSVMOptions{SVM: MachineOptions{C: 1e6, Tol: 1e-12, MaxIter: math.MaxInt32}})
		},
	} {
		late := time.Hour
		for _, at := range []int64{1, 6, 36, 216} { // early, and in the midst of the machines
			ctx := testkit.CancelAt(at)
			m, err := fit(ctx)
			late = min(late, ctx.Late())
			if errors.Is(err, context.Canceled) && !rao.HasModel(err) && at < 216 {
				continue // before the machines
			}
			var stopped *rao.NotConvergedError
			if !errors.As(err, &stopped) || stopped.Report.Status != rao.StatusCanceled {
				t.Fatalf("%s, told to end at its question %d: %v", name, at, err)
			}
			testkit.NoError(t, m.Validate(), name)
			posteriors(t, m, x.Select([]int{0, 1}))
		}
		if late > testkit.Soon {
			t.Errorf("%s: ended %v after it was told to", name, late)
		}
	}
}
