package sqfa

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/gaussian"
	"rao/internal/classstats"
	"rao/internal/linalg/dense"
	"rao/internal/linalg/ritz"
)

// polishRounds is the number of times that directions of the gradient are added to a subspace.
const polishRounds = 1

// reduced is a search for filters in a subspace of the data space. It reads the statistics one class at a time. Unlike
// a subspace in memory, it does not store the products Φ_i V, which have c n q values, so a gradient needs a pass.
type reduced struct {
	basis
	src    *gaussian.Source
	m      int
	passes int
}

// fitInSubspace learns filters in a subspace of the data space: see Options.Subspace.
//
// A [grower] also alternates between solving in a subspace and adding directions of the gradient. It solves for one
// group of filters from one start, and solves again after each of many cheap growths. Here a growth costs two passes
// over statistics that may be in a file, so there is only one growth. Before and after it, an entire fit is solved: the
// choice of the noise, all starts, and all groups, each with a grower of its own.
func fitInSubspace(ctx context.Context, src *gaussian.Source, opt plan) (*Model, error) {
	r, err := newReduced(ctx, src, opt)
	if err != nil {
		return nil, err
	}
	inner := opt
	inner.Subspace = 0
	var best *Model
	var total rao.Report
	for round := range polishRounds + 1 {
		if inner.Initial != nil {
			inner.Initial = r.within(inner.Initial)
		}
		model, err := fitStatistics(ctx, r.reduced(), inner)
		if err != nil {
			return nil, err
		}
		found := &model.Report
		total.Iterations, total.Evaluations = total.Iterations+found.Iterations, total.Evaluations+found.Evaluations
		gain := math.Inf(1)
		if best != nil {
			gain = found.Objective - best.Report.Objective
			copyChoice(model, best)
		}
		best = model
		inner.Noise = model.Noise
		coordinates := values(best.Filters)
		filters := mat.NewDense(r.n, r.m, r.lift(coordinates, r.m)) // before the subspace grows
		last := round == polishRounds || found.Status == rao.StatusCanceled ||
			gain <= opt.Tol*math.Max(1, math.Abs(found.Objective))
		if !last {
			last, err = r.extend(ctx, inner, coordinates)
			switch {
			case err == nil:
			case ctx.Err() != nil: // canceled during a pass; these are the best filters so far
				last, found.Status = true, rao.StatusCanceled
			default:
				return nil, err
			}
		}
		if last && opt.Pooled && opt.choosing(src.NumClasses()) && found.Status != rao.StatusCanceled {
			if err := judge(best, r.reduced(), inner); err != nil {
				return nil, err
			}
		}
		best.Filters = filters
		if last {
			break
		}
		inner.Start, inner.Initial, inner.Starts = startGiven, best.Filters, 1
	}
	best.Report.Passes, best.Report.Iterations, best.Report.Evaluations = r.passes, total.Iterations, total.Evaluations
	ritz.FixSigns(values(best.Filters), r.n, r.m)
	return best, nil
}

// newReduced returns a search in the search space. It makes two passes.
func newReduced(ctx context.Context, src *gaussian.Source, opt plan) (*reduced, error) {
	v, q, err := searchSpace(ctx, src, opt)
	if err != nil {
		return nil, err
	}
	room := min(src.Dim, q+polishRounds*opt.Filters)
	r := &reduced{basis: newBasis(src.Classes, src.Counts, src.Weights, src.Means, src.Dim, room), src: src,
		m: opt.Filters, passes: 2}
	stats, err := src.Project(ctx, mat.NewDense(r.n, q, v))
	if err != nil {
		return nil, err
	}
	r.join(v, q)
	for i := range r.c {
		r.place(i, stats.Covariance(i).RawSymmetric().Data, q, q)
	}
	return r, nil
}

// searchSpace returns an orthonormal basis, n×q, of the subspace in which a fit starts: half of it principal
// components, half discriminants, and the filters of a given start. If these are fewer than the filters, there are more
// principal components.
func searchSpace(ctx context.Context, src *gaussian.Source, opt plan) ([]float64, int, error) {
	n, half := src.Dim, (opt.Subspace+1)/2
	_, _, _, total, err := src.Pooled(ctx)
	if err != nil {
		return nil, 0, err
	}
	x, _, err := ritz.Leading(total.RawSymmetric().Data, n, half)
	if err != nil {
		return nil, 0, err
	}
	y, err := classstats.DiscriminantsOf(ctx, src, opt.Subspace-half, max(0, opt.Noise)) // not yet chosen: none
	if err != nil {
		return nil, 0, err
	}
	_, k := y.Dims()
	x, k = joinColumns(x, half, values(y), k, n), half+k
	if opt.Initial != nil {
		x, k = joinColumns(x, k, values(opt.Initial), opt.Filters, n), k+opt.Filters
	}
	s := basis{n: n, cap: min(n, k)}
	v := s.outside(x, k, 1e-7)
	if q := len(v) / n; q < opt.Filters { // there are few discriminants, or some columns are constant
		more, _, err := ritz.Leading(total.RawSymmetric().Data, n, opt.Filters)
		if err != nil {
			return nil, 0, err
		}
		s.cap = n
		v = s.outside(joinColumns(v, q, more, opt.Filters, n), q+opt.Filters, 1e-7)
	}
	return v, len(v) / n, nil
}

// extend adds to the subspace the directions of the gradient outside it, at the filters with coordinates x, q×m. It
// reports whether there were none. It makes two passes.
func (r *reduced) extend(ctx context.Context, opt plan, x []float64) (none bool, err error) {
	gradient, err := r.gradient(ctx, opt, x)
	if err != nil {
		return false, err
	}
	n, before := r.n, r.q
	fresh := r.outside(gradient, r.m, 1e-7)
	k := len(fresh) / n
	if k == 0 {
		return true, nil
	}
	r.join(fresh, k)
	cross := make([]float64, r.q*k) // V'Φ_i times the new directions
	err = r.src.Products(ctx, mat.NewDense(n, k, fresh), func(i int, product *mat.Dense) error {
		dense.Gemm(true, false, r.q, k, n, 1, r.v, r.cap, product.RawMatrix().Data, k, 0, cross, k)
		r.place(i, cross, k, k)
		return nil
	})
	if err != nil {
		r.q = before // restore the subspace
		return false, err
	}
	r.passes++
	return false, nil
}

// gradient returns the gradient of the objective with respect to the filters V x, n×m, in one pass.
func (r *reduced) gradient(ctx context.Context, opt plan, x []float64) ([]float64, error) {
	c, n, m := r.src.NumClasses(), r.n, r.m
	features := featuresOf(r.reduced(), x, m, opt.Noise)
	if opt.choosing(c) {
		var err error
		if opt.Pooled {
			opt.pairs, err = nearByPooled(opt, features)
		} else {
			_, opt.pairs, err = survey(opt, features)
		}
		if err != nil {
			return nil, err
		}
	}
	objective := newObjective(opt, c, m)
	if _, err := objective.value(features.Means, features.Covariances); err != nil {
		return nil, err
	}
	gm, gs := make([]float64, c*m), make([]float64, c*m*m)
	objective.gradient(gm, gs)
	out := make([]float64, n*m)
	dense.Gemm(true, false, n, m, c, 1, r.src.Means, n, gm, m, 0, out, m)
	r.passes++
	return out, r.src.Products(ctx, mat.NewDense(n, m, r.lift(x, m)), func(i int, product *mat.Dense) error {
		dense.Gemm(false, false, n, m, m, 2, product.RawMatrix().Data, m, gs[i*m*m:], m, 1, out, m)
		return nil
	})
}

// within returns V'F.
func (s *basis) within(f *mat.Dense) *mat.Dense {
	_, m := f.Dims()
	return mat.NewDense(s.q, m, s.coordinates(values(f), m))
}
