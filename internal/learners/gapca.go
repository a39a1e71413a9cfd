package learners

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/faults"
	"rao/internal/linalg/dense"
	"rao/internal/linalg/small"
	"rao/internal/linalg/vec"
	"rao/internal/linearfilters"
	"rao/internal/optim"
	"rao/internal/optionvalues"
	"rao/internal/par"
	"rao/spd"
)

// GAPCAOptions are the options of [FitGAPCA].
type GAPCAOptions struct {
	Dim int // order of the smaller matrices, from 1 to the order of the data; 0 is [linearfilters.ReducedOrder]
	// Tol ends the fit when the objective, in each of three consecutive iterations, changes by at most Tol times the
	// larger of 1 and its magnitude.
	Tol      float64 `opt:"tol" default:"1e-8" above:"0" help:"stop when the objective changes by a smaller share than this"`
	MaxIter  int     `opt:"max-iter" default:"200" min:"1" max:"100000000" help:"maximum number of iterations"`
	Progress rao.Progress
}

// Compression maps n×n SPD matrices X to m×m matrices F'XF with orthonormal F. The exported fields determine the map.
// Do not change them after the fit.
type Compression struct {
	Filters *mat.Dense    `json:"filters"` // n×m, orthonormal columns
	Mean    *mat.SymDense `json:"mean"`    // Riemannian mean of the training matrices
	Report  rao.Report    `json:"report"`  // its objective is the mean squared distance to the mean after compression
	Total   float64       `json:"total"`   // mean squared distance to the mean before compression
}

// FitGAPCA fits geometry-aware principal component analysis (Horev, Yger and Sugiyama 2016, problem 7; the SQFA paper
// cites Harandi, Salzmann and Hartley 2014 for it). It finds the orthonormal F that preserves most of the spread of SPD
// matrices around their Riemannian mean M, measured by the affine-invariant distance after compression,
//
//	max_F 1/N Σ_k δ²(F'X_kF, F'MF),  F'F = I
//
// It uses L-BFGS on the Stiefel manifold and starts from the leading eigenvectors V of Σ log²(M^-½ X M^-½), mapped to
// M^-½ V.
//
// FitGAPCA returns an error for matrices that are not positive definite (naming the first), fewer than two matrices, or
// an order out of range. If the fit ends early, it returns a usable result and a *rao.NotConvergedError. An evaluation
// costs about 2 N n² m operations and N eigenproblems of order m.
func FitGAPCA(ctx context.Context, x *spd.Stack, opt GAPCAOptions) (*Compression, error) {
	start := time.Now()
	if err := x.Validate(); err != nil {
		return nil, err
	}
	if x.Count < 2 {
		return nil, faults.Count(x.Count, 2, "at least two matrices are needed, not %d", x.Count)
	}
	opt.Dim = cmp.Or(opt.Dim, linearfilters.ReducedOrder(x.Dim))
	if err := linearfilters.CheckFilters(opt.Dim, x.Dim, "the order of the matrices"); err != nil {
		return nil, err
	}
	optionvalues.Fill(&opt)
	if err := checkLimits(opt.MaxIter, opt.Tol); err != nil {
		return nil, err
	}
	mean, _, err := spd.Mean(ctx, x, nil, spd.Riemann, spd.MeanOptions{})
	if err != nil && mean == nil {
		return nil, err
	}
	g := newGAPCA(x, mean.RawSymmetric().Data, opt.Dim)
	f, total, err := g.start()
	if err != nil {
		return nil, err
	}
	manifold := optim.NewManifold(optim.Orthogonal, x.Dim, opt.Dim)
	if err := manifold.Normalize(f); err != nil {
		return nil, err
	}
	r, err := optim.Run(ctx, optim.FunctionOn(manifold, g.cost), manifold, f,
		optim.Options{MaxIterations: opt.MaxIter, FunctionTolerance: opt.Tol, GradientTolerance: 1e-9,
			OnIteration: func(k int, value, _ float64) {
				opt.Progress.Send(rao.Event{Stage: "fit", Done: k, Limit: opt.MaxIter, Objective: -value})
			}})
	if err != nil {
		return nil, err
	}
	model, err := finish(ctx, "gapca", r, -1, r.Evaluations, x.Dim, opt.Dim, nil, start)
	return &Compression{Filters: model.Filters, Mean: mean, Report: model.Report, Total: total}, err
}

// Dims returns the order of the matrices before and after compression.
func (c *Compression) Dims() (in, out int) { return c.Filters.Dims() }

// Congruence returns the matrix F of the map X → F'XF.
func (c *Compression) Congruence() *mat.Dense { return c.Filters }

// Map writes F'XF to dst for every matrix X of x. It returns an error if a
// matrix is not symmetric, not finite, or has the wrong order.
func (c *Compression) Map(dst, x *spd.Stack) error {
	return linearfilters.Map(dst, x, c.Filters)
}

// Validate checks the exported fields. Call it after reading them from a file.
func (c *Compression) Validate() error {
	if c.Filters == nil || c.Filters.IsEmpty() {
		return fmt.Errorf("there are no filters")
	}
	n, _ := c.Filters.Dims()
	for i := range n {
		if vec.NotFinite(c.Filters.RawRowView(i)) >= 0 {
			return fmt.Errorf("the filters are not finite in dimension %d", i)
		}
	}
	if c.Mean == nil || c.Mean.SymmetricDim() != n {
		return fmt.Errorf("the mean is missing, or its order is not %d", n)
	}
	return spd.StackFrom(c.Mean).Verify()
}

// compress computes t = XF and the symmetric s = F'XF. [spd.Congruence] computes only s; the gradient needs t too.
func compress(s, t, x, f []float64, n, m int) {
	for i := range n {
		row := t[i*m : (i+1)*m]
		clear(row)
		for k, v := range x[i*n : (i+1)*n] {
			vec.Axpy(row, v, f[k*m:(k+1)*m])
		}
	}
	clear(s)
	for i := range n {
		for j, v := range f[i*m : (i+1)*m] {
			vec.Axpy(s[j*m:(j+1)*m], v, t[i*m:(i+1)*m])
		}
	}
	vec.Symmetrize(s, m)
}

// gapca is minus the mean squared distance after compression.
type gapca struct {
	x       *spd.Stack
	mean    []float64
	m       int
	partial [][]float64 // gradient summed over each chunk of matrices
	values  []float64
	spaces  []small.Workspace
}

// gapcaChunk is the number of matrices per task of a parallel loop.
const gapcaChunk = 16

func newGAPCA(x *spd.Stack, mean []float64, m int) *gapca {
	g := &gapca{x: x, mean: mean, m: m, values: make([]float64, par.Chunks(x.Count, gapcaChunk))}
	for range g.values {
		g.partial = append(g.partial, make([]float64, x.Dim*m+m*m))
	}
	return g
}

// start returns M^-½ V, which the caller orthonormalizes, with V the leading eigenvectors of the mean of log²(M^-½ X
// M^-½). It also returns the mean squared distance of the matrices to M.
func (g *gapca) start() ([]float64, float64, error) {
	n := g.x.Dim
	mean, logs := mat.NewSymDense(n, g.mean), new(spd.Stack)
	if err := spd.Recenter(logs, g.x, mean, nil); err != nil {
		return nil, 0, err
	}
	if err := spd.Log(logs, logs); err != nil {
		return nil, 0, err
	}
	v, total, err := linearfilters.LeadingOfSquares(logs, g.m)
	if err != nil {
		return nil, 0, err
	}
	f, err := linearfilters.Unwhiten(mean, v)
	if err != nil {
		return nil, 0, err
	}
	return f.RawMatrix().Data, total / float64(g.x.Count), nil
}

// cost returns minus the objective and sets grad to its gradient. For A = F'XF and B = F'MF, with A V = B V diag(λ)
// and V'BV = I,
//
//	∂δ²/∂A = Σ 2 (log λ/λ) v v',  ∂δ²/∂B = -Σ 2 log λ v v'
func (g *gapca) cost(f, grad []float64) float64 {
	n, m := g.x.Dim, g.m
	b, tm := make([]float64, m*m), make([]float64, n*m)
	compress(b, tm, g.mean, f, n, m)
	if len(g.spaces) < par.Workers(g.x.Count, gapcaChunk) {
		g.spaces = make([]small.Workspace, par.Workers(g.x.Count, gapcaChunk))
	}
	par.For(g.x.Count, gapcaChunk, func(worker, lo, hi int) {
		g.values[lo/gapcaChunk] = g.chunk(&g.spaces[worker], g.partial[lo/gapcaChunk], f, b, lo, hi)
	})
	value := 0.0
	clear(grad)
	outer := make([]float64, m*m)
	for i, v := range g.values {
		value += v
		vec.Axpy(grad, 1, g.partial[i][:n*m])
		vec.Axpy(outer, 1, g.partial[i][n*m:])
	}
	dense.Gemm(false, false, n, m, m, 2, tm, m, outer, m, 1, grad, m)
	return value
}

// chunk sums the cost of matrices lo to hi-1. It sets out to the gradient through A, followed by the derivative with
// respect to B.
func (g *gapca) chunk(w *small.Workspace, out, f, b []float64, lo, hi int) float64 {
	n, m := g.x.Dim, g.m
	clear(out)
	t, a, lambda, v, ga := make([]float64, n*m), make([]float64, m*m), make([]float64, m), make([]float64, m*m),
		make([]float64, m*m)
	share, value := 1/float64(g.x.Count), 0.0
	for k := lo; k < hi; k++ {
		compress(a, t, g.x.At(k), f, n, m)
		if w.Generalized(lambda, v, a, b, m, 1) != nil {
			return math.NaN()
		}
		clear(ga)
		gb := out[n*m:]
		for h, l := range lambda {
			log := math.Log(l)
			value -= share * log * log
			for i := range m {
				for j := range m {
					vv := share * 2 * log * v[i*m+h] * v[j*m+h]
					ga[i*m+j] -= vv / l
					gb[i*m+j] += vv
				}
			}
		}
		for i := range n {
			for j, x := range t[i*m : (i+1)*m] {
				vec.Axpy(out[i*m:(i+1)*m], 2*x, ga[j*m:(j+1)*m])
			}
		}
	}
	return value
}
