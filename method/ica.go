package method

import (
	"context"

	"rao/internal/learners"
)

type icaOptions struct {
	filters
	Init startOption `opt:"init" default:"auto" help:"initial filters; auto uses random combinations of the principal components"`
	learners.ICAOptions
	seedOption
	scaling
	classifying
}

func fitICA(ctx context.Context, v *vectors, o *icaOptions) (err error) {
	opt := o.ICAOptions
	opt.Filters, opt.Seed, opt.Progress = v.filters(o.filters), o.seedOption.Seed, v.Progress
	if opt.Start, err = v.explicitStart(o.Init, opt.Filters, opt.Seed); err != nil {
		return err
	}
	return v.learned(learners.FitICA(ctx, v.x(), opt))
}
