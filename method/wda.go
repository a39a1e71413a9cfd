package method

import (
	"context"

	"rao/internal/learners"
)

type wdaOptions struct {
	filters
	Reg        float64     `opt:"reg" default:"0.1" above:"0" help:"regularization of the transport, as a share of the variance of the leading components; named as in POT, and independent of reg-param of qda"`
	Components someCount   `opt:"components" default:"auto" help:"number of leading principal components in which the filters are learned; auto uses 100"`
	Rows       autoCount   `opt:"rows-per-class" default:"auto" help:"number of random rows per class, for a faster fit; auto uses all"`
	Init       startOption `opt:"init" default:"auto" help:"initial filters; auto uses discriminants, or principal components if there are fewer discriminants than filters"`
	Tol        float64     `opt:"tol" default:"5e-3" above:"0" help:"stop when the logarithm of the ratio changes by a smaller share than this, twice in a row"`
	MaxIter    autoCount   `opt:"max-iter" default:"auto" min:"1" max:"100000000" help:"maximum number of iterations; auto uses 30, or 2 if a class has more than 2000 rows"`
	seedOption
	scaling
	classifying
}

func fitWDA(ctx context.Context, v *vectors, o *wdaOptions) error {
	m := v.filters(o.filters)
	start, err := v.explicitStart(o.Init, m, o.Seed)
	if err != nil {
		return err
	}
	return v.learned(learners.FitWDA(ctx, v.x(), v.labels(), v.classes(),
		learners.WDAOptions{Filters: m, Regularization: o.Reg, Components: int(o.Components), Rows: int(o.Rows),
			Start: start,
			Tol:   o.Tol, MaxIter: int(o.MaxIter), Seed: o.Seed, Progress: v.Progress}))
}
