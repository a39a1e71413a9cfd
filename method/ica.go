package method

import (
	"context"

	"rao/internal/learners"
)

type icaOptions struct {
	filters
	Contrast  string      `opt:"contrast" default:"logcosh" choices:"logcosh,exp,cube" help:"contrast function"`
	Deflation bool        `opt:"deflation" default:"false" help:"extract the components one by one instead of all together"`
	Init      startOption `opt:"init" default:"auto" help:"initial filters; auto uses random combinations of the principal components"`
	Tol       float64     `opt:"tol" default:"1e-5" above:"0" help:"stop when the directions change by less than this, as 1 - |cos|"`
	MaxIter   int         `opt:"max-iter" default:"1000" min:"1" max:"100000000" help:"maximum number of iterations"`
	seedOption
	scaling
	classifying
}

func fitICA(ctx context.Context, v *vectors, o *icaOptions) error {
	m := v.filters(o.filters)
	start, err := v.explicitStart(o.Init, m, o.Seed)
	if err != nil {
		return err
	}
	return v.learned(learners.FitICA(ctx, v.x(),
		learners.ICAOptions{Filters: m, Contrast: o.Contrast, Deflation: o.Deflation,
			Start: start, Tol: o.Tol, MaxIter: o.MaxIter, Seed: o.Seed, Progress: v.Progress}))
}
