package gaussian_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/classcolumns"
	"rao/internal/classstats"
	"rao/internal/gaussiancheck"
	"rao/internal/testkit"
)

// In one dimension the distance has a closed form (Atkinson and Mitchell 1981).
func TestFisherRaoInOneDimension(t *testing.T) {
	for _, g := range [][4]float64{{0, 1, 0, 4}, {0, 1, 3, 1}, {-1, 0.3, 2, 5}, {0, 1e-3, 1, 1e3}, {5, 2, 5, 2}} {
		s0, s1 := math.Sqrt(g[1]), math.Sqrt(g[3])
		dm := g[0] - g[2]
		want := math.Sqrt2 * math.Acosh(1+(dm*dm/2+(s0-s1)*(s0-s1))/(2*s0*s1))
		got := pairValuesOf(t, gaussian.FisherRao, 2, 1, []float64{g[0], g[2]}, []float64{g[1], g[3]})[0]
		testkit.Near(t, got, want, 1e-10*(1+want), "N", g[0], g[1], "to N", g[2], g[3])
	}
}

// With equal means, the distance is the affine-invariant distance divided by sqrt 2. With equal covariances, it is sqrt
// 2 acosh(1 + Δ²/4), where Δ is the Mahalanobis distance.
func TestFisherRaoKnownForms(t *testing.T) {
	const m = 5
	means, covs := gaussiancheck.Random(8, 2, m, false)
	same := append(append([]float64(nil), means[:m]...), means[:m]...)
	got := pairValuesOf(t, gaussian.FisherRao, 2, m, same, covs)
	want := pairValuesOf(t, gaussian.CalvoOller, 2, m, same, covs)
	testkit.Close(t, "equal means", got, want, 1e-9)

	cov2 := append(append([]float64(nil), covs[:m*m]...), covs[:m*m]...)
	got = pairValuesOf(t, gaussian.FisherRao, 2, m, means, cov2)
	delta := pairValuesOf(t, gaussian.Dissimilarity("mahalanobis_squared"), 2, m, means, cov2)[0]
	testkit.Close(t, "equal covariances", got, []float64{math.Sqrt2 * math.Acosh(1+delta/4)}, 1e-8)
}

func TestLowerBoundsOfFisherRao(t *testing.T) {
	const c, m = 6, 9
	means, covs := gaussiancheck.Random(10, c, m, false)
	s := &gaussian.Statistics{Dim: m, Means: means, Covariances: covs}
	for range c {
		s.Classes, s.Counts = append(s.Classes, "x"), append(s.Counts, 50)
	}
	var upper, lower, jeffreys mat.Dense
	for dst, d := range map[*mat.Dense]gaussian.Dissimilarity{&upper: gaussian.FisherRao,
		&jeffreys: gaussian.Jeffreys} {
		testkit.NoError(t, s.DissimilarityMatrix(dst, d))
	}
	if ok, err := classstats.LowerBounds(s, &lower, gaussian.FisherRao); !ok || err != nil {
		t.Fatal(ok, err)
	}
	for i := range c {
		for j := range i {
			l, u, divergence := lower.At(i, j), upper.At(i, j), jeffreys.At(i, j)
			if !(l < u) || l < 0.7*u {
				t.Errorf("pair %d, %d: from %g to %g", i, j, l, u)
			}
			if u*u/2 > divergence { // the symmetrized divergence exceeds half the squared distance
				t.Errorf("pair %d, %d: squared distance %g above twice the divergence %g", i, j, u*u, divergence)
			}
		}
	}
	if ok, err := classstats.LowerBounds(s, &lower, gaussian.Jeffreys); ok || err != nil {
		t.Error(ok, err)
	}
}

func BenchmarkFisherRaoPairs(b *testing.B) {
	const c, m = 10, 9
	means, covs := gaussiancheck.Random(10, c, m, false)
	p := gaussian.FisherRao.Pairs(nil, c, m, 1e-6)
	v := make([]float64, classcolumns.NumPairs(c))
	b.ReportAllocs()
	for b.Loop() {
		testkit.NoError(b, p.Values(v, means, covs))
	}
}

func BenchmarkCalvoOllerPairs(b *testing.B) {
	const c, m = 10, 9
	means, covs := gaussiancheck.Random(10, c, m, false)
	p := gaussian.CalvoOller.Pairs(nil, c, m, 1e-6)
	v := make([]float64, classcolumns.NumPairs(c))
	gm, gs := make([]float64, c*m), make([]float64, c*m*m)
	b.ReportAllocs()
	for b.Loop() {
		testkit.NoError(b, p.Values(v, means, covs))
		p.Gradient(gm, gs, v)
	}
}
