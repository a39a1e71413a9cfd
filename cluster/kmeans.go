package cluster

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/spd"
)

// KMeans is k-means on the manifold of SPD matrices: it minimizes the inertia
//
//	Σ_k d²(X_k, M_a(k))
//
// over assignments a and means M in the metric, by Lloyd's alternation. Starts are
// drawn by k-means++ (Arthur and Vassilvitskii 2007). For kullback_sym, a
// divergence, d stands in place of d².
//
// The exported fields determine the model.
type KMeans struct {
	Metric      spd.Metric
	Means       *spd.Stack // k
	Assignments []int      // of the training matrices; nil when ctx ended the fit before they were made
	Inertia     float64    // NaN without assignments
	Report      rao.Report // of the best run
}

// FitKMeans cuts the matrices of x in k groups and keeps the best of several runs.
// When that run, or ctx, ended before the assignments settled the model is usable
// and comes with a *rao.NotConvergedError. Other errors name the matrix, or the
// option out of range. Cost of an iteration: k distances a matrix and k means.
func FitKMeans(ctx context.Context, x *spd.Stack, k int, opt KMeansOptions) (*KMeans, error) {
	begin := time.Now()
	opt, err := opt.filled(spd.Riemann)
	if err != nil {
		return nil, fmt.Errorf("kmeans: %w", err)
	}
	if err := check(x, k); err != nil {
		return nil, fmt.Errorf("kmeans: %w", err)
	}
	var best *KMeans
	for r := range opt.Restarts {
		if ctx.Err() != nil && best != nil {
			break
		}
		rng := rand.New(rand.NewPCG(opt.Seed, uint64(r)))
		m, err := lloyd(ctx, x, k, opt, rng)
		if err != nil {
			return nil, fmt.Errorf("kmeans: %w", err)
		}
		if best == nil || m.Inertia < best.Inertia {
			best = m
		}
		opt.Progress.Send(rao.Event{Stage: "kmeans", Done: r + 1, Total: opt.Restarts, Objective: best.Inertia})
	}
	if ctx.Err() != nil {
		best.Report.Status = rao.Canceled
	}
	best.Report.Elapsed = time.Since(begin)
	if !best.Report.Status.Good() {
		return best, &rao.NotConvergedError{Cause: ctx.Err(),
			Method: "kmeans", Report: best.Report, Remedy: "raise the iteration limit"}
	}
	return best, nil
}

// lloyd is one run. When ctx ends it the assignments are the last that were made, with
// the means that they were made to.
func lloyd(ctx context.Context, x *spd.Stack, k int, opt KMeansOptions, rng *rand.Rand) (*KMeans, error) {
	m := &KMeans{Metric: opt.Metric, Inertia: math.NaN()}
	var err error
	if m.Means, err = seeds(ctx, x, k, opt.Metric, rng); err != nil {
		return nil, err
	}
	m.Report.Status = rao.MaxIterations
	d, settled := mat.NewDense(x.Count, k, nil), m.Means
	for m.Report.Status == rao.MaxIterations {
		moved, err := m.assign(ctx, d, x)
		if ctx.Err() != nil {
			m.Means, m.Report.Status = settled, rao.Canceled
			break
		}
		if err != nil {
			return nil, err
		}
		h := m.Report.History
		m.Report.History = append(h, m.Inertia)
		settled = m.Means
		if m.Report.Iterations == opt.MaxIter {
			break
		}
		// Equal matrices may change sides for ever: no gain is the end, too.
		if len(h) > 0 && (moved == 0 || m.Inertia >= h[len(h)-1]) {
			m.Report.Status = rao.Converged
			break
		}
		m.Report.Iterations++
		if err := m.update(ctx, x, d, opt.Mean); err != nil {
			return nil, err
		}
	}
	m.Report.Objective = m.Inertia
	m.Report.Passes = m.Report.Iterations
	return m, nil
}

// seeds draws k matrices of x by k-means++, the last ones in their order when ctx ends
// the drawing.
func seeds(ctx context.Context, x *spd.Stack, k int, metric spd.Metric, rng *rand.Rand) (*spd.Stack, error) {
	chosen := []int{rng.IntN(x.Count)}
	nearest, d := make([]float64, x.Count), mat.NewDense(x.Count, 1, nil)
	for i := range nearest {
		nearest[i] = math.Inf(1)
	}
	for len(chosen) < k {
		err := distances(ctx, d, metric, x, x.Select(chosen[len(chosen)-1:]))
		if ctx.Err() != nil {
			clear(nearest)
		} else if err != nil {
			return nil, err
		}
		sum := 0.0
		for i := range nearest {
			nearest[i] = min(nearest[i], metric.Square(d.At(i, 0)))
			sum += nearest[i]
		}
		chosen = append(chosen, draw(nearest, sum*rng.Float64(), chosen))
	}
	return x.Select(chosen), nil
}

// distanceBlock is how many matrices are compared before ctx is asked again.
const distanceBlock = 256

// distances writes the distances of the matrices to the means to d, N×k, a block at a
// time; what ctx leaves out is not written.
func distances(ctx context.Context, d *mat.Dense, metric spd.Metric, x, means *spd.Stack) error {
	for lo := 0; lo < x.Count; lo += distanceBlock {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+distanceBlock, x.Count)
		index := order(hi)[lo:]
		part := d.Slice(lo, hi, 0, means.Count).(*mat.Dense)
		if err := spd.Distances(part, metric, x.Select(index), means); err != nil {
			var e *spd.MatrixError
			if errors.As(err, &e) && e.Role == "matrix" {
				return indexed(err, index)
			}
			return err
		}
	}
	return nil
}

// draw returns the index at which the running sum of v passes u. When v is zero
// everywhere (equal matrices) it returns the first index not chosen yet.
func draw(v []float64, u float64, chosen []int) int {
	last := -1
	for i, w := range v {
		if w <= 0 {
			continue
		}
		last = i
		if u -= w; u < 0 {
			return i
		}
	}
	if last >= 0 {
		return last
	}
	for i := range v {
		if !slices.Contains(chosen, i) {
			return i
		}
	}
	return 0
}

// assign gives every matrix to its nearest mean and returns how many moved. d
// receives the distances. When ctx ends it nothing is assigned.
func (m *KMeans) assign(ctx context.Context, d *mat.Dense, x *spd.Stack) (moved int, err error) {
	if err := distances(ctx, d, m.Metric, x, m.Means); err != nil {
		return 0, err
	}
	if m.Assignments == nil {
		m.Assignments = make([]int, x.Count)
	}
	m.Inertia = 0
	for i := range x.Count {
		row := d.RawRowView(i)
		best := 0
		for j, v := range row {
			if v < row[best] {
				best = j
			}
		}
		if best != m.Assignments[i] {
			moved++
		}
		m.Assignments[i] = best
		m.Inertia += m.Metric.Square(row[best])
	}
	return moved, nil
}

// update moves every mean to the middle of its group. A group without matrices
// takes the matrix that is farthest from its mean.
func (m *KMeans) update(ctx context.Context, x *spd.Stack, d *mat.Dense, opt spd.MeanOptions) error {
	m.Means = m.Means.Select(order(m.Means.Count)) // the old ones are still of use when ctx ends the next step
	groups := make([][]int, m.Means.Count)
	for i, a := range m.Assignments {
		groups[a] = append(groups[a], i)
	}
	taken := map[int]bool{}
	for j, g := range groups {
		if len(g) == 0 {
			far := -1
			for i, a := range m.Assignments {
				if !taken[i] && len(groups[a]) > 1 && (far < 0 || d.At(i, a) > d.At(far, m.Assignments[far])) {
					far = i
				}
			}
			if far < 0 {
				continue
			}
			taken[far] = true
			copy(m.Means.At(j), x.At(far))
			continue
		}
		opt.Start = nil
		if m.Metric.Iterates() {
			opt.Start = m.Means.Sym(j)
		}
		mean, _, err := spd.Mean(ctx, x.Select(g), nil, m.Metric, opt)
		if err != nil && !rao.HasModel(err) {
			return indexed(err, g)
		}
		m.Means.Set(j, mean)
	}
	return nil
}

// indexed makes an error about a matrix of a group name its index in the whole.
func indexed(err error, group []int) error {
	var e *spd.MatrixError
	if errors.As(err, &e) && e.Index >= 0 {
		e.Index = group[e.Index]
	}
	return err
}

// Predict returns the group of every matrix of x. Errors name the matrix, or say
// that the order differs.
func (m *KMeans) Predict(x *spd.Stack) ([]int, error) {
	if x.Dim != m.Means.Dim {
		return nil, fmt.Errorf("kmeans: matrices of order %d, the model was trained on order %d", x.Dim, m.Means.Dim)
	}
	if x.Count == 0 {
		return nil, nil
	}
	p := &KMeans{Metric: m.Metric, Means: m.Means}
	if _, err := p.assign(context.Background(), mat.NewDense(x.Count, m.Means.Count, nil), x); err != nil {
		return nil, fmt.Errorf("kmeans: %w", err)
	}
	return p.Assignments, nil
}

// Validate checks the exported fields, which may come from a damaged file.
func (m *KMeans) Validate() error {
	if _, err := spd.LookupMetric(string(m.Metric)); err != nil {
		return fmt.Errorf("kmeans: %w", err)
	}
	if m.Means == nil {
		return errors.New("kmeans: the means are missing")
	}
	if err := m.Means.Verify(); err != nil {
		return fmt.Errorf("kmeans: means: %w", err)
	}
	return checkAssignments("kmeans", m.Assignments, m.Means.Count)
}

func checkAssignments(method string, a []int, k int) error {
	for i, g := range a {
		if g < 0 || g >= k {
			return fmt.Errorf("%s: matrix %d is in group %d of %d", method, i, g, k)
		}
	}
	return nil
}
