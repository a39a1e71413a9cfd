package method

import (
	"cmp"
	"context"

	"rao/internal/learners"
)

type lfdaOptions struct {
	filters
	learners.LFDAOptions
	scaling
	classifying
}

func fitLFDA(ctx context.Context, v *vectors, o *lfdaOptions) error {
	opt := o.LFDAOptions
	opt.Filters, opt.Progress = v.filters(o.filters), v.Progress
	opt.Shrinkage = cmp.Or(opt.Shrinkage, -1) // -1 means no shrinkage
	return v.learned(learners.FitLFDA(ctx, v.x(), v.labels(), v.classes(), opt))
}

type lmnnOptions struct {
	filters
	Init startOption `opt:"init" default:"auto" help:"initial filters; auto uses discriminants, or principal components if there are fewer discriminants than filters"`
	learners.LMNNOptions
	seedOption
	scaling
	classifying
}

func fitLMNN(ctx context.Context, v *vectors, o *lmnnOptions) (err error) {
	opt := o.LMNNOptions
	opt.Filters, opt.Seed, opt.Progress = v.filters(o.filters), o.seedOption.Seed, v.Progress
	if opt.Start, err = v.explicitStart(o.Init, opt.Filters, opt.Seed); err != nil {
		return err
	}
	return v.learned(learners.FitLMNN(ctx, v.x(), v.labels(), v.classes(), opt))
}

type ncaOptions struct {
	filters
	Init startOption `opt:"init" default:"auto" help:"initial filters; auto uses principal components"`
	learners.NCAOptions
	seedOption
	scaling
	classifying
}

func fitNCA(ctx context.Context, v *vectors, o *ncaOptions) (err error) {
	opt := o.NCAOptions
	opt.Filters, opt.Seed, opt.Progress = v.filters(o.filters), o.seedOption.Seed, v.Progress
	if opt.Start, err = v.start(o.Init, opt.Filters, opt.Seed); err != nil {
		return err
	}
	return v.learned(learners.FitNCA(ctx, v.x(), v.labels(), v.classes(), opt))
}
