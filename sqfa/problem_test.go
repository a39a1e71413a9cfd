package sqfa

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/linearfilters"
	"rao/internal/optim"
	"rao/internal/testkit"
)

// randomStatistics returns c classes in n dimensions with random means and
// covariances.
func randomStatistics(seed uint64, c, n int) *gaussian.Statistics {
	rng := rand.New(rand.NewPCG(seed, 1))
	s := &gaussian.Statistics{Dim: n, Means: make([]float64, c*n), Covariances: make([]float64, c*n*n)}
	for i := range c {
		s.Classes, s.Counts = append(s.Classes, fmt.Sprint("class ", i)), append(s.Counts, 100)
		a := testkit.Normals(rng, n*2*n)
		for r := range n {
			s.Mean(i)[r] = rng.NormFloat64()
			for q := range n {
				var v float64
				for h := range 2 * n {
					v += a[r*2*n+h] * a[q*2*n+h]
				}
				s.Covariance(i).RawSymmetric().Data[r*n+q] = v / float64(2*n)
			}
		}
	}
	return s
}

// The slope along a curve and the gradient agree with central differences, for every
// constraint, aggregation and a few dissimilarities, with and without fixed filters.
func TestProblemDerivatives(t *testing.T) {
	const c, n, m = 4, 7, 3
	stats := randomStatistics(2, c, n)
	for _, constraint := range []Constraint{constraintSphere, constraintOrthogonal, constraintNone} {
		for _, kind := range []Aggregation{aggregationMean, aggregationSoftMin, aggregationBayes} {
			for _, d := range []string{"calvo_oller", "riemann", "bhattacharyya", "wasserstein"} {
				for _, p := range []int{0, 1} {
					if kind == aggregationBayes && d != "bhattacharyya" {
						continue
					}
					opt := testkit.Must(Options{Filters: m, Noise: 0.3, Aggregate: kind, Constraint: constraint,
						Priors:   []float64{1, 2, 3, 4},
						Distance: gaussian.Dissimilarity(d)}.plan(c, n))(t)
					checkProblem(t, fmt.Sprintf("%v %v %s, %d fixed", constraint, kind, d, p), stats, opt, p)
				}
			}
		}
	}
}

func checkProblem(t *testing.T, what string, stats *gaussian.Statistics, opt plan, p int) {
	t.Helper()
	n, k := stats.Dim, opt.Filters-p
	fixed := randomFilters(n, p+1, constraintOrthogonal, 9, 9)
	fixed = linearfilters.Columns(fixed, p+1, 0, p)
	manifold := newManifold(opt, n, k, fixed, p)
	x := randomFilters(n, k, constraintSphere, 1, 1)
	testkit.NoError(t, manifold.Normalize(x))
	q := newProblem(stats, opt, opt.Filters, fixed)
	q.curve = optim.NewCurve(manifold)
	grad, d := make([]float64, n*k), randomFilters(n, k, constraintSphere, 2, 2)
	manifold.Project(x, d)
	value := testkit.Must(q.Start(x, grad))(t, what)
	testkit.NoError(t, q.Search(x, d), what)
	f := func(s float64) float64 { v, _ := q.Along(s); return v }
	testkit.Near(t, f(0), value, 1e-12*(1+math.Abs(value)), what, "value along the curve at 0")
	const h = 1e-4
	for _, at := range []float64{0, 0.4} {
		_, slope := q.Along(at)
		numeric := (8*(f(at+h)-f(at-h)) - (f(at+2*h) - f(at-2*h))) / (12 * h)
		testkit.Near(t, slope, numeric, 1e-7*(1+math.Abs(numeric)), what, "slope at", at)
		if at != 0 {
			continue
		}
		var inner float64
		for i, g := range grad {
			inner += g * d[i]
		}
		testkit.Near(t, inner, numeric, 1e-7*(1+math.Abs(numeric)), what, "slope from the gradient")
	}
	// Taking a step leaves the caches as a fresh start at the new point would.
	q.Along(0.4)
	moved, g1, g2 := make([]float64, n*k), make([]float64, n*k), make([]float64, n*k)
	testkit.NoError(t, q.Take(0.4, moved, g1), what)
	fresh := newProblem(stats, opt, opt.Filters, fixed)
	testkit.NoError(t, testkit.ErrorOf(fresh.Start(moved, g2)), what)
	for i := range g1 {
		if math.Abs(g1[i]-g2[i]) > 1e-10*(1+math.Abs(g2[i])) {
			t.Fatalf("%s: gradient %d is %.15g after a step, %.15g afresh", what, i, g1[i], g2[i])
		}
	}
	if q.passes != 2 || fresh.passes != 1 {
		t.Errorf("%s: %d and %d passes", what, q.passes, fresh.passes)
	}
}

// The growing subspace contains the statistics of V'x, keeps them when it is compressed, and computes the gradient in
// all dimensions.
func TestSubspaceIsExact(t *testing.T) {
	const c, n, m = 3, 20, 2
	stats := randomStatistics(3, c, n)
	opt := testkit.Must(Options{Filters: m, Noise: 0.1}.plan(c, n))(t)
	s := newSubspace(stats, 12)
	x := randomFilters(n, 5, constraintSphere, 4, 4)
	if k := s.add(x, 5, 1e-8); k != 5 {
		t.Fatalf("%d columns added, want 5", k)
	}
	if k := s.add(x, 5, 1e-8); k != 0 || s.passes != 1 {
		t.Errorf("%d columns added again in %d passes", k, s.passes)
	}
	s.add(randomFilters(n, 4, constraintSphere, 5, 5), 4, 1e-8)
	check := func(what string) {
		t.Helper()
		want := stats.Project(mat.NewDense(n, s.q, linearfilters.Columns(s.v, s.cap, 0, s.q)))
		got := s.reduced()
		for i := range want.Covariances {
			testkit.Near(t, got.Covariances[i], want.Covariances[i], 1e-11, what, "covariance value", i)
		}
		for i := range want.Means {
			testkit.Near(t, got.Means[i], want.Means[i], 1e-12, what, "mean value", i)
		}
		y := randomFilters(s.q, m, constraintSphere, 6, 6)
		p := newProblem(got, opt, m, nil)
		p.curve = optim.NewCurve(optim.NewManifold(optim.Sphere, s.q, m))
		testkit.Must(p.Start(y, make([]float64, s.q*m)))(t)
		full := newProblem(stats, opt, m, nil)
		g := make([]float64, n*m)
		testkit.Must(full.Start(s.lift(y, m), g))(t)
		for i, v := range s.gradient(p) { // the problem minimizes
			if math.Abs(v+g[i]) > 1e-11 {
				t.Fatalf("%s: gradient %d is %g, want %g", what, i, v, -g[i])
			}
		}
	}
	check("grown")
	s.compress(randomFilters(s.q, 4, constraintSphere, 7, 7), 4)
	if s.q != 4 || s.passes != 2 {
		t.Errorf("compressed to %d columns after %d passes", s.q, s.passes)
	}
	check("compressed")
}

// With many iterations, the subspace is compressed repeatedly. The search still ends at the optimum of the direct
// search.
func TestGrowingSurvivesCompression(t *testing.T) {
	const c, n, m = 5, 90, 1
	stats := randomStatistics(8, c, n)
	scale := make([]float64, n)
	for i := range scale {
		scale[i] = math.Pow(30, -float64(i)/n)
	}
	stats = stats.Affine(make([]float64, n), scale)
	direct := testkit.Must(Fit(t.Context(), stats, Options{Filters: m, Search: searchDirect, Tol: 1e-12}))(t)
	grown := testkit.Must(Fit(t.Context(), stats, Options{Filters: m, Search: searchGrowing, Tol: 1e-11}))(t)
	if grown.Report.Iterations < 17 {
		t.Errorf("only %d iterations: the subspace never filled", grown.Report.Iterations)
	}
	testkit.Near(t, direct.Report.Objective, grown.Report.Objective, 1e-6, "objectives of direct and growing searches")
	// Groups share the subspace: the later group finds its start there after the earlier one has compressed it away.
	two := testkit.Must(Fit(t.Context(), stats, Options{Filters: 2, Group: 1, Search: searchGrowing, Tol: 1e-11}))(t)
	first := mat.DenseCopyOf(two.Filters.Slice(0, n, 0, 1))
	again := testkit.Must(Fit(t.Context(), stats, Options{Filters: 1, Search: searchDirect, Start: startGiven,
		Initial: first}))(t)
	if h := again.Report.History; again.Report.Objective-h[0] > 1e-6 {
		t.Errorf("the first of two filters was not at its optimum: from %.9f to %.9f", h[0], again.Report.Objective)
	}
	if two.Report.Objective <= grown.Report.Objective {
		t.Errorf("objective %.6f with a second filter, %.6f without", two.Report.Objective, grown.Report.Objective)
	}
}

func TestPrincipalComponents(t *testing.T) {
	const c, n, k = 3, 40, 6
	stats := randomStatistics(4, c, n)
	v, variances := testkit.Must2(principal(stats, k))(t)
	_, _, _, total := stats.Pooled(nil)
	for j := range k {
		var residual float64
		for r := range n {
			s := -variances[j] * v[r*k+j]
			for q := range n {
				s += total.At(r, q) * v[q*k+j]
			}
			residual += s * s
		}
		if math.Sqrt(residual) > 1e-4*variances[0] {
			t.Errorf("component %d: residual %g of variance %g", j, math.Sqrt(residual), variances[j])
		}
		if j > 0 && variances[j] > variances[j-1] {
			t.Errorf("variances are not descending: %v", variances)
		}
	}
}
