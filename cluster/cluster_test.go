package cluster

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/testkit"
	"rao/spd"
)

// samples draws per matrices around each of c random centers of order n.
func samples(seed uint64, per, n, c int, spread float64) (*spd.Stack, []int) {
	rng := rand.New(rand.NewPCG(seed, 7))
	logs, labels := testkit.Clusters(rng, per, n, c, spread, func() mat.Symmetric {
		center := mat.NewSymDense(n, nil)
		for a := range n {
			for b := range a + 1 {
				center.SetSym(a, b, rng.NormFloat64())
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

func TestClustersAreFound(t *testing.T) {
	ctx := context.Background()
	x, labels := samples(1, 20, 4, 3, 0.15)
	for _, name := range spd.Metrics() {
		m := testkit.Must(FitKMeans(ctx, x, 3, KMeansOptions{Metric: spd.Metric(name)}))(t, name)
		a, class := Accuracy(m.Assignments, labels)
		if name == "riemann" || name == "logeuclid" {
			testkit.Equal(t, a, 1, "kmeans", name, "accuracy on separate clusters")
		} else if a < 0.6 {
			t.Errorf("kmeans %s: accuracy %.2f", name, a)
		}
		got := testkit.Must(m.Predict(ctx, x))(t)
		testkit.EqualSlices(t, got, m.Assignments, "kmeans", name, "Predict differs from the assignments")
		testkit.Equal(t, len(class), 3, "kmeans", name, "classes of groups", class)
	}
	for _, metric := range []spd.Metric{"", spd.LogChol} {
		m := testkit.Must(FitKernelKMeans(ctx, x, 3, KernelKMeansOptions{Metric: metric}))(t)
		if a, _ := Accuracy(m.Assignments, labels); a < 0.95 {
			t.Errorf("kernel k-means %q: accuracy %.2f", metric, a)
		}
		testkit.EqualSlices(t, testkit.Must(m.Predict(ctx, x))(t), m.Assignments, "kernel k-means with", metric)
	}
}

// The inertia decreases in every iteration, and the reported inertia belongs to the result.
func TestInertia(t *testing.T) {
	ctx := context.Background()
	x, _ := samples(2, 30, 4, 3, 0.8)
	m := testkit.Must(FitKMeans(ctx, x, 5, KMeansOptions{Starts: 1, Mean: spd.MeanOptions{Tol: 1e-10}}))(t)
	km := testkit.Must(FitKernelKMeans(ctx, x, 5, KernelKMeansOptions{Starts: 1}))(t)
	for _, h := range [][]float64{m.Report.History, km.Report.History} {
		if len(h) < 3 {
			t.Errorf("only %d iterations: the test sees nothing", len(h))
		}
		for i := 1; i < len(h); i++ {
			if h[i] > h[i-1]*(1+1e-9) {
				t.Errorf("inertia rises from %g to %g", h[i-1], h[i])
			}
		}
	}
	sum := 0.0
	for k, a := range m.Assignments {
		d := testkit.Must(spd.Distance(spd.Riemann, x.Sym(k), m.Means.Sym(a)))(t)
		sum += d * d
	}
	testkit.Close(t, "inertia", []float64{m.Inertia}, []float64{sum}, 1e-9)
	var kern mat.Dense
	testkit.NoError(t, spd.GaussianKernel(context.Background(), &kern, spd.LogEuclid, x, nil, km.Gamma))
	sum = 0
	for g := range km.K {
		pairs, size := 0.0, 0.0
		for i, a := range km.Assignments {
			for j, b := range km.Assignments {
				if a == g && b == g {
					pairs += kern.At(i, j)
				}
			}
			if a == g {
				size++
			}
		}
		sum += size - pairs/size
	}
	testkit.Close(t, "inertia in feature space", []float64{km.Inertia}, []float64{sum}, 1e-9)
}

// Riemannian k-means does not depend on a common mixing of the channels.
func TestKMeansUnderCongruence(t *testing.T) {
	x, _ := samples(3, 20, 4, 3, 0.5)
	to := x.Sym(0)
	one := mat.NewSymDense(4, []float64{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1})
	var y spd.Stack
	testkit.NoError(t, spd.Recenter(&y, x, one, to))
	a := testkit.Must(FitKMeans(context.Background(), x, 4, KMeansOptions{Seed: 3}))(t)
	b := testkit.Must(FitKMeans(context.Background(), &y, 4, KMeansOptions{Seed: 3}))(t)
	testkit.EqualSlices(t, a.Assignments, b.Assignments, "assignments change under congruence")
	testkit.Close(t, "inertia", []float64{b.Inertia}, []float64{a.Inertia}, 1e-6)
}

func TestSeedsAndWorkers(t *testing.T) {
	x, _ := samples(4, 60, 4, 3, 0.8)
	fit := func(seed uint64) (values []float64) {
		a := testkit.Must(FitKMeans(context.Background(), x, 4, KMeansOptions{Seed: seed, Starts: 2}))(t)
		b := testkit.Must(FitKernelKMeans(context.Background(), x, 4, KernelKMeansOptions{Seed: seed, Starts: 2}))(t)
		for _, group := range append(slices.Clone(a.Assignments), b.Assignments...) {
			values = append(values, float64(group))
		}
		return append(append(values, a.Means.Data...), a.Inertia, b.Inertia)
	}
	values := testkit.SameAtAnyProcs(t, func() []float64 { return fit(1) })
	if slices.Equal(fit(2)[:2*x.Count], values[:2*x.Count]) {
		t.Error("another seed gives the same groups in the same order: the seed has no effect")
	}
}

func TestDegenerateData(t *testing.T) {
	ctx := context.Background()
	x, _ := samples(5, 1, 3, 1, 0)
	same := x.Select([]int{0, 0, 0, 0, 0, 0})
	m, err := FitKMeans(ctx, same, 3, KMeansOptions{})
	if err != nil || m.Inertia > 1e-20 {
		t.Errorf("equal matrices: inertia %v, %v", m, err)
	}
	km, err := FitKernelKMeans(ctx, same, 3, KernelKMeansOptions{Gamma: 1})
	if err != nil || km.Inertia > 1e-12 {
		t.Errorf("equal matrices: %v, %v", km, err)
	}
	y, _ := samples(6, 4, 3, 2, 0.4)
	all, err := FitKMeans(ctx, y, y.Count, KMeansOptions{})
	if err != nil || all.Inertia > 1e-12 {
		t.Errorf("as many groups as matrices: %+v, %v", all, err)
	}
	one := testkit.Must(FitKMeans(ctx, y, 1, KMeansOptions{Mean: spd.MeanOptions{Tol: 1e-10}}))(t)
	mean, _ := testkit.Must2(spd.Mean(ctx, y, nil, spd.Riemann, spd.MeanOptions{}))(t)
	testkit.Close(t, "one group has the mean", one.Means.Data, mean.RawSymmetric().Data, 1e-7)
}

func TestBadInput(t *testing.T) {
	ctx := context.Background()
	x, _ := samples(7, 5, 3, 2, 0.3)
	nan, _ := samples(7, 5, 3, 2, 0.3)
	nan.At(4)[8] = math.NaN()
	negative, _ := samples(7, 5, 3, 2, 0.3)
	negative.At(6)[0] = -50
	for name, f := range map[string]func(x *spd.Stack, k int, o KMeansOptions) error{
		"k-means": func(x *spd.Stack, k int, o KMeansOptions) error { _, err := FitKMeans(ctx, x, k, o); return err },
		"kernel k-means": func(x *spd.Stack, k int, o KMeansOptions) error {
			_, err := FitKernelKMeans(ctx, x, k, KernelKMeansOptions{Metric: o.Metric, Starts: o.Starts})
			return err
		},
	} {
		for _, c := range []struct {
			want string
			err  error
		}{
			{"matrix 4", f(nan, 2, KMeansOptions{})},
			{"matrix 6 is not positive definite", f(negative, 2, KMeansOptions{})},
			{"11 clusters were requested for 10 matrices", f(x, 11, KMeansOptions{})},
			{"0 clusters", f(x, 0, KMeansOptions{})},
			{"no matrices", f(spd.NewStack(0, 3), 2, KMeansOptions{})},
			{"unknown metric", f(x, 2, KMeansOptions{Metric: "rieman"})},
			{"starts is -1", f(x, 2, KMeansOptions{Starts: -1})},
		} {
			if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
				t.Errorf("%s: error %v does not say %q", name, c.err, c.want)
			}
		}
	}
	m := testkit.Must(FitKMeans(ctx, x, 2, KMeansOptions{}))(t)
	km := testkit.Must(FitKernelKMeans(ctx, x, 2, KernelKMeansOptions{}))(t)
	other := spd.NewStack(1, 4)
	for _, err := range []error{second(m.Predict(ctx, other)), second(km.Predict(ctx, other))} {
		if e := (*rao.ShapeError)(nil); !errors.As(err, &e) || e.Got != 4 {
			t.Errorf("another order: error %v", err)
		}
	}
}

func second(_ []int, err error) error { return err }

func TestInterruptedFitsAreUsable(t *testing.T) {
	ctx := testkit.Canceled()
	x, _ := samples(8, 20, 4, 3, 0.8)
	m, err := FitKMeans(ctx, x, 4, KMeansOptions{})
	if !rao.HasModel(err) || m.Report.Status != rao.StatusCanceled {
		t.Errorf("canceled k-means: %v, %v", m, err)
	}
	km, err := FitKernelKMeans(ctx, x, 4, KernelKMeansOptions{})
	if !rao.HasModel(err) || km.Report.Status != rao.StatusCanceled {
		t.Errorf("canceled kernel k-means: %v", err)
	}
	testkit.Equal(t, len(testkit.Must(km.Predict(t.Context(), x))(t)), x.Count, "canceled kernel k-means: groups")
	short, err := FitKMeans(context.Background(), x, 4, KMeansOptions{MaxIter: 1, Starts: 1})
	if !rao.IsNotConverged(err) || short.Report.Status != rao.StatusMaxIterations {
		t.Errorf("one iteration: %v", err)
	}
}

func TestAccuracyMatchesGroupsToClasses(t *testing.T) {
	a, class := Accuracy([]int{2, 2, 0, 0, 1, 1, 1}, []int{0, 0, 1, 1, 2, 2, 0})
	if math.Abs(a-6.0/7) > 1e-15 || !slices.Equal(class, []int{1, 2, 0}) {
		t.Errorf("accuracy %g, classes %v", a, class)
	}
	if a, class := Accuracy([]int{0, 1, 2, 2}, []int{0, 0, 1, 1}); a != 0.75 || !slices.Contains(class, -1) {
		t.Errorf("more groups than classes: %g, %v", a, class)
	}
	// Against all permutations.
	rng := rand.New(rand.NewPCG(9, 9))
	g, l := make([]int, 50), make([]int, 50)
	for range 20 {
		for i := range g {
			g[i], l[i] = rng.IntN(4), rng.IntN(4)
		}
		g[0], l[0] = 3, 3
		best := 0
		for _, p := range permutations(4) {
			hits := 0
			for i := range g {
				if p[g[i]] == l[i] {
					hits++
				}
			}
			best = max(best, hits)
		}
		if a, _ := Accuracy(g, l); math.Abs(a-float64(best)/50) > 1e-12 {
			t.Errorf("accuracy %g, best permutation %g", a, float64(best)/50)
		}
	}
}

func permutations(n int) [][]int {
	if n == 0 {
		return [][]int{{}}
	}
	var out [][]int
	for _, p := range permutations(n - 1) {
		for i := range n {
			out = append(out, slices.Insert(slices.Clone(p), i, n-1))
		}
	}
	return out
}

// A canceled fit stops at the next block of distances, and its result is consistent: the assignments belong to the
// means.
func TestCanceledKMeansIsWhole(t *testing.T) {
	x, _ := samples(9, 700, 8, 4, 0.8)
	for _, after := range []int64{0, 1, 3, 6, 10, 40} { // asks for the end of the context
		ctx := testkit.CancelAt(after + 1)
		m, err := FitKMeans(ctx, x, 6, KMeansOptions{Starts: 3, Mean: spd.MeanOptions{MaxIter: 3}})
		if !rao.HasModel(err) || m.Report.Status != rao.StatusCanceled {
			t.Fatalf("after %d questions: %v", after, err)
		}
		groups := testkit.Must(m.Predict(t.Context(), x))(t)
		if m.Assignments == nil {
			if !math.IsNaN(m.Inertia) {
				t.Errorf("after %d questions: inertia %g without assignments", after, m.Inertia)
			}
			continue
		}
		testkit.EqualSlices(t, groups, m.Assignments, "after", after,
			"questions: the assignments are not those of the means")
	}
}
