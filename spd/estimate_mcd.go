package spd

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"rao/internal/faults"
	"rao/internal/indices"
	"rao/internal/optionvalues"
)

// The minimum covariance determinant uses mcdStarts random starts with mcdSteps concentration steps each. The best
// mcdBest starts continue until their selection of samples does not change.
const (
	mcdStarts = 500
	mcdSteps  = 2
	mcdBest   = 10
)

// subset is a choice of samples with its mean and covariance.
type subset struct {
	rows   []int
	mean   []float64
	cov    []float64
	logDet float64
	chol   mat.Cholesky
}

// mcd replaces s, the covariance of the rows in w.centered, by the covariance of the h = (n+c+1)/2 samples with the
// smallest determinant (FAST-MCD; Rousseeuw and Van Driessen 1999). The result is scaled to be consistent for Gaussian
// signals (Croux and Haesbroeck 1999). The search may end in a local minimum. Its starts are drawn with a fixed seed. A
// step costs as much as two covariances.
func (w *covarianceWork) mcd(s []float64, n, c int) error {
	h := (n + c + 1) / 2
	if h <= c {
		return faults.Count(n, c+1, "a trial of %d samples is too short for %d channels: the estimator %v needs more "+
			"samples than channels; use oas, or longer trials", n, c, optionvalues.EstimatorMCD)
	}
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	var starts []*subset
	for range mcdStarts {
		set := &subset{rows: rng.Perm(n)[:c+1]}
		for !w.measure(set, c) { // add samples until they span the space
			if len(set.rows) == n {
				return faults.Data("the %v estimate is not positive definite, because channels depend on each other; "+
					"use oas, or drop a channel", optionvalues.EstimatorMCD)
			}
			set.rows = extend(set.rows, n, rng)
		}
		for range mcdSteps {
			if _, ok := w.concentrate(set, n, c, h); !ok {
				return w.flat()
			}
		}
		starts = append(starts, set)
	}
	slices.SortStableFunc(starts, func(a, b *subset) int { return cmp.Compare(a.logDet, b.logDet) })
	var best *subset
	for _, set := range starts[:mcdBest] {
		for range robustSteps {
			changed, ok := w.concentrate(set, n, c, h)
			if !ok {
				return w.flat()
			}
			if !changed {
				break
			}
		}
		if best == nil || set.logDet < best.logDet {
			best = set
		}
	}
	share := float64(h) / float64(n)
	limit := distuv.ChiSquared{K: float64(c)}.Quantile(share)
	scale := share / distuv.ChiSquared{K: float64(c + 2)}.CDF(limit)
	for i, v := range best.cov {
		s[i] = scale * v
	}
	return nil
}

func (w *covarianceWork) flat() error {
	return faults.Data("the %v estimate is singular, because half of the samples span fewer dimensions than the "+
		"channels; a channel may be flat for half of the trial; use oas, or drop the channel",
		optionvalues.EstimatorMCD)
}

// extend adds a row that is not yet in rows.
func extend(rows []int, n int, rng *rand.Rand) []int {
	for {
		if r := rng.IntN(n); !slices.Contains(rows, r) {
			return append(rows, r)
		}
	}
}

// measure computes the mean and covariance of the samples of a set, and reports whether they span the space.
func (w *covarianceWork) measure(set *subset, c int) bool {
	set.mean, set.cov = make([]float64, c), make([]float64, c*c)
	size := float64(len(set.rows))
	for _, r := range set.rows {
		for i, v := range w.centered[r*c : (r+1)*c] {
			set.mean[i] += v / size
		}
	}
	z := make([]float64, c)
	for _, r := range set.rows {
		for i, v := range w.centered[r*c : (r+1)*c] {
			z[i] = v - set.mean[i]
			for j := range i + 1 {
				set.cov[i*c+j] += z[i] * z[j] / size
			}
		}
	}
	for i := range c {
		for j := range i {
			set.cov[j*c+i] = set.cov[i*c+j]
		}
	}
	if !set.chol.Factorize(mat.NewSymDense(c, set.cov)) || set.chol.Cond() > 1e14 {
		return false
	}
	set.logDet = set.chol.LogDet()
	return true
}

// concentrate selects the h samples nearest to a set, which never increases the determinant. It reports whether the
// selection changed and whether it spans the space.
func (w *covarianceWork) concentrate(set *subset, n, c, h int) (changed, ok bool) {
	var l mat.TriDense
	set.chol.LTo(&l)
	d := make([]float64, n)
	z := make([]float64, c)
	for k := range n {
		d[k] = squaredMahalanobis(&l, w.centered[k*c:(k+1)*c], set.mean, z)
	}
	order := indices.Sorted(n, func(a, b int) int { return cmp.Compare(d[a], d[b]) })
	rows := order[:h]
	slices.Sort(rows)
	if slices.Equal(rows, set.rows) {
		return false, true
	}
	before := set.logDet
	full := len(set.rows) == h
	set.rows = rows
	if !w.measure(set, c) {
		return false, false
	}
	return !full || math.Abs(set.logDet-before) > 1e-13*math.Abs(before), true
}
