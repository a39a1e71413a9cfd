package sqfa

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/testkit"
)

// A path over noises keeps the subspace of its searches: it ends as high as fits of their own, over
// all noises, in fewer passes, and knows the features of its filters.
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
	stats, err := gaussian.Estimate(x, labels, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, group := range []int{0, 2} {
		opt, err := Options{Filters: 6, Group: group}.filled(stats.NumClasses(), stats.Dim)
		if err != nil {
			t.Fatal(err)
		}
		basis, err := newStartBasis(stats, opt.Filters)
		if err != nil {
			t.Fatal(err)
		}
		p := newPath(stats, opt, basis)
		alone, reached, want := 0, 0.0, 0.0
		for _, noise := range []float64{1, 0.3, 0.1, 0.03, 0.01, 0.003} {
			filters, err := p.fit(ctx, &candidate{noise: noise}, nil)
			if err != nil {
				t.Fatal(err)
			}
			one := p.opt
			one.Noise, one.space, one.MaxIter = noise, nil, searchGrowths
			m, err := fitStarts(ctx, stats, one)
			if err != nil {
				t.Fatal(err)
			}
			alone += m.Report.Passes
			got, _, err := survey(one, featuresOf(stats, values(filters), 6, noise))
			if err != nil {
				t.Fatal(err)
			}
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
		if !slices.Equal(m.NoiseScores, want.NoiseScores) {
			t.Errorf("start %s: scores %v, want %v", start, m.NoiseScores, want.NoiseScores)
		}
	}
}
