package method

import (
	"context"

	"rao/internal/learners"
)

type faOptions struct {
	filters
	Loadings bool      `opt:"loadings" default:"false" help:"use the loadings as filters, instead of the posterior means of the factors"`
	EM       bool      `opt:"em" default:"false" help:"use the EM algorithm instead of L-BFGS"`
	Floor    float64   `opt:"noise-floor" default:"1e-12" above:"0" help:"smallest noise variance of a column"`
	Tol      float64   `opt:"tol" default:"1e-9" above:"0" help:"stop when the mean log-likelihood per row changes by less than this"`
	MaxIter  autoCount `opt:"max-iter" default:"auto" min:"1" max:"100000000" help:"maximum number of iterations; auto uses 1000, or 20000 with em"`
	scaling
	classWeighting
	classifying
}

func fitFA(ctx context.Context, v *vectors, o *faOptions) error {
	filters := v.filters(o.filters)
	if o.filters.Filters == 0 {
		filters = max(1, min(filters, v.stats().Dim-1)) // factor analysis needs fewer factors than columns
	}
	return v.learned(learners.FitFA(ctx, v.stats(), learners.FAOptions{Filters: filters, EM: o.EM, Tol: o.Tol,
		MaxIter: int(o.MaxIter), NoiseFloor: o.Floor, Loadings: o.Loadings, Progress: v.Progress}))
}
