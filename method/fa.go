package method

import (
	"context"

	"rao/internal/learners"
)

type faOptions struct {
	filters
	learners.FAOptions
	scaling
	classWeighting
	classifying
}

func fitFA(ctx context.Context, v *vectors, o *faOptions) error {
	opt := o.FAOptions
	opt.Filters, opt.Progress = v.filters(o.filters), v.Progress
	if o.filters.Filters == 0 {
		opt.Filters = max(1, min(opt.Filters, v.stats().Dim-1)) // factor analysis needs fewer factors than columns
	}
	return v.learned(learners.FitFA(ctx, v.stats(), opt))
}
