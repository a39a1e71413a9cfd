package gaussian

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/testkit"
)

// The recovered geodesic has constant speed and the computed length.
func TestFisherRaoIsTheLengthOfACurve(t *testing.T) {
	const m, steps = 4, 400
	x, labels := sample(9, 40, m, 2, 1)
	s := estimate(t, x, labels)
	means, covs := s.Means, s.Covariances
	for i := range means {
		means[i] *= 2
	}
	e := newEriksen(m)
	var w lane
	testkit.NoError(t, e.whiten(&w.work, means[:m], covs[:m*m], means[m:], covs[m*m:]))
	value := testkit.Must(e.minimize())(t)
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
		testkit.NoError(t, cov.Inverse(first))
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
		testkit.NoError(t, q.Solve(&mid, &ds))
		testkit.NoError(t, v.SolveVec(&mid, &dm))
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
		testkit.Near(t, mu0.AtVec(i), x, 1e-8, "the curve ends at mean", i)
	}
}
