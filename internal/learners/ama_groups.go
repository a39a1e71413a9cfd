package learners

import (
	"cmp"
	"context"

	"rao"
	"rao/internal/linearfilters"
	"rao/internal/optim"
)

// amaFit learns the filters of AMA from some rows, all together or in groups.
type amaFit struct {
	t            *training
	mean, priors []float64
	opt          AMAOptions
	stage        string
	sample       []float64 // rows × filters: response noise; nil: none
	passes       int
}

// run learns from the initial filters, n×m. If ctx ends in a group, later groups keep their initial filters.
func (a *amaFit) run(ctx context.Context, start []float64) (optim.Result, error) {
	n, m := a.t.dim, a.opt.Filters
	group := cmp.Or(a.opt.Group, m)
	all := append([]float64(nil), start...)
	total := optim.Result{Status: rao.StatusConverged}
	for done := 0; done < m; {
		k := min(group, m-done)
		r, err := a.group(ctx, all, done, k)
		if err != nil {
			return total, err
		}
		for i := range n {
			copy(all[i*m+done:i*m+done+k], r.X[i*k:])
		}
		done += k
		total.Iterations, total.Evaluations = total.Iterations+r.Iterations, total.Evaluations+r.Evaluations
		total.Value, total.GradientNorm, total.History = r.Value, r.GradientNorm, append(total.History, r.History...)
		if !r.Status.Good() {
			total.Status = r.Status
		}
		if r.Status == rao.StatusCanceled {
			break
		}
	}
	total.X = all
	return total, nil
}

// group learns filters done to done+k-1 of the n×m filters, with the earlier filters fixed.
func (a *amaFit) group(ctx context.Context, all []float64, done, k int) (optim.Result, error) {
	n, m := a.t.dim, a.opt.Filters
	manifold := optim.NewManifold(optim.Sphere, n, k)
	g := newGaussianPosterior(a.t, done+k, a.opt.Noise, a.priors)
	if a.sample != nil {
		g.sample = linearfilters.Columns(a.sample, m, 0, done+k)
	}
	c := cost(g.cost)
	if done > 0 {
		fixed := newProjection(a.t.in, a.mean, optim.NewManifold(optim.Sphere, n, done), nil)
		z := make([]float64, a.t.rows*done)
		fixed.project(z, linearfilters.Columns(all, m, 0, done))
		a.passes += fixed.passes
		c = withFixed(g.cost, z, done, k)
	}
	p := newProjection(a.t.in, a.mean, manifold, c)
	start := linearfilters.Columns(all, m, done, done+k)
	r, err := optim.Run(ctx, p, manifold, start, optim.Options{MaxIterations: a.opt.MaxIter,
		FunctionTolerance: a.opt.Tol, GradientTolerance: 1e-7, OnIteration: func(i int, value, _ float64) {
			a.opt.Progress.Send(rao.Event{Stage: a.stage, Done: i, Limit: a.opt.MaxIter, Objective: -value})
		}})
	a.passes += p.passes
	return r, err
}

// withFixed returns the cost of k free features in addition to d fixed features. fixed is rows×d.
func withFixed(c cost, fixed []float64, d, k int) cost {
	rows, m := len(fixed)/d, d+k
	z, dz := make([]float64, rows*m), make([]float64, rows*m)
	for i := range rows {
		copy(z[i*m:], fixed[i*d:(i+1)*d])
	}
	return func(more, dmore []float64) float64 {
		for i := range rows {
			copy(z[i*m+d:(i+1)*m], more[i*k:])
		}
		v := c(z, dz)
		for i := range rows {
			copy(dmore[i*k:(i+1)*k], dz[i*m+d:(i+1)*m])
		}
		return v
	}
}
