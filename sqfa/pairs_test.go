package sqfa

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/gaussian"
	"rao/internal/optim"
	"rao/internal/testkit"
)

// components is the golden file of testdata/README.md.
type components struct {
	Of          []int
	Weights     []float64
	Means       [][]float64
	Covariances [][][]float64
	Filters     [][]float64
	Noise       float64
	All, Near   struct {
		Loss     float64
		Gradient [][]float64
		Pairs    [][2]int
	}
}

func goldenComponents(t *testing.T) (g components, stats *gaussian.Statistics, opt plan) {
	t.Helper()
	b, err := os.ReadFile("testdata/components.json")
	if err == nil {
		err = json.Unmarshal(b, &g)
	}
	testkit.NoError(t, err)
	c, n := len(g.Of), len(g.Means[0])
	stats = &gaussian.Statistics{Dim: n, Classes: make([]string, c), Counts: make([]int, c)}
	for i := range c {
		stats.Counts[i] = 10
		stats.Means = append(stats.Means, g.Means[i]...)
		for _, row := range g.Covariances[i] {
			stats.Covariances = append(stats.Covariances, row...)
		}
	}
	opt = testkit.Must(Options{Filters: 2, Noise: g.Noise, Aggregate: aggregationBayes, Priors: g.Weights, Of: g.Of,
		Near: 2}.plan(c, n))(t)
	return g, stats, opt
}

// The bound over components of different classes, its gradient and the choice of near pairs agree with the golden
// program.
func TestBoundOverComponents(t *testing.T) {
	g, stats, opt := goldenComponents(t)
	x := slices.Concat(g.Filters...)
	value, near, err := survey(opt, featuresOf(stats, x, 2, g.Noise))
	if err != nil || math.Abs(value+g.All.Loss) > 1e-12 {
		t.Errorf("bound of all pairs %.15g, want %.15g: %v", value, -g.All.Loss, err)
	}
	var want []gaussian.Pair
	for _, p := range g.Near.Pairs {
		want = append(want, gaussian.Pair{I: p[0], J: p[1]})
	}
	testkit.EqualSlices(t, near, want, "near pairs")
	for _, list := range [][]gaussian.Pair{nil, near} {
		golden := g.All
		if list != nil {
			golden = g.Near
		}
		opt.pairs = list
		q := newProblem(stats, opt, 2, nil)
		q.curve = optim.NewCurve(newManifold(opt, stats.Dim, 2, nil, 0))
		grad := make([]float64, len(x))
		loss, err := q.Start(x, grad)
		if err != nil || math.Abs(loss-golden.Loss) > 1e-12 {
			t.Errorf("loss of %d pairs %.15g, want %.15g: %v", len(golden.Pairs), loss, golden.Loss, err)
		}
		for i, v := range slices.Concat(golden.Gradient...) {
			testkit.Near(t, grad[i], v, 1e-12, "gradient over", len(golden.Pairs), "pairs at", i)
		}
	}
}

// Slopes and gradients over a list of pairs agree with central differences.
func TestDerivativesOverAList(t *testing.T) {
	_, stats, opt := goldenComponents(t)
	opt.pairs = []gaussian.Pair{{I: 0, J: 3}, {I: 2, J: 7}, {I: 1, J: 5}}
	for _, p := range []int{0, 1} {
		checkProblem(t, "list", stats, opt, p)
	}
}

// A fit to near pairs ends near the optimum of all pairs. Its objective and history are computed from all pairs.
func TestNearPairsReachTheBoundOfAll(t *testing.T) {
	const c, n = 48, 8
	stats := randomStatistics(3, c, n)
	for i := range stats.Means {
		stats.Means[i] *= 3 // components of which most are far apart
	}
	opt := Options{Filters: 3, Noise: 0.2, Aggregate: aggregationBayes, Start: startPCA}
	for i := range c {
		opt.Of = append(opt.Of, i/16)
	}
	fit := func(near int, search Search) *Model {
		opt.Near, opt.Search = near, search
		m := testkit.Must(Fit(context.Background(), stats, opt))(t)
		return m
	}
	for _, search := range []Search{searchDirect, searchGrowing} {
		all, few := fit(0, search), fit(5, search)
		h := few.Report.History
		if gain := (few.Report.Objective - h[0]) / (all.Report.Objective - h[0]); !(gain > 0.9) {
			t.Errorf("%v: bound %.6f at the start, %.6f on near pairs, %.6f on all",
				search, h[0], few.Report.Objective, all.Report.Objective)
		}
		testkit.Equal(t, slices.Max(h), few.Report.Objective, search, "history", h, "with objective")
		if all.Pairs != nil || few.Pairs != nil {
			t.Errorf("%v: dissimilarities of some pairs are kept as those of all", search)
		}
	}
	if few, want := fit(6, searchDirect), fit(0, searchDirect); !mat.Equal(few.Filters, want.Filters) {
		t.Error("6 rivals of 48 classes are more than a third of the pairs, and yet all were not taken")
	}
}

func TestNearPairsGiveTheSameBits(t *testing.T) {
	stats := randomStatistics(4, 20, 10)
	testkit.SameAtAnyProcs(t, func() []float64 {
		return values(testkit.Must(Fit(context.Background(), stats,
			Options{Filters: 4, Noise: 0.1, Aggregate: aggregationSoftMin, Near: 2, Group: 2}))(t).Filters)
	})
}

// MaxIter limits all rounds together.
func TestNearPairsKeepToTheLimit(t *testing.T) {
	m, err := Fit(context.Background(), randomStatistics(4, 20, 10),
		Options{Filters: 3, Noise: 0.1, Aggregate: aggregationBayes, Near: 2, MaxIter: 30})
	if !rao.IsNotConverged(err) || m.Report.Iterations > 30 {
		t.Errorf("%d iterations, %v", m.Report.Iterations, err)
	}
}

func TestComponentsAreChecked(t *testing.T) {
	stats := randomStatistics(1, 4, 3)
	for _, o := range []Options{{Of: []int{0, 1}}, {Of: []int{5, 5, 5, 5}}, {Near: -1}} {
		testkit.Fails(t, testkit.ErrorOf(Fit(context.Background(), stats, o)), "Of", o.Of, "Near", o.Near, "pass")
	}
	if _, err := Fit(context.Background(), Rows{X: mat.NewDense(4, 1, nil), Labels: []int{0, 1, 0, 1}},
		Options{Noise: AutoNoise, Of: []int{0, 0}}); err == nil {
		t.Error("folds of components pass")
	}
	testkit.Equal(t,
		testkit.Must(Fit(t.Context(), stats, Options{Of: []int{0, 0, 1, 2}, Noise: 1}))(t).Filters.RawMatrix().Cols, 2,
		"three classes of four components do not take two filters")
}
