package method

import (
	"context"

	"rao/internal/learners"
)

type wdaOptions struct {
	filters
	Init startOption `opt:"init" default:"auto" help:"initial filters; auto uses discriminants, or principal components if there are fewer discriminants than filters"`
	learners.WDAOptions
	seedOption
	scaling
	classifying
}

func fitWDA(ctx context.Context, v *vectors, o *wdaOptions) (err error) {
	opt := o.WDAOptions
	opt.Filters, opt.Seed, opt.Progress = v.filters(o.filters), o.seedOption.Seed, v.Progress
	if opt.Start, err = v.explicitStart(o.Init, opt.Filters, opt.Seed); err != nil {
		return err
	}
	return v.learned(learners.FitWDA(ctx, v.x(), v.labels(), v.classes(), opt))
}
