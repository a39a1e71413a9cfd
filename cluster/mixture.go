package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/evaluate"
	"rao/internal/faults"
	"rao/internal/indices"
	"rao/internal/linalg/vec"
	"rao/internal/rows"
	"rao/spd"
)

// MixtureOptions are the options of a mixture. The zero value is a good default.
type MixtureOptions struct {
	// Metric is the metric of the means and tangent vectors: riemann, the default, or one of spd.FlatMetrics.
	Metric spd.Metric
	// Starts is the number of runs of k-means; default 10. The fit starts from the clusters of the best run.
	Starts int
	// MaxIter limits the iterations; default 300.
	MaxIter int
	// Tol ends the fit when the mean log-likelihood per matrix, in nats, changes by at most this value; default 1e-7.
	Tol float64
	// Seed is the seed of k-means.
	Seed uint64
	// Progress receives an event after every iteration.
	Progress rao.Progress
}

func (o MixtureOptions) filled() (MixtureOptions, error) {
	o.Metric = cmp.Or(o.Metric, spd.Riemann)
	o.MaxIter = cmp.Or(o.MaxIter, 300)
	o.Tol = cmp.Or(o.Tol, 1e-7)
	if !vec.Positive(o.Tol) || o.MaxIter < 1 {
		return o, faults.Option(
			"the tolerance is %g and the iteration limit %d; both must be positive and finite", o.Tol,
			o.MaxIter)
	}
	_, err := spd.ParseMetric(string(o.Metric))
	return o, err
}

// Mixture is a mixture of Gaussians on SPD matrices. Component k has a mean M_k, a covariance S_k of tangent vectors at
// the mean (Pennec 2006) and a weight π_k:
//
//	p(X) = Σ_k π_k N(v_k; 0, S_k),  v_k the tangent vector of X at M_k
//
// Tangent vectors have d = n(n+1)/2 values. For riemann they are computed by [spd.TangentVectors]. For a flat metric
// they are differences in spd.FlatSpace, and the mixture is an ordinary mixture of vectors. The exported fields
// determine the model.
type Mixture struct {
	Metric      spd.Metric      // metric of the means and tangent vectors
	Weights     []float64       // π_k of each component
	Means       *spd.Stack      // M_k of each component
	Covariances []*mat.SymDense // S_k of each component, of order d
	Floored     []int           // components with too few matrices, whose variances were raised to the floor
	Assignments []int           // most probable component of each training matrix
	Report      rao.Report      // the objective is the mean log-likelihood per matrix
}

// varianceFloor is the smallest variance of a component in any direction, as a fraction of the mean variance within the
// starting clusters.
const varianceFloor = 1e-6

// FitMixture fits a mixture of k components by expectation maximization (Jaquier and Calinon 2017), starting from the
// clusters of k-means. The iteration has the same fixed points as in pyRiemann, which starts from randomly drawn
// matrices and identity covariances.
//
// Variances below a millionth of the mean variance within the clusters are raised to that value; Floored lists these
// components. If the fit reaches the iteration limit, or ctx is canceled after the first iteration, FitMixture returns
// a usable model and a *rao.NotConvergedError. If ctx is canceled earlier, it returns the error of ctx. It returns an
// error if there are fewer matrices than values in a tangent vector, or the matrices of each cluster are identical.
// Other errors name the matrix or the option.
//
// The cost of an iteration is k means, k N tangent vectors of d values, and k (N d² + d³) operations.
func FitMixture(ctx context.Context, x *spd.Stack, k int, opt MixtureOptions) (*Mixture, error) {
	begin := time.Now()
	opt, err := opt.filled()
	if err != nil {
		return nil, err
	}
	if err := check(x, k); err != nil {
		return nil, err
	}
	if d := vec.PackedLen(x.Dim); x.Count < d {
		return nil, fmt.Errorf("matrices of order %d have %d tangent coordinates, more than the %d matrices; "+
			"use more matrices, matrices of fewer channels, or k-means", x.Dim, d, x.Count)
	}
	m, err := fitMixture(ctx, x, k, opt)
	if err != nil {
		return nil, err
	}
	m.Report.Elapsed = time.Since(begin)
	return m, faults.Unfinished(ctx, "mixture", m.Report, "raise the iteration limit")
}

func fitMixture(ctx context.Context, x *spd.Stack, k int, opt MixtureOptions) (*Mixture, error) {
	p, err := newPoints(ctx, x, opt.Metric)
	if err != nil {
		return nil, err
	}
	start, err := FitKMeans(ctx, x, k, KMeansOptions{Metric: opt.Metric, Starts: opt.Starts, Seed: opt.Seed})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil && !rao.HasModel(err) {
		return nil, err
	}
	floor := varianceFloor * start.Inertia / float64(x.Count*vec.PackedLen(x.Dim))
	if !vec.Finite(floor) {
		return nil, faults.Data("the squared distances of the matrices overflow; check their units")
	}
	if floor == 0 {
		return nil, faults.Data("the matrices of each cluster are identical, so they have no covariance; use fewer " +
			"clusters, or k-means")
	}
	m := &Mixture{Metric: opt.Metric, Means: start.Means}
	share := mat.NewDense(x.Count, k, nil)
	for i, g := range start.Assignments {
		share.Set(i, g, 1)
	}
	m.Report.Status = rao.StatusMaxIterations
	before := math.Inf(-1)
	for m.Report.Iterations < opt.MaxIter {
		next, err := m.maximized(ctx, p, share, floor)
		var logs []float64
		if err == nil {
			logs, err = next.posterior(ctx, share, p)
		}
		if ctx.Err() != nil {
			if m.Weights == nil {
				return nil, ctx.Err()
			}
			m.Report.Status = rao.StatusCanceled
			break
		}
		if err != nil {
			return nil, err
		}
		next.Report = m.Report
		m = next
		m.Report.Iterations++
		m.Report.Objective = floats.Sum(logs) / float64(x.Count)
		m.Report.History = append(m.Report.History, m.Report.Objective)
		m.Assignments = evaluate.MostProbable(share)
		opt.Progress.Send(rao.Event{Stage: "mixture", Done: m.Report.Iterations, Limit: opt.MaxIter,
			Objective: m.Report.Objective})
		if math.Abs(m.Report.Objective-before) <= opt.Tol {
			m.Report.Status = rao.StatusConverged
			break
		}
		before = m.Report.Objective
	}
	m.Report.Passes = m.Report.Iterations
	return m, nil
}

// maximized returns the mixture that maximizes the likelihood for the given shares of the matrices in the components,
// N×k. A component without a share keeps its mean, and its covariance becomes the floor.
func (m *Mixture) maximized(ctx context.Context, p *points, share *mat.Dense, floor float64) (*Mixture, error) {
	n, k := share.Dims()
	d := vec.PackedLen(p.x.Dim)
	next := &Mixture{Metric: m.Metric, Means: spd.NewStack(k, p.x.Dim), Weights: make([]float64, k),
		Covariances: make([]*mat.SymDense, k)}
	w := make([]float64, n)
	var t mat.Dense
	for c := range k {
		mat.Col(w, c, share)
		sum := floats.Sum(w)
		next.Weights[c] = sum / float64(n)
		mean := m.Means.Sym(c)
		if sum > 0 {
			opt := spd.MeanOptions{}
			if m.Metric.Iterates() {
				opt.Start = mean
			}
			moved, _, err := spd.Mean(ctx, p.x, w, m.Metric, opt)
			if err != nil && (ctx.Err() != nil || !rao.HasModel(err)) {
				return nil, err
			}
			mean = moved
		}
		next.Means.Set(c, mean)
		centers, err := p.centers(ctx, next.Means.Slice(c, c+1))
		if err != nil {
			return nil, err
		}
		if err := p.from(ctx, &t, centers[0]); err != nil {
			return nil, err
		}
		for i := range n {
			v := t.RawRowView(i)
			root := 0.0
			if sum > 0 {
				root = math.Sqrt(w[i] / sum)
			}
			for j := range v {
				v[j] *= root
			}
		}
		cov := mat.NewSymDense(d, nil)
		cov.SymOuterK(1, t.T())
		raised, err := raise(cov, floor)
		if err != nil {
			return nil, err
		}
		if raised {
			next.Floored = append(next.Floored, c)
		}
		next.Covariances[c] = cov
	}
	return next, nil
}

// raise raises the eigenvalues of a that are below the floor, and reports whether any were raised.
func raise(a *mat.SymDense, floor float64) (bool, error) {
	values, vectors, err := spectrumOf(a)
	if err != nil || values[0] >= floor {
		return false, err
	}
	d := len(values)
	scaled := mat.NewDense(d, d, nil)
	for j, v := range values {
		root := math.Sqrt(max(v, floor))
		for i := range d {
			scaled.Set(i, j, root*vectors.At(i, j))
		}
	}
	a.SymOuterK(1, scaled)
	return true, nil
}

func spectrumOf(a *mat.SymDense) ([]float64, *mat.Dense, error) {
	var eig mat.EigenSym
	if !eig.Factorize(a, true) {
		return nil, nil, errors.New("the eigendecomposition of a covariance did not converge; check the matrices for " +
			"extreme values")
	}
	var v mat.Dense
	eig.VectorsTo(&v)
	return eig.Values(nil), &v, nil
}

// Posterior writes the probability of each component for each matrix of x to dst, which must be N×k or empty; another
// shape panics with mat.ErrShape. It returns the log-densities of the matrices. An error names the invalid matrix, or
// reports that the order differs from the training matrices.
func (m *Mixture) Posterior(ctx context.Context, dst *mat.Dense, x *spd.Stack) ([]float64, error) {
	if err := indices.CheckOrder(x.Dim, m.Means.Dim); err != nil {
		return nil, err
	}
	if x.Count == 0 {
		return nil, nil
	}
	p, err := newPoints(ctx, x, m.Metric)
	if err != nil {
		return nil, err
	}
	rows.Shape(dst, x.Count, len(m.Weights))
	logs, err := m.posterior(ctx, dst, p)
	if err != nil {
		return nil, err
	}
	return logs, nil
}

// posterior computes Posterior for matrices whose tangent vectors have been prepared.
func (m *Mixture) posterior(ctx context.Context, dst *mat.Dense, p *points) ([]float64, error) {
	centers, err := p.centers(ctx, m.Means)
	if err != nil {
		return nil, err
	}
	n := p.x.Count
	var t, white mat.Dense
	for c, center := range centers {
		if err := p.from(ctx, &t, center); err != nil {
			return nil, err
		}
		values, vectors, err := spectrumOf(m.Covariances[c])
		if err != nil {
			return nil, err
		}
		if !(values[0] > 0) {
			return nil, fmt.Errorf("covariance %d is not positive definite; fit the mixture again", c)
		}
		constant := math.Log(m.Weights[c])
		for _, v := range values {
			constant -= math.Log(2*math.Pi*v) / 2
		}
		white.Reset()
		white.Mul(&t, vectors)
		for i := range n {
			sum := 0.0
			for j, v := range white.RawRowView(i) {
				sum += v * v / values[j]
			}
			dst.Set(i, c, constant-sum/2)
		}
	}
	logs := make([]float64, n)
	for i := range logs {
		row := dst.RawRowView(i)
		if logs[i] = vec.LogSumExp(row); !vec.Finite(logs[i]) {
			return nil, fmt.Errorf("matrix %d is too far from all components to compute its density; check its "+
				"units", i)
		}
		for c, v := range row {
			row[c] = math.Exp(v - logs[i])
		}
	}
	return logs, nil
}

// Predict returns the index of the most probable component of every matrix of x. It returns the same errors as
// [Mixture.Posterior].
func (m *Mixture) Predict(ctx context.Context, x *spd.Stack) ([]int, error) {
	var p mat.Dense
	if _, err := m.Posterior(ctx, &p, x); err != nil || x.Count == 0 {
		return nil, err
	}
	return evaluate.MostProbable(&p), nil
}
