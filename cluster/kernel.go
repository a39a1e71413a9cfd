package cluster

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/faults"
	"rao/internal/indices"
	"rao/internal/kmeans"
	"rao/internal/par"
	"rao/spd"
)

// KernelKMeans is k-means in the feature space of a Gaussian kernel on SPD matrices (Jayasumana, Hartley, Salzmann, Li
// and Harandi 2015). The squared distance of X to the mean of a cluster G of matrices is
//
//	k(X,X) − 2/|G| Σ_{Y∈G} k(X,Y) + 1/|G|² Σ_{Y,Z∈G} k(Y,Z)
//
// The exported fields determine the model.
type KernelKMeans struct {
	Metric      spd.Metric // metric of the distances d
	Gamma       float64    // γ of the kernel k(X,Y) = exp(−γ d²)
	K           int        // number of clusters
	Matrices    *spd.Stack // training matrices; one per cluster if the fit was canceled before the kernel was computed
	Assignments []int      // cluster of each matrix in Matrices
	Spread      []float64  // the last term of the formula, for each cluster
	Inertia     float64    // sum of the squared distances of the matrices to the means of their clusters
	Report      rao.Report // report of the best run
}

// maxKernel limits the number of training matrices, because the kernel needs 8 N² bytes.
const maxKernel = 20000

// FitKernelKMeans divides the matrices of x into k clusters and returns the best of several runs. If the best run did
// not converge, or ctx is canceled, it returns a usable model and a *rao.NotConvergedError. It returns an error for
// more than 20000 matrices. Other errors name the matrix, or the option that is out of range. The cost is the distances
// of all pairs, computed once, 8 N² bytes, and N² operations per iteration.
func FitKernelKMeans(ctx context.Context, x *spd.Stack, k int, opt KernelKMeansOptions) (*KernelKMeans, error) {
	begin := time.Now()
	opt, err := opt.filled()
	if err != nil {
		return nil, err
	}
	if err := check(x, k); err != nil {
		return nil, err
	}
	if x.Count > maxKernel {
		return nil, fmt.Errorf("%d matrices need %.1f GiB for the kernel; use at most %d, or k-means",
			x.Count, 8*float64(x.Count)*float64(x.Count)/(1<<30), maxKernel)
	}
	if opt.Gamma == 0 {
		opt.Gamma, err = spd.MedianGamma(ctx, x, opt.Metric)
		if ctx.Err() != nil { // without a kernel, the seeds need only a few matrices
			opt.Gamma, err = spd.MedianGamma(context.WithoutCancel(ctx), x.Slice(0, min(x.Count, 32)), opt.Metric)
		}
		if err != nil {
			return nil, err
		}
	}
	var kern mat.Dense
	if err := spd.GaussianKernel(ctx, &kern, opt.Metric, x, nil, opt.Gamma); ctx.Err() != nil {
		return seedsAlone(ctx, x, k, opt)
	} else if err != nil {
		return nil, err
	}
	best := bestOf(ctx, &kern, k, opt)
	m := &KernelKMeans{Metric: opt.Metric, Gamma: opt.Gamma, K: k, Matrices: x.Clone(),
		Assignments: best.group, Spread: best.spread, Inertia: best.inertia, Report: best.report}
	m.Report.Elapsed = time.Since(begin)
	return m, faults.Unfinished(ctx, "kernel-kmeans", m.Report, "raise the iteration limit")
}

// seedsAlone returns the model of a fit that was canceled before it started: k of the matrices, one per cluster.
func seedsAlone(ctx context.Context, x *spd.Stack, k int, opt KernelKMeansOptions) (*KernelKMeans, error) {
	m := &KernelKMeans{Metric: opt.Metric, Gamma: opt.Gamma, K: k, Assignments: indices.Range(k),
		Spread: make([]float64, k), Inertia: math.NaN(), Report: rao.Report{Status: rao.StatusCanceled}}
	chosen := make([]int, k)
	for g := range chosen {
		chosen[g] = g * x.Count / k
		m.Spread[g] = 1
	}
	m.Matrices = x.Select(chosen)
	return m, faults.Unfinished(ctx, "kernel-kmeans", m.Report, "let the fit run longer")
}

// run is one run of k-means in feature space.
type run struct {
	kernel   *mat.Dense
	k        int
	group    []int
	size     []float64
	spread   []float64  // Σ k(Y,Z)/|G|² for each cluster
	affinity *mat.Dense // N×k: Σ_{Y∈G} k(X,Y)/|G|
	inertia  float64
	report   rao.Report
}

func bestOf(ctx context.Context, kern *mat.Dense, k int, opt KernelKMeansOptions) *run {
	var best *run
	for r := range opt.Starts {
		if ctx.Err() != nil && best != nil {
			best.report.Status = rao.StatusCanceled
			break
		}
		next := newRun(kern, k, rand.New(rand.NewPCG(opt.Seed, uint64(r))))
		next.iterate(ctx, opt.MaxIter)
		if best == nil || next.inertia < best.inertia {
			best = next
		}
		opt.Progress.Send(rao.Event{Stage: "kernel k-means", Done: r + 1, Total: opt.Starts, Objective: best.inertia})
	}
	return best
}

// newRun starts a run from k-means++ seeds in feature space.
func newRun(kern *mat.Dense, k int, rng *rand.Rand) *run {
	n, _ := kern.Dims()
	r := &run{kernel: kern, k: k, group: make([]int, n), size: make([]float64, k), spread: make([]float64, k),
		affinity: mat.NewDense(n, k, nil)}
	s := &seeds{run: r, near: slices.Repeat([]float64{math.Inf(1)}, n)}
	_, _ = kmeans.PlusPlus(s, n, k, rng) // distances in the kernel cannot fail
	return r
}

// seeds places centers at matrices, and assigns every matrix to the cluster of the nearest center.
type seeds struct {
	*run
	kmeans.Centers
	near  []float64
	added int
}

func (s *seeds) Add(sample int) {
	for i := range s.near {
		d := max(0, s.kernel.At(i, i)+s.kernel.At(sample, sample)-2*s.kernel.At(i, sample))
		if d < s.near[i] {
			s.near[i], s.group[i] = d, s.added
		}
	}
	s.group[sample] = s.added // equal matrices must not leave a cluster empty
	s.added++
}

func (s *seeds) Lower(near []float64) error {
	copy(near, s.near)
	return nil
}

// iterate moves matrices to the nearest clusters until none moves. It does not use kmeans.Lloyd, which leaves the
// center of a cluster without samples where it is: in the space of the kernel, an empty cluster has no mean, so the
// last matrix of a cluster stays.
func (r *run) iterate(ctx context.Context, limit int) {
	r.report.Status = rao.StatusMaxIterations
	for r.report.Iterations < limit {
		r.measure()
		moved := r.reassign()
		r.report.History = append(r.report.History, r.inertia)
		r.report.Iterations++
		if moved == 0 {
			r.report.Status = rao.StatusConverged
			break
		}
		if ctx.Err() != nil {
			r.report.Status = rao.StatusCanceled
			break
		}
	}
	if r.report.Status != rao.StatusConverged {
		r.measure() // for the final clusters
		r.total()
	}
	r.report.Objective, r.report.Passes = r.inertia, r.report.Iterations
}

// measure computes the affinities and spreads of the current clusters.
func (r *run) measure() {
	n := len(r.group)
	clear(r.size)
	for _, g := range r.group {
		r.size[g]++
	}
	par.For(n, 32, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			row, out := r.kernel.RawRowView(i), r.affinity.RawRowView(i)
			clear(out)
			for j, g := range r.group {
				out[g] += row[j]
			}
			for g, s := range r.size {
				if s > 0 {
					out[g] /= s
				}
			}
		}
	})
	clear(r.spread)
	for i, g := range r.group {
		r.spread[g] += r.affinity.At(i, g) / r.size[g]
	}
}

// distance returns the squared distance of matrix i to the mean of cluster g.
func (r *run) distance(i, g int) float64 {
	return r.kernel.At(i, i) - 2*r.affinity.At(i, g) + r.spread[g]
}

// reassign assigns every matrix to its nearest cluster and returns the number of matrices that moved. It never moves
// the last matrix of a cluster.
func (r *run) reassign() (moved int) {
	for i, g := range r.group {
		best := g
		for j := range r.k {
			if r.size[j] > 0 && r.distance(i, j) < r.distance(i, best) {
				best = j
			}
		}
		if best != g && r.size[g] > 1 {
			r.size[g]--
			r.size[best]++
			r.group[i] = best
			moved++
		}
	}
	r.total()
	return moved
}

// total computes the inertia, based on the means at the last call of measure.
func (r *run) total() {
	r.inertia = 0
	for i, g := range r.group {
		r.inertia += max(0, r.distance(i, g))
	}
}

// Predict returns the cluster of every matrix of x. An error names the invalid matrix, or reports that the order
// differs from the training matrices. The cost is one distance to every training matrix.
func (m *KernelKMeans) Predict(ctx context.Context, x *spd.Stack) ([]int, error) {
	if err := indices.CheckOrder(x.Dim, m.Matrices.Dim); err != nil {
		return nil, err
	}
	if x.Count == 0 {
		return nil, nil
	}
	var k mat.Dense
	if err := spd.GaussianKernel(ctx, &k, m.Metric, x, m.Matrices, m.Gamma); err != nil {
		return nil, err
	}
	size := make([]float64, m.K)
	for _, g := range m.Assignments {
		size[g]++
	}
	out, near := make([]int, x.Count), make([]float64, m.K)
	for i := range out {
		clear(near)
		for j, v := range k.RawRowView(i) {
			near[m.Assignments[j]] += v
		}
		out[i] = -1
		best := math.Inf(1)
		for g, v := range near {
			if size[g] == 0 {
				continue
			}
			if d := m.Spread[g] - 2*v/size[g]; d < best {
				out[i], best = g, d
			}
		}
	}
	return out, nil
}
