package learners

import (
	"context"
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/feature"
	"rao/internal/linalg/dense"
	"rao/internal/linalg/vec"
	"rao/internal/optim"
	"rao/internal/optionvalues"
	"rao/internal/par"
)

// NCAOptions are the options of [FitNCA]. Filters is required.
type NCAOptions struct {
	Filters int // number of filters, 1 to the number of dimensions; required
	// Start, n×m, contains the initial filters, including their scale. Default: the leading principal components,
	// scaled so that the mean variance of the features is one.
	Start *mat.Dense
	// StartRows is the size of a stratified random subset of the rows. By default it is 3000 if the data have more than
	// 6000 rows.
	StartRows optionvalues.SomeCount `opt:"start-rows" default:"auto" help:"number of rows for a first fit, from which the fit on all rows starts; auto does this when there are many rows"`
	// Tol ends the fit if the objective changes by at most this three times in a row.
	Tol      float64                `opt:"tol" default:"1e-5" above:"0" help:"stop when the objective changes by less than this"`
	MaxIter  optionvalues.AutoCount `opt:"max-iter" default:"auto" min:"1" max:"100000000" help:"maximum number of iterations; auto uses 100, or 10 after a first fit on some rows"`
	Seed     uint64                 // seed of the subset
	Progress rao.Progress
}

// FitNCA fits neighborhood components analysis (Goldberger, Roweis, Hinton and Salakhutdinov 2005). It learns filters
// that maximize the expected fraction of rows whose stochastic nearest neighbor has the correct class,
//
//	J = 1/N Σ_i Σ_{j of i's class} p_ij,  p_ij ∝ exp(-‖F'(x_i - x_j)‖²), j ≠ i
//
// by L-BFGS. The scale of the filters is free: it determines the size of the neighborhood.
//
// The report's Objective is J. FitNCA returns an error for invalid data (with row and column) or options out of range.
// If the fit ends early, it returns a usable model and a *rao.NotConvergedError. An evaluation costs 6 N² m operations
// and up to N² exponentials.
func FitNCA(ctx context.Context, x mat.Matrix, labels []int, classes []string, opt NCAOptions) (*feature.Model, error) {
	start := time.Now()
	t, err := newTraining(x, labels, classes)
	if err != nil {
		return nil, err
	}
	s, mean, err := startFilters(x, opt.Filters, opt.Start)
	if err != nil {
		return nil, err
	}
	optionvalues.Fill(&opt)
	rows, limit := int(opt.StartRows), int(opt.MaxIter)
	if rows == 0 && t.rows > 6000 {
		rows = 3000
	}
	subset := rows > 0 && rows < t.rows
	if limit == 0 {
		limit = 100
		if subset {
			limit = 10
		}
	}
	if err := checkLimits(limit, opt.Tol); err != nil {
		return nil, err
	}
	if opt.Start == nil {
		for i := range s.filters {
			s.filters[i] /= math.Sqrt(s.variance)
		}
	}
	manifold := optim.NewManifold(optim.None, t.dim, opt.Filters)
	f, passes := s.filters, 0
	run := func(part *training, stage string, iterations int) (optim.Result, error) {
		p := newProjection(part.in, mean, manifold, newNCA(part, opt.Filters).cost)
		r, err := optim.Run(ctx, p, manifold, f,
			optim.Options{MaxIterations: iterations, FunctionTolerance: opt.Tol, GradientTolerance: 1e-8,
				OnIteration: func(k int, value, _ float64) {
					opt.Progress.Send(rao.Event{Stage: stage, Done: k, Limit: iterations, Objective: -value})
				}})
		passes += p.passes
		return r, err
	}
	if subset {
		r, err := run(t.subset(float64(rows)/float64(t.rows), opt.Seed), "start", 100)
		if err != nil {
			return nil, fmt.Errorf("%w; try another start", err)
		}
		f = r.X
		if ctx.Err() != nil {
			r.Status = rao.StatusCanceled
			return finish(ctx, "nca", r, -1, passes, t.dim, opt.Filters, mean, start)
		}
	}
	result, err := run(t, "fit", limit)
	if err != nil {
		return nil, fmt.Errorf("%w; try another start", err)
	}
	return finish(ctx, "nca", result, -1, passes, t.dim, opt.Filters, mean, start)
}

// ncaBlock is the number of rows processed at a time.
const ncaBlock = 64

// nca is a cost: minus the objective as a function of the projected rows.
type nca struct {
	t     *training
	m     int
	ones  []float64 // N×(m+1): the rows and a column of ones
	norms []float64
	g     []float64 // ncaBlock×N: inner products, then derivatives with respect to distances
	near  []float64 // ncaBlock×(m+1)
	back  []float64 // N×(m+1)
	share []float64 // p_i of each row of the block
}

func newNCA(t *training, m int) *nca {
	block := min(ncaBlock, t.rows)
	return &nca{t: t, m: m, ones: make([]float64, t.rows*(m+1)), norms: make([]float64, t.rows),
		g:    make([]float64, block*t.rows),
		near: make([]float64, block*(m+1)), back: make([]float64, t.rows*(m+1)), share: make([]float64, block)}
}

// cost implements [cost] for a projection. With d_ij the squared distance and p_i the total probability of neighbors of
// row i's class, the derivative with respect to d_ij is
//
//	G_ij = p_ij (1[same class] - p_i) / N
func (c *nca) cost(z, dz []float64) float64 {
	n, m := c.t.rows, c.m
	w := m + 1
	for i := range n {
		row := z[i*m : (i+1)*m]
		copy(c.ones[i*w:], row)
		c.ones[i*w+m] = 1
		c.norms[i] = vec.Dot(row, row)
	}
	clear(c.back)
	value := 0.0
	for lo := 0; lo < n; lo += ncaBlock {
		q := min(ncaBlock, n-lo)
		dense.Gemm(false, true, q, n, m, 2, z[lo*m:], m, z, m, 0, c.g, n)
		par.For(q, 4, func(_, from, to int) {
			for i := from; i < to; i++ {
				c.share[i] = c.neighbors(c.g[i*n:(i+1)*n], lo+i)
			}
		})
		for _, p := range c.share[:q] {
			value -= p / float64(n)
		}
		dense.Gemm(false, false, q, w, n, 1, c.g, n, c.ones, w, 0, c.near, w)
		dense.Gemm(true, false, n, w, q, 1, c.g, n, c.ones[lo*w:], w, 1, c.back, w)
		for i := range q {
			sum := c.near[i*w+m]
			for h := range m {
				dz[(lo+i)*m+h] = 2 * (sum*z[(lo+i)*m+h] - c.near[i*w+h])
			}
		}
	}
	for i := range n {
		sum := c.back[i*w+m]
		for h := range m {
			dz[i*m+h] += 2 * (sum*z[i*m+h] - c.back[i*w+h])
		}
	}
	return value
}

// neighbors replaces the products 2z_i'z_j of row i by G_ij, and returns p_i.
func (c *nca) neighbors(g []float64, i int) float64 {
	labels, own := c.t.labels, c.t.labels[i]
	top := math.Inf(-1)
	for j, v := range g {
		if g[j] = v - c.norms[j]; g[j] > top && j != i {
			top = g[j]
		}
	}
	same, sum := 0.0, 0.0
	for j, v := range g {
		if v -= top; v < -40 || j == i {
			g[j] = 0
			continue
		}
		e := math.Exp(v)
		g[j] = e
		sum += e
		if labels[j] == own {
			same += e
		}
	}
	p := same / sum
	scale := 1 / (sum * float64(c.t.rows))
	for j, e := range g {
		if e == 0 {
			continue
		}
		if labels[j] == own {
			g[j] = e * scale * (1 - p)
		} else {
			g[j] = -e * scale * p
		}
	}
	return p
}
