package sqfa_test

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
	"rao/dataset"
	"rao/gaussian"
	"rao/internal/synth"
	"rao/internal/testkit"
	_ "rao/sets" // digits by name
	"rao/sqfa"
)

// congruent returns the statistics of Lx for a random L.
func congruent(stats *gaussian.Statistics, seed uint64) *gaussian.Statistics {
	n := stats.Dim
	rng := rand.New(rand.NewPCG(seed, 1))
	l := testkit.Normals(rng, n*n)
	return stats.Project(mat.NewDense(n, n, l))
}

// Without noise, an invertible linear map of the data does not change the result of a fit. With noise it does.
func TestCongruenceInvariance(t *testing.T) {
	stats := synth.Synthetic(5, 6, 3)
	moved := congruent(stats, 4)
	for _, name := range []string{"calvo_oller", "bhattacharyya"} {
		opt := sqfa.Options{Filters: 2, Distance: gaussian.Dissimilarity(name), Starts: 10, Tol: 1e-12}
		a, b := fit(t, stats, opt).Report.Objective, fit(t, moved, opt).Report.Objective
		testkit.Near(t, a, b, 1e-6*a, name, "objective without noise, after a change of basis")
		opt.Noise = 1
		a, b = fit(t, stats, opt).Report.Objective, fit(t, moved, opt).Report.Objective
		if math.Abs(a-b) < 1e-3*a {
			t.Errorf("%s with noise: objective %.9f and %.9f should differ", name, a, b)
		}
	}
}

func TestSignAndClassOrderDoNotMatter(t *testing.T) {
	stats := synth.Synthetic(4, 8, 6)
	start := mat.NewDense(8, 3, nil)
	for i := range 8 {
		for j := range 3 {
			start.Set(i, j, math.Sin(float64(3*i+j+1)))
		}
	}
	opt := sqfa.Options{Noise: 0.1, Start: "given", Initial: start, Tol: 1e-12}
	base := fit(t, stats, opt)
	flipped := mat.DenseCopyOf(start)
	for i := range 8 {
		flipped.Set(i, 1, -flipped.At(i, 1))
	}
	opt.Initial = flipped
	other := fit(t, stats, opt)
	if !mat.EqualApprox(base.Filters, other.Filters, 1e-6) {
		t.Error("filters from a start with one sign changed differ")
	}
	reversed := stats.Clone()
	for i := range 4 {
		copy(reversed.Mean(i), stats.Mean(3-i))
		copy(reversed.Covariance(i).RawSymmetric().Data, stats.Covariance(3-i).RawSymmetric().Data)
	}
	opt.Initial = start
	if !mat.EqualApprox(base.Filters, fit(t, reversed, opt).Filters, 1e-5) {
		t.Error("filters of the classes in reverse order differ")
	}
}

func TestStatisticsAloneEqualData(t *testing.T) {
	data := testkit.Must(dataset.Open(context.Background(), "digits", dataset.OpenOptions{}))(t)
	stats := testkit.Must(gaussian.Estimate(data.X, data.Labels, data.Classes))(t)
	opt := sqfa.Options{Filters: 3, Noise: 10}
	a := fit(t, stats, opt)
	b := testkit.Must(sqfa.Fit(context.Background(), sqfa.Rows{X: data.X, Labels: data.Labels, Classes: data.Classes},
		opt))(t)
	if !mat.Equal(a.Filters, b.Filters) || !slices.Equal(b.Classes, data.Classes) {
		t.Error("filters fitted from data and from their statistics differ")
	}
}

func TestSameBitsAtAnyGOMAXPROCS(t *testing.T) {
	stats := synth.Synthetic(12, 70, 2)
	for _, search := range []sqfa.Search{"direct", "growing"} {
		testkit.SameAtAnyProcs(t, func() []float64 {
			m := fit(t, stats, sqfa.Options{Filters: 4, Noise: 0.1, Search: search})
			return append(m.Filters.RawMatrix().Data, m.Report.Objective)
		}, search)
	}
}

func TestConstraints(t *testing.T) {
	stats := synth.Synthetic(6, 30, 1)
	for _, search := range []sqfa.Search{"direct", "growing"} {
		for _, group := range []int{0, 2, 3} {
			sphere := fit(t, stats, sqfa.Options{Filters: 5, Noise: 0.2, Group: group, Search: search})
			orthogonal := fit(t, stats,
				sqfa.Options{Filters: 5, Noise: 0.2, Group: group, Search: search,
					Constraint: "orthogonal"})
			var a, b mat.Dense
			a.Mul(sphere.Filters.T(), sphere.Filters)
			b.Mul(orthogonal.Filters.T(), orthogonal.Filters)
			for i := range 5 {
				testkit.Near(t, a.At(i, i), 1, 1e-10, "group", group, "squared norm of filter", i)
			}
			if eye := mat.NewDiagDense(5, []float64{1, 1, 1, 1, 1}); !mat.EqualApprox(&b, eye, 1e-10) {
				t.Errorf("group %d: filters are not orthonormal: %v", group, mat.Formatted(&b))
			}
			if group == 0 && orthogonal.Report.Objective > sphere.Report.Objective+1e-4 {
				t.Errorf("orthonormal filters reach %.6f, free ones %.6f",
					orthogonal.Report.Objective, sphere.Report.Objective)
			}
		}
	}
}

// Learning in groups does not change the earlier filters.
func TestGroupsKeepEarlierFilters(t *testing.T) {
	stats := synth.Synthetic(6, 30, 1)
	for _, search := range []sqfa.Search{"direct", "growing"} {
		start := fit(t, stats, sqfa.Options{Filters: 5, Noise: 0.2}).Filters // any five columns
		opt := sqfa.Options{Noise: 0.2, Search: search, Start: "given", Initial: start, Group: 2, Tol: 1e-12}
		all := fit(t, stats, opt)
		two := opt
		two.Initial = mat.DenseCopyOf(start.Slice(0, 30, 0, 2))
		pair := fit(t, stats, two)
		if !mat.EqualApprox(all.Filters.Slice(0, 30, 0, 2), pair.Filters, 1e-4) {
			t.Errorf("%v: the first pair changed when later ones were learned", search)
		}
		if all.Report.Objective < pair.Report.Objective {
			t.Errorf("%v: objective fell from %g to %g with more filters",
				search, pair.Report.Objective, all.Report.Objective)
		}
	}
}

// Under the union bound, classes that never occur need not be separated.
func TestPriorsAreHonored(t *testing.T) {
	stats := gaussian.New([]string{"a", "b", "c"}, 2)
	for i := range 3 {
		stats.Counts[i] = 50
		copy(stats.Covariance(i).RawSymmetric().Data, []float64{1, 0, 0, 1})
	}
	stats.Mean(0)[0], stats.Mean(1)[0] = -1, 1 // a and b differ in the first dimension
	stats.Mean(2)[1] = 1.5                     // c differs from both in the second
	for _, kind := range []sqfa.Aggregation{"mean", "softmin", "bayes"} {
		opt := sqfa.Options{Filters: 1, Aggregate: kind, Starts: 3, Priors: []float64{1, 1, 1e-6}}
		if s := share(fit(t, stats, opt), 0, 1); s < 0.99 {
			t.Errorf("%v: with a rare third class %.3f of the filter lies in dimension 1", kind, s)
		}
		opt.Priors = []float64{1, 1e-6, 1}
		m := fit(t, stats, opt)
		if a, b := m.Filters.At(0, 0), m.Filters.At(1, 0); math.Abs(a/b-1/1.5) > 0.02 {
			t.Errorf("%v: with a rare second class the filter is (%.3f, %.3f), want along (1, 1.5)", kind, a, b)
		}
	}
}

func TestSoftMinApproachesTheWorstPair(t *testing.T) {
	stats := synth.Synthetic(5, 10, 9)
	mean := fit(t, stats, sqfa.Options{Filters: 2, Noise: 0.1, Starts: 3})
	soft := fit(t, stats, sqfa.Options{Filters: 2, Noise: 0.1, Starts: 3, Aggregate: "softmin",
		Sharpness: 50})
	if slices.Min(soft.Pairs) <= slices.Min(mean.Pairs) {
		t.Errorf("closest pair %g by softmin, %g by the mean", slices.Min(soft.Pairs), slices.Min(mean.Pairs))
	}
	if d := math.Abs(slices.Min(soft.Pairs) - soft.Report.Objective); d > 0.1 {
		t.Errorf("softmin %g is far from the smallest %g", soft.Report.Objective, slices.Min(soft.Pairs))
	}
}

func TestProgressCancelAndLimits(t *testing.T) {
	stats := synth.Synthetic(8, 40, 2)
	for _, search := range []sqfa.Search{"direct", "growing"} {
		ctx, cancel := context.WithCancel(context.Background())
		events := 0
		m, err := sqfa.Fit(ctx, stats,
			sqfa.Options{Filters: 4, Noise: 0.1, Search: search, Progress: func(e rao.Event) {
				if events++; events == 2 {
					cancel()
				}
			}})
		if !rao.HasModel(err) || m == nil || m.Report.Status != rao.StatusCanceled || m.Validate() != nil {
			t.Errorf("%v canceled: %v", search, err)
		} else if h := m.Report.History; m.Report.Objective < h[0] || h[len(h)-1] != m.Report.Objective {
			t.Errorf("%v canceled: objective %g after %v", search, m.Report.Objective, h)
		}
		m, err = sqfa.Fit(context.Background(), stats,
			sqfa.Options{Filters: 4, Noise: 0.1, Search: search, MaxIter: 2, Group: 2})
		var limit *rao.NotConvergedError
		if !errors.As(err, &limit) || m == nil || !strings.Contains(err.Error(), "max_iterations") ||
			!strings.Contains(err.Error(), "raise max-iter") {
			t.Errorf("%v limited: %v", search, err)
		}
	}
}

func TestSeveralStartsKeepTheBest(t *testing.T) {
	stats := synth.Synthetic(8, 20, 12)
	opt := sqfa.Options{Filters: 3, Start: "random"}
	best := math.Inf(-1)
	for seed := range uint64(5) {
		opt.Seed = seed
		best = math.Max(best, fit(t, stats, opt).Report.Objective)
		again := fit(t, stats, opt).Report.Objective
		if best < again {
			t.Errorf("seed %d gave two results", seed)
		}
	}
	opt.Seed, opt.Starts = 0, 8
	one := opt
	one.Starts = 1
	if a, b := fit(t, stats, one).Report.Objective, fit(t, stats, opt).Report.Objective; b < a {
		t.Errorf("eight starts reach %g, the first alone %g", b, a)
	}
}

// If the classes differ in only a few directions, the subspace soon contains all of the gradient. The search must still
// continue to the optimum within the subspace.
func TestGrowingEndsAtTheOptimumOfAnExhaustedSubspace(t *testing.T) {
	stats := synth.Synthetic(6, 60, 1)
	for _, group := range []int{0, 2} {
		opt := sqfa.Options{Filters: 4, Noise: 0.01, Group: group, Tol: 1e-9, Search: "direct",
			Start: "pca"}
		direct := fit(t, stats, opt)
		opt.Search = "growing"
		growing := fit(t, stats, opt)
		if d := direct.Report.Objective - growing.Report.Objective; d > 1e-6 {
			t.Errorf("group %d: growing ends %.3g below direct", group, d)
		}
		if growing.Report.Passes > direct.Report.Passes/3 {
			t.Errorf("group %d: %d passes growing, %d direct", group, growing.Report.Passes, direct.Report.Passes)
		}
	}
}

// If the data vary in fewer directions than there are filters, no noise helps, so the warning says how many filters are
// useful.
func TestMoreFiltersThanDirections(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	x, labels := mat.NewDense(300, 6, nil), make([]int, 300)
	for i := range labels {
		labels[i] = i % 3
		a, b, c := rng.NormFloat64()+2*float64(labels[i]), rng.NormFloat64()*float64(1+labels[i]), rng.NormFloat64()
		x.SetRow(i, []float64{a, b, c, 3 * a, 1, 1e-4 * (a + b)})
	}
	s := testkit.Must(gaussian.Estimate(x, labels, nil))(t)
	for _, src := range []sqfa.Loader{s, s.Source(), sqfa.Rows{X: x, Labels: labels}} {
		m, err := sqfa.Fit(t.Context(), src, sqfa.Options{Filters: 5, Noise: 0.1})
		if m == nil {
			t.Fatal(err)
		}
		said := strings.Join(m.Warnings, "\n")
		testkit.Contains(t, said, "because the data vary in only 3 directions; choose fewer filters, at most 3",
			"the warning")
		if strings.Contains(said, "lower noise") {
			t.Errorf("a lower noise does not help: %s", said)
		}
	}
}
