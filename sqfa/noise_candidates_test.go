package sqfa

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/testkit"
)

// A path over several noises keeps the subspace of its searches. Over all noises, its objectives are as high as in
// separate fits, with fewer passes, and it has the features of its filters.
func TestPathKeepsItsSubspace(t *testing.T) {
	ctx := context.Background()
	const rows, n, c = 1800, 220, 6
	rng := rand.New(rand.NewPCG(2, 7))
	x, labels := mat.NewDense(rows, n, nil), make([]int, rows)
	for i := range rows {
		labels[i] = i % c
		for j := range n {
			spread := math.Exp(-float64(j)/40 + math.Sin(float64((labels[i]+1)*j)))
			x.Set(i, j, spread*(rng.NormFloat64()+0.3*math.Cos(float64(labels[i]+j))))
		}
	}
	stats := testkit.Must(gaussian.Estimate(x, labels, nil))(t)
	for _, group := range []int{0, 2} {
		opt := testkit.Must(Options{Filters: 6, Group: group}.plan(stats.NumClasses(), stats.Dim))(t)
		basis := testkit.Must(newStartBasis(stats, opt.Filters))(t)
		p := newPath(stats, opt, basis)
		alone, reached, want := 0, 0.0, 0.0
		for _, noise := range []float64{1, 0.3, 0.1, 0.03, 0.01, 0.003} {
			filters := testkit.Must(p.fit(ctx, &candidate{noise: noise}, nil))(t)
			one := p.opt
			one.Noise, one.space, one.MaxIter = noise, nil, searchGrowths
			m := testkit.Must(fitStarts(ctx, stats, one))(t)
			alone += m.Report.Passes
			got, _ := testkit.Must2(survey(one, featuresOf(stats, values(filters), 6, noise)))(t)
			reached, want = reached+got, want+m.Report.Objective
			kept, exact := p.features(filters), stats.Project(filters)
			for i, v := range exact.Covariances {
				if math.Abs(kept.Covariances[i]-v) > 1e-9*math.Abs(v)+1e-12 {
					t.Fatalf("covariance value %d is %v, want %v", i, kept.Covariances[i], v)
				}
			}
			if !mat.EqualApprox(mat.NewDense(6, 6, kept.Means), mat.NewDense(6, 6, exact.Means), 1e-9) {
				t.Error("the means of the features differ")
			}
		}
		if reached < want {
			t.Errorf("groups of %d: objectives add up to %g, those of fits of their own to %g", group, reached, want)
		}
		if p.passes-1 > alone { // fits of their own share its basis, which is a pass
			t.Errorf("groups of %d: %d passes, fits of their own take %d", group, p.passes, alone)
		}
	}
}

// The search for the noise does not depend on the start of the final fit. In a growing search, one step from principal
// components stays in their span, where noise hardly matters, so rounding errors chose the noise.
func TestSearchForTheNoiseHasItsOwnStarts(t *testing.T) {
	const rows, n = 400, 30
	rng := rand.New(rand.NewPCG(3, 26))
	x, labels := mat.NewDense(rows, n, nil), make([]int, rows)
	for i := range rows {
		labels[i] = i % 3
		for j := range n {
			x.Set(i, j, rng.NormFloat64()*float64(n-j)+float64(3*labels[i]*(j%4)))
		}
	}
	var want *Model
	for _, start := range []Start{startSeveral, startPCA, startRandom, startLDA} {
		m := testkit.Must(Fit(t.Context(), Rows{X: x, Labels: labels}, Options{Filters: 2, Noise: AutoNoise,
			Search: searchGrowing, Start: start}))(t)
		if want == nil {
			want = m
		}
		testkit.EqualSlices(t, m.NoiseScores, want.NoiseScores, "start", start, "scores")
	}
}

// A candidate with a single start is fitted without an evaluation to compare starts.
func TestSingleStartIsNotCompared(t *testing.T) {
	stats := testkit.Must(gaussian.Estimate(fewRowsOfTwoClasses()))(t)
	opt := testkit.Must(Options{Filters: 2, Noise: 1, MaxIter: 3, Start: startSeveral}.plan(2, stats.Dim))(t)
	given := mat.NewDense(stats.Dim, 2, randomFilters(stats.Dim, 2, constraintNone, 1, 1))
	opt.rough, opt.also, opt.known = true, []*mat.Dense{given}, testkit.Must(newStartBasis(stats, 2))(t)
	opt.known.turned = []turned{{noise: 1}}
	several := testkit.Must(fitStarts(t.Context(), stats, opt))(t)
	opt.Start, opt.Initial = startGiven, given
	alone := testkit.Must(fitStarts(t.Context(), stats, opt))(t)
	if !mat.EqualApprox(several.Filters, alone.Filters, 1e-9) {
		t.Error("the filters differ from those of a fit from the only start")
	}
	testkit.Equal(t, several.Report.Evaluations, alone.Report.Evaluations, "evaluations")
}

// fewRowsOfTwoClasses returns 30 rows of 20 columns in two classes that differ in their means, and no names.
func fewRowsOfTwoClasses() (*mat.Dense, []int, []string) {
	rng := rand.New(rand.NewPCG(9, 26))
	x, labels := mat.NewDense(30, 20, nil), make([]int, 30)
	for r := range labels {
		labels[r] = r % 2
		for j := range 20 {
			x.Set(r, j, rng.NormFloat64()+float64(3*labels[r]))
		}
	}
	return x, labels, nil
}

// If a class has few rows, the statistics of features are computed from the rows, and are those of the projected
// statistics.
func TestFeaturesOfFewRows(t *testing.T) {
	x, labels, _ := fewRowsOfTwoClasses()
	opt := testkit.Must(Options{Filters: 3, Noise: AutoNoise}.plan(2, 20))(t)
	f := testkit.Must(Rows{X: x, Labels: labels}.folds(opt.Options))(t)
	f.AffineInPlace(slices.Repeat([]float64{0.5}, 20), []float64{2})
	paths := testkit.Must(f.paths(opt, testkit.Must(newStartBasis(f.All, 3))(t)))(t)
	filters := mat.NewDense(20, 3, randomFilters(20, 3, constraintNone, 1, 1))
	for i, p := range paths {
		got, want := f.features(p, filters, f.Held[i]), p.features(filters)
		testkit.EqualSlices(t, got.Counts, want.Counts, "fold", i, "counts")
		if !floats.EqualApprox(got.Means, want.Means, 1e-12) ||
			!floats.EqualApprox(got.Covariances, want.Covariances, 1e-12) {
			t.Errorf("fold %d: means %v and covariances %v, want %v and %v", i, got.Means, got.Covariances,
				want.Means, want.Covariances)
		}
	}
}

// Filters with the largest possible score are not compared with filters for less noise, even if they coincide.
func TestBestPossibleFiltersAreDelivered(t *testing.T) {
	stats := testkit.Must(gaussian.Estimate(fewRowsOfTwoClasses()))(t)
	opt := testkit.Must(Options{Filters: 2, Noise: AutoNoise}.plan(2, stats.Dim))(t)
	given := []*mat.Dense{mat.NewDense(stats.Dim, 2, randomFilters(stats.Dim, 2, constraintNone, 1, 1))}
	for most, want := range map[float64]int{1: 1, math.Inf(1): 2} {
		search := noiseSearch{basis: testkit.Must(newStartBasis(stats, 2))(t),
			tried: []*candidate{{noise: 1, filters: given}, {noise: 1000, score: 1, filters: given}}}
		scored := 0
		_, _, err := search.deliver(t.Context(), stats, opt, math.Inf(-1), most,
			func(*mat.Dense, float64) (float64, error) { scored++; return 1, nil },
			func(float64) float64 { return 0 })
		testkit.NoError(t, err)
		testkit.Equal(t, scored, want, "largest score", most, "fits")
	}
}

// A fit that fails at the end of the search must not replace the filters that were validated.
func TestFailedRetryKeepsTheFilters(t *testing.T) {
	first, second := mat.NewDense(2, 1, []float64{1, 0}), mat.NewDense(2, 1, []float64{0, 1})
	c := &candidate{noise: 1, filters: []*mat.Dense{first}, scores: make([]rowScores, 1)}
	ok := c.again(func(c *candidate, _ bool) {
		c.filters[0], c.err = second, errors.New("no convergence")
	})
	if ok || c.err != nil || c.filters[0] != first {
		t.Errorf("ok %v, error %v, filters %v; want the first filters", ok, c.err, c.filters[0])
	}
}
