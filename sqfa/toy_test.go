package sqfa_test

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/synth"
	"rao/internal/testkit"
	"rao/sqfa"
)

// share returns the share of the filters' squared norm in the data dimensions [lo,hi).
func share(m *sqfa.Model, lo, hi int) float64 {
	n, k := m.Filters.Dims()
	var in, all float64
	for i := range n {
		for j := range k {
			v := m.Filters.At(i, j) * m.Filters.At(i, j)
			all += v
			if i >= lo && i < hi {
				in += v
			}
		}
	}
	return in / all
}

func fit(t testing.TB, src sqfa.Loader, opt sqfa.Options) *sqfa.Model {
	t.Helper()
	m := testkit.Must(sqfa.Fit(context.Background(), src, opt))(t)
	testkit.NoError(t, m.Validate())
	return m
}

// Toy problem 1 of the paper (figure 2).
func TestToyOne(t *testing.T) {
	for _, opt := range []sqfa.Options{{}, {Starts: 3}, {Search: "growing", Starts: 3},
		{Start: "random", Starts: 4}} {
		opt.Filters, opt.Noise = 2, 0.01
		if s := share(fit(t, synth.ToyOne(), opt), 0, 2); s < 0.999 {
			t.Errorf("%v start: %.4f of the filters lies in dimensions 1-2", opt.Start, s)
		}
		if s := share(fit(t, synth.ToyOneShifted(), opt), 2, 4); s < 0.999 {
			t.Errorf("%v start: with larger means %.4f lies in dimensions 3-4", opt.Start, s)
		}
	}
}

// Toy problem 2: SQFA uses means and covariances, smSQFA only second moments.
func TestToyTwo(t *testing.T) {
	stats := synth.ToyTwo()
	opt := sqfa.Options{Filters: 2, Noise: 0.01, Starts: 3}
	if s := share(fit(t, stats, opt), 0, 2); s < 0.99 {
		t.Errorf("SQFA: %.4f lies in dimensions 1-2", s)
	}
	opt.Distance = gaussian.Riemann
	if s := share(fit(t, stats, opt), 2, 4); s < 0.99 {
		t.Errorf("smSQFA: %.4f lies in dimensions 3-4", s)
	}
}

// In the distance toy (figure 6), measures that do not depend on scale find the rotation, and the others find the
// variance.
func TestToyDistance(t *testing.T) {
	stats := synth.ToyDistance()
	for name, lo := range map[string]int{"calvo_oller": 0, "fisher_rao": 0, "bhattacharyya": 0, "logeuclid": 0,
		"wasserstein_normalized": 0, "riemann": 0, "hellinger": 0, "jeffreys": 0, "wasserstein": 2,
		"euclid": 2} {
		m := fit(t, stats, sqfa.Options{Filters: 2, Noise: 1e-3, Distance: gaussian.Dissimilarity(name),
			Starts: 4})
		if s := share(m, lo, lo+2); s < 0.95 {
			t.Errorf("%s: %.4f of the filters lies in dimensions %d-%d", name, s, lo+1, lo+2)
		}
	}
}

// equalCovariances returns classes with one covariance and random means.
func equalCovariances(t testing.TB, c, n int) *gaussian.Statistics {
	t.Helper()
	stats := synth.Synthetic(c, n, 5)
	_, within, _, _ := stats.Pooled(nil)
	for i := range c {
		copy(stats.Covariance(i).RawSymmetric().Data, within.RawSymmetric().Data)
	}
	return stats
}

// With equal covariances the sum of squared Mahalanobis distances is largest in the
// subspace of linear discriminant analysis.
func TestSquaredMahalanobisIsLinearDiscriminantAnalysis(t *testing.T) {
	const c, n, m = 6, 12, 4
	stats := equalCovariances(t, c, n)
	uniform := []float64{1, 1, 1, 1, 1, 1}
	_, within, between, _ := stats.Pooled(uniform)
	var chol mat.Cholesky
	if !chol.Factorize(within) {
		t.Fatal("within-class covariance")
	}
	var l mat.TriDense
	chol.LTo(&l)
	var a mat.Dense
	testkit.NoError(t, a.Solve(&l, between))
	var b mat.Dense
	testkit.NoError(t, b.Solve(&l, a.T()))
	var eig mat.EigenSym
	if !eig.Factorize(testkit.Symmetric(&b), true) {
		t.Fatal("between-class eigenvectors")
	}
	var u, lda mat.Dense
	eig.VectorsTo(&u)
	testkit.NoError(t, lda.Solve(l.T(), u.Slice(0, n, n-m, n)))
	model := fit(t, stats, sqfa.Options{Filters: m,
		Distance: gaussian.Dissimilarity("mahalanobis_squared"), Tol: 1e-14, MaxIter: 3000})
	if angle := largestAngle(t, model.Filters, &lda); angle > 1e-4 {
		t.Errorf("largest principal angle %.3g", angle)
	}
}

// largestAngle returns the largest principal angle between two column spaces.
func largestAngle(t testing.TB, a, b mat.Matrix) float64 {
	t.Helper()
	_, k := a.Dims()
	basis := func(x mat.Matrix) *mat.Dense {
		var qr mat.QR
		var q mat.Dense
		qr.Factorize(x)
		qr.QTo(&q)
		r, _ := x.Dims()
		return mat.DenseCopyOf(q.Slice(0, r, 0, k))
	}
	qa, qb := basis(a), basis(b)
	var p, residual mat.Dense
	p.Mul(qa.T(), qb)
	residual.Mul(qa, &p)
	residual.Sub(qb, &residual) // its largest singular value is the sine
	var svd mat.SVD
	if !svd.Factorize(&residual, mat.SVDNone) {
		t.Fatal("singular values")
	}
	return math.Asin(math.Min(1, svd.Values(nil)[0]))
}

// If fits are cheap, all starts run to their end, and any seed finds the better of two optima: second moments of
// classes that differ in the orientation of their first two dimensions, with means far apart.
func TestCheapStartsEndInTheBetterOptimum(t *testing.T) {
	const n = 6
	means := [3][n]float64{{2: 1, 3: -0.5}, {3: 1}, {2: -1, 3: -0.5}}
	stats := gaussian.New([]string{"a", "b", "c"}, n)
	for k, degrees := range []float64{15, 45, 70} {
		stats.Counts[k] = 100
		copy(stats.Means[k*n:], means[k][:])
		c := stats.Covariances[k*n*n:]
		for i, v := range []float64{0, 0, 0.1, 0.1, 1, 1} {
			c[i*n+i] = v
		}
		cos, sin := math.Cos(degrees*math.Pi/180), math.Sin(degrees*math.Pi/180)
		c[0], c[n+1] = 0.7*cos*cos+0.01*sin*sin, 0.7*sin*sin+0.01*cos*cos
		c[1] = (0.7 - 0.01) * sin * cos
		c[n] = c[1]
	}
	for seed := range uint64(10) {
		opt := sqfa.Options{Filters: 2, Noise: 0.01, Distance: gaussian.Riemann, Seed: seed + 1}
		m := testkit.Must(sqfa.Fit(context.Background(), stats, opt))(t)
		if m.Report.Objective < 3.66 {
			t.Errorf("seed %d: objective %g, and 3.663 is the better optimum", seed+1, m.Report.Objective)
		}
	}
}
