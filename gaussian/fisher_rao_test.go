package gaussian

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/testkit"
)

// In one dimension the distance has a closed form (Atkinson and Mitchell 1981).
func TestFisherRaoInOneDimension(t *testing.T) {
	for _, g := range [][4]float64{{0, 1, 0, 4}, {0, 1, 3, 1}, {-1, 0.3, 2, 5}, {0, 1e-3, 1, 1e3}, {5, 2, 5, 2}} {
		s0, s1 := math.Sqrt(g[1]), math.Sqrt(g[3])
		dm := g[0] - g[2]
		want := math.Sqrt2 * math.Acosh(1+(dm*dm/2+(s0-s1)*(s0-s1))/(2*s0*s1))
		got, err := FisherRao(g[:1], mat.NewSymDense(1, g[1:2]), g[2:3], mat.NewSymDense(1, g[3:]))
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got.Upper-want) > 1e-10*(1+want) || got.Lower > got.Upper {
			t.Errorf("N(%g,%g) to N(%g,%g): %+v, want %.12g", g[0], g[1], g[2], g[3], got, want)
		}
	}
}

// Equal means: the affine-invariant distance over sqrt 2. Equal covariances:
// sqrt 2 acosh(1 + Δ²/4) with Δ the Mahalanobis distance.
func TestFisherRaoKnownForms(t *testing.T) {
	const m = 5
	means, covs := randomGaussians(8, 2, m, false)
	same := append(append([]float64(nil), means[:m]...), means[:m]...)
	got := pairValuesOf(t, Dissimilarity{Name: "fisher_rao"}, 2, m, same, covs)
	want := pairValuesOf(t, Dissimilarity{Name: "calvo_oller"}, 2, m, same, covs)
	testkit.Close(t, "equal means", got, want, 1e-9)

	cov2 := append(append([]float64(nil), covs[:m*m]...), covs[:m*m]...)
	got = pairValuesOf(t, Dissimilarity{Name: "fisher_rao"}, 2, m, means, cov2)
	delta := pairValuesOf(t, Dissimilarity{Name: "mahalanobis", Squared: true}, 2, m, means, cov2)[0]
	testkit.Close(t, "equal covariances", got, []float64{math.Sqrt2 * math.Acosh(1+delta/4)}, 1e-8)
}

// The recovered geodesic has constant speed and the length that is claimed.
func TestFisherRaoIsTheLengthOfACurve(t *testing.T) {
	const m, steps = 4, 400
	means, covs := randomGaussians(9, 2, m, false)
	for i := range means {
		means[i] *= 2
	}
	e := newEriksen(m)
	var w lane
	if err := e.whiten(&w.work, means[:m], covs[:m*m], means[m:], covs[m*m:]); err != nil {
		t.Fatal(err)
	}
	value, err := e.minimize()
	if err != nil {
		t.Fatal(err)
	}
	n := e.n
	point := func(s float64) (*mat.VecDense, *mat.Dense) { // of N(0,I) to N(mu, diag(lambda))
		delta, first := mat.NewVecDense(m, nil), mat.NewDense(m, m, nil)
		for k := range n {
			p := math.Pow(e.values[k], s)
			for a := range m {
				delta.SetVec(a, delta.AtVec(a)+p*e.g[a*n+k]*e.g[m*n+k])
				for b := range m {
					first.Set(a, b, first.At(a, b)+p*e.g[a*n+k]*e.g[b*n+k])
				}
			}
		}
		var cov mat.Dense
		if err := cov.Inverse(first); err != nil {
			t.Fatal(err)
		}
		var mu mat.VecDense
		mu.MulVec(&cov, delta)
		return &mu, &cov
	}
	var length, shortest, longest float64
	mu0, s0 := point(0)
	for k := 1; k <= steps; k++ {
		mu1, s1 := point(float64(k) / steps)
		var mid, ds, q mat.Dense
		var dm, v mat.VecDense
		mid.Add(s0, s1)
		mid.Scale(0.5, &mid)
		ds.Sub(s1, s0)
		dm.SubVec(mu1, mu0)
		if err := q.Solve(&mid, &ds); err != nil {
			t.Fatal(err)
		}
		if err := v.SolveVec(&mid, &dm); err != nil {
			t.Fatal(err)
		}
		var q2 mat.Dense
		q2.Mul(&q, &q)
		piece := math.Sqrt(mat.Dot(&dm, &v) + mat.Trace(&q2)/2)
		length += piece
		if k == 1 {
			shortest, longest = piece, piece
		}
		shortest, longest = math.Min(shortest, piece), math.Max(longest, piece)
		mu0, s0 = mu1, s1
	}
	want := math.Sqrt(value)
	if math.Abs(length-want) > 1e-4*want || longest/shortest > 1+1e-3 {
		t.Errorf("length %.8g, value %.8g, speeds differ by a factor %g", length, want, longest/shortest)
	}
	for i, x := range e.mu {
		if math.Abs(mu0.AtVec(i)-x) > 1e-8 {
			t.Errorf("the curve ends at mean %d = %g, want %g", i, mu0.AtVec(i), x)
		}
	}
}

func TestFisherRaoBrackets(t *testing.T) {
	const c, m = 6, 9
	means, covs := randomGaussians(10, c, m, false)
	s := &Statistics{Dim: m, Means: means, Covariances: covs}
	for range c {
		s.Classes, s.Counts = append(s.Classes, "x"), append(s.Counts, 50)
	}
	brackets, err := s.FisherRaoBrackets()
	if err != nil {
		t.Fatal(err)
	}
	jeffreys := pairValuesOf(t, Dissimilarity{Name: "jeffreys"}, c, m, means, covs)
	for i, b := range brackets {
		if !(b.Lower < b.Upper) || b.Lower < 0.7*b.Upper {
			t.Errorf("pair %d: bracket %+v", i, b)
		}
		// the symmetrized divergence exceeds half the squared distance
		if b.Upper*b.Upper/2 > jeffreys[i] {
			t.Errorf("pair %d: squared distance %g above twice the Jeffreys divergence %g",
				i, b.Upper*b.Upper, jeffreys[i])
		}
		one, err := FisherRao(s.Mean(0), s.Covariance(0), s.Mean(1), s.Covariance(1))
		if err != nil || i == 0 && one != b {
			t.Errorf("pair alone %+v, among others %+v: %v", one, b, err)
		}
	}
}

func BenchmarkFisherRaoPairs(b *testing.B) {
	const c, m = 10, 9
	means, covs := randomGaussians(10, c, m, false)
	p := Dissimilarity{Name: "fisher_rao"}.Pairs(c, m, Smoothing)
	v := make([]float64, NumPairs(c))
	b.ReportAllocs()
	for b.Loop() {
		if err := p.Values(v, means, covs); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCalvoOllerPairs(b *testing.B) {
	const c, m = 10, 9
	means, covs := randomGaussians(10, c, m, false)
	p := Dissimilarity{}.Pairs(c, m, Smoothing)
	v := make([]float64, NumPairs(c))
	gm, gs := make([]float64, c*m), make([]float64, c*m*m)
	b.ReportAllocs()
	for b.Loop() {
		if err := p.Values(v, means, covs); err != nil {
			b.Fatal(err)
		}
		p.Gradient(gm, gs, v)
	}
}
