package cluster

import (
	"context"
	"math"
	"math/rand/v2"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/classifiers/common"
	"rao/internal/faults"
	"rao/internal/indices"
	"rao/internal/kmeans"
	"rao/spd"
)

// KMeans is k-means on the manifold of SPD matrices. It minimizes the inertia
//
//	Σ_k d²(X_k, M_a(k))
//
// over assignments a and means M in the metric, with Lloyd's algorithm. The starting points are drawn by k-means++
// (Arthur and Vassilvitskii 2007). For a divergence, such as kullback_sym, d replaces d². The exported fields determine
// the model.
type KMeans struct {
	Metric      spd.Metric // metric of the distances and means
	Means       *spd.Stack // mean of each cluster
	Assignments []int      // cluster of each training matrix; nil if the fit was canceled before clusters were computed
	Inertia     float64    // the minimized sum; NaN if Assignments is nil
	Report      rao.Report // report of the best run
}

// FitKMeans divides the matrices of x into k clusters and returns the best of several runs. If the best run did not
// converge, or ctx is canceled, it returns a usable model and a *rao.NotConvergedError. Other errors name the matrix,
// or the option that is out of range. The cost of an iteration is k distances per matrix and k means.
func FitKMeans(ctx context.Context, x *spd.Stack, k int, opt KMeansOptions) (*KMeans, error) {
	begin := time.Now()
	opt, err := opt.filled()
	if err != nil {
		return nil, err
	}
	if err := check(x, k); err != nil {
		return nil, err
	}
	var best *KMeans
	for r := range opt.Starts {
		if ctx.Err() != nil && best != nil {
			break
		}
		rng := rand.New(rand.NewPCG(opt.Seed, uint64(r)))
		m, err := lloyd(ctx, x, k, opt, rng)
		if err != nil {
			return nil, err
		}
		if best == nil || m.Inertia < best.Inertia {
			best = m
		}
		opt.Progress.Send(rao.Event{Stage: "kmeans", Done: r + 1, Total: opt.Starts, Objective: best.Inertia})
	}
	if ctx.Err() != nil {
		best.Report.Status = rao.StatusCanceled
	}
	best.Report.Elapsed = time.Since(begin)
	return best, faults.Unfinished(ctx, "kmeans", best.Report, "raise the iteration limit")
}

// lloyd runs k-means once. If ctx is canceled, the result contains the last assignments, and the means from which they
// were computed.
func lloyd(ctx context.Context, x *spd.Stack, k int, opt KMeansOptions, rng *rand.Rand) (*KMeans, error) {
	c := &centers{ctx: ctx, x: x, opt: opt, means: spd.NewStack(k, x.Dim), distances: mat.NewDense(x.Count, k, nil)}
	if _, err := kmeans.PlusPlus(c, x.Count, k, rng); err != nil {
		return nil, err
	}
	c.measured = c.means
	r, err := kmeans.Lloyd(c, x.Count, k, opt.MaxIter)
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	m := &KMeans{Metric: opt.Metric, Means: c.measured, Assignments: r.Groups, Inertia: math.NaN()}
	m.Report = rao.Report{Status: rao.StatusMaxIterations, Iterations: r.Rounds, Passes: r.Rounds, History: r.Inertia}
	if n := len(r.Inertia); n > 0 {
		m.Inertia = r.Inertia[n-1]
	}
	if err != nil {
		m.Report.Status = rao.StatusCanceled
	} else if r.Settled {
		m.Report.Status = rao.StatusConverged
	}
	m.Report.Objective = m.Inertia
	return m, nil
}

// centers are the means of the clusters of x in the metric.
type centers struct {
	ctx       context.Context
	x         *spd.Stack
	opt       KMeansOptions
	means     *spd.Stack
	placed    int        // number of means placed so far
	measured  *spd.Stack // means for which distances was computed
	distances *mat.Dense // N×k
}

func (c *centers) Add(sample int) {
	copy(c.means.At(c.placed), c.x.At(sample))
	c.placed++
}

// Lower updates near, the squared distance of each matrix to its nearest mean, for the mean that was added last. If ctx
// is canceled, it sets near to zero, so seeding ends soon.
func (c *centers) Lower(near []float64) error {
	d := mat.NewDense(len(near), 1, nil)
	err := distances(c.ctx, d, c.opt.Metric, c.x, c.means.Slice(c.placed-1, c.placed))
	if c.ctx.Err() != nil {
		clear(near)
		return nil
	}
	for i := range near {
		near[i] = min(near[i], c.opt.Metric.Square(d.At(i, 0)))
	}
	return err
}

func (c *centers) Nearest(of []int) (inertia float64, err error) {
	if err := distances(c.ctx, c.distances, c.opt.Metric, c.x, c.means); err != nil {
		return 0, err
	}
	c.measured = c.means
	for i := range of {
		row := c.distances.RawRowView(i)
		of[i] = floats.MinIdx(row)
		inertia += c.opt.Metric.Square(row[of[i]])
	}
	return inertia, nil
}

// Move replaces every mean by the mean of the matrices in its cluster. If a cluster is empty, its mean becomes the
// matrix that is farthest from its own mean.
func (c *centers) Move(groups [][]int) error {
	c.means = c.means.Clone() // if ctx ends the next step, the old means are still needed
	used := map[int]bool{}
	opt := c.opt.Mean
	for j, g := range groups {
		if len(g) == 0 {
			if far := c.farthest(groups, used); far >= 0 {
				used[far] = true
				copy(c.means.At(j), c.x.At(far))
			}
			continue
		}
		opt.Start = nil
		if c.opt.Metric.Iterates() {
			opt.Start = c.means.Sym(j)
		}
		mean, _, err := spd.Mean(c.ctx, c.x.Select(g), nil, c.opt.Metric, opt)
		if err != nil && !rao.HasModel(err) {
			return indexed(err, g)
		}
		c.means.Set(j, mean)
	}
	return nil
}

// farthest returns the matrix that is farthest from its mean. It skips matrices in used and matrices that are alone in
// their cluster. It returns -1 if no matrix is left.
func (c *centers) farthest(groups [][]int, used map[int]bool) int {
	far, most := -1, math.Inf(-1)
	for a, g := range groups {
		for _, i := range g {
			d := c.distances.At(i, a)
			if len(g) > 1 && !used[i] && (d > most || d == most && i < far) {
				far, most = i, d
			}
		}
	}
	return far
}

// distanceBlock is the number of matrices between checks of ctx.
const distanceBlock = 256

// distances computes the distances of the matrices from the means, one block at a time. d is N×k. If ctx is canceled,
// it returns the error of ctx, and the remaining distances are not written.
func distances(ctx context.Context, d *mat.Dense, metric spd.Metric, x, means *spd.Stack) error {
	for lo := 0; lo < x.Count; lo += distanceBlock {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+distanceBlock, x.Count)
		part := d.Slice(lo, hi, 0, means.Count).(*mat.Dense)
		if err := spd.Distances(ctx, part, metric, x.Slice(lo, hi), means); err != nil {
			return common.Shifted(err, lo)
		}
	}
	return nil
}

// indexed changes an error about a matrix in a cluster. The new error contains the index among all matrices.
func indexed(err error, group []int) error {
	return indices.InError(err, func(e *spd.MatrixError) {
		if e.Index >= 0 {
			e.Index = group[e.Index]
		}
	})
}

// Predict returns the cluster of every matrix of x. An error names the invalid matrix, or reports that the order
// differs from the training matrices.
func (m *KMeans) Predict(ctx context.Context, x *spd.Stack) ([]int, error) {
	if err := indices.CheckOrder(x.Dim, m.Means.Dim); err != nil {
		return nil, err
	}
	if x.Count == 0 {
		return nil, nil
	}
	c := &centers{ctx: ctx, x: x, opt: KMeansOptions{Metric: m.Metric}, means: m.Means,
		distances: mat.NewDense(x.Count, m.Means.Count, nil)}
	of := make([]int, x.Count)
	if _, err := c.Nearest(of); err != nil {
		return nil, err
	}
	return of, nil
}
