package sqfa

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/gaussian"
	"rao/internal/linalg/dense"
	"rao/internal/linalg/ritz"
)

// polishRounds is how often the gradient's directions join a subspace.
const polishRounds = 1

// fitInSubspace learns filters in a subspace of the data space: see Options.Subspace.
// Statistics in the subspace take c q² values, whatever the dimension of the data.
func fitInSubspace(ctx context.Context, stats *gaussian.Statistics, opt Options) (*Model, error) {
	n, m := stats.Dim, opt.Filters
	v, q, err := searchSpace(stats, opt)
	if err != nil {
		return nil, err
	}
	inner := opt
	inner.Subspace = 0
	var best *Model
	var total rao.Report
	for round := range polishRounds + 1 {
		if round > 0 {
			gradient, err := outerGradient(stats, inner, values(best.Filters))
			if err != nil {
				return nil, err
			}
			v, q = spanned(joinColumns(v, q, gradient, m, n), n, q+m)
			total.Passes++
		}
		if inner.Initial != nil {
			inner.Initial = within(v, q, inner.Initial)
		}
		model, err := fitNoise(ctx, stats.Project(mat.NewDense(n, q, v)), inner)
		if err != nil {
			return nil, err
		}
		lifted := mat.NewDense(n, m, nil)
		dense.Gemm(false, false, n, m, q, 1, v, q, values(model.Filters), m, 0, values(lifted), m)
		model.Filters = lifted
		r := &model.Report
		total.Passes++
		total.Iterations, total.Evaluations = total.Iterations+r.Iterations, total.Evaluations+r.Evaluations
		gain := math.Inf(1)
		if best != nil {
			gain = r.Objective - best.Report.Objective
			model.NoiseGrid, model.NoiseScores = best.NoiseGrid, best.NoiseScores
		}
		best = model
		if r.Status == rao.Cancelled || gain <= opt.Tol*math.Max(1, math.Abs(r.Objective)) {
			break
		}
		inner.AutoNoise, inner.Noise = false, model.Noise
		inner.Start, inner.Initial, inner.Starts = Given, best.Filters, 1
	}
	best.Report.Passes, best.Report.Iterations, best.Report.Evaluations = total.Passes, total.Iterations, total.Evaluations
	ritz.FixSigns(values(best.Filters), n, m)
	return best, nil
}

// searchSpace returns an orthonormal basis, n×q, of the subspace that a fit begins in:
// half of it principal components, half discriminants, and the filters of a given start.
func searchSpace(stats *gaussian.Statistics, opt Options) ([]float64, int, error) {
	n, half := stats.Dim, (opt.Subspace+1)/2
	x, _, err := principal(stats, half)
	if err != nil {
		return nil, 0, err
	}
	y, err := stats.Discriminants(opt.Subspace-half, opt.Noise)
	if err != nil {
		return nil, 0, err
	}
	_, k := y.Dims()
	x, k = joinColumns(x, half, values(y), k, n), half+k
	if opt.Initial != nil {
		x, k = joinColumns(x, k, values(opt.Initial), opt.Filters, n), k+opt.Filters
	}
	v, q := spanned(x, n, k)
	return v, q, nil
}

// spanned returns an orthonormal basis of the span of the columns of x (n×k), and how
// many columns it has.
func spanned(x []float64, n, k int) ([]float64, int) {
	s := subspace{n: n, cap: min(n, k)}
	v := s.outside(x, k, 1e-7)
	return v, len(v) / n
}

// within returns V'F.
func within(v []float64, q int, f *mat.Dense) *mat.Dense {
	n, m := f.Dims()
	out := mat.NewDense(q, m, nil)
	dense.Gemm(true, false, q, m, n, 1, v, q, values(f), m, 0, values(out), m)
	return out
}

// gradientClasses is how many classes outerGradient projects at a time.
const gradientClasses = 16

// outerGradient returns the gradient of the objective in the filters, n×m: one pass over
// the statistics, a few classes at a time.
func outerGradient(stats *gaussian.Statistics, opt Options, filters []float64) ([]float64, error) {
	c, n, m := stats.NumClasses(), stats.Dim, opt.Filters
	features := featuresOf(stats, filters, m, opt.Noise)
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
	dense.Gemm(true, false, n, m, c, 1, stats.Means, n, gm, m, 0, out, m)
	t := make([]float64, n*gradientClasses*m)
	for lo := 0; lo < c; lo += gradientClasses {
		k := min(gradientClasses, c-lo)
		dense.NewStack(k, n, stats.Covariances[lo*n*n:(lo+k)*n*n]).Project(m, filters, m, t, k*m)
		dense.Gemm(false, false, n, m, k*m, 2, t, k*m, gs[lo*m*m:], m, 1, out, m)
	}
	return out, nil
}

// judge writes to the report the objective over all pairs of filters that were learned
// with the pooled covariance, and to Learned the one that they were learned by.
func judge(model *Model, stats *gaussian.Statistics, opt Options) error {
	features := featuresOf(stats, values(model.Filters), opt.Filters, model.Noise)
	all, _, err := survey(opt, features)
	model.Learned, model.Report.Objective = model.Report.Objective, all
	model.Report.Passes++
	return err
}
