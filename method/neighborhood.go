package method

import (
	"context"

	"rao/internal/learners"
)

type lfdaOptions struct {
	filters
	Local   int     `opt:"local-neighbor" default:"7" min:"1" max:"1000000" help:"which nearest neighbor sets the local scale of a row"`
	Scatter float64 `opt:"scatter-shrinkage" default:"0.1" min:"0" max:"1" help:"shrinkage of the within-class scatter"`
	scaling
	classifying
}

func fitLFDA(ctx context.Context, v *vectors, o *lfdaOptions) error {
	amount := o.Scatter
	if amount == 0 {
		amount = -1 // -1 means no shrinkage
	}
	return v.learned(learners.FitLFDA(ctx, v.x(), v.labels(), v.classes(),
		learners.LFDAOptions{Filters: v.filters(o.filters), Neighbor: o.Local, Shrinkage: amount,
			Progress: v.Progress}))
}

type lmnnOptions struct {
	filters
	Targets    int         `opt:"target-neighbors" default:"3" min:"1" max:"100000" help:"number of target neighbors of the same class per row"`
	InputSpace bool        `opt:"input-targets" default:"false" help:"choose the target neighbors in the input space, not in feature space"`
	Push       float64     `opt:"push" default:"0.5" above:"0" max:"1" help:"weight of pushing other classes away, relative to pulling targets closer; below 1"`
	Impostors  int         `opt:"impostors" default:"100" min:"1" max:"1000000" help:"maximum number of rows of other classes compared with one row"`
	Rounds     int         `opt:"rounds" default:"30" min:"1" max:"1000000" help:"number of neighbor searches"`
	Inner      int         `opt:"inner" default:"8" min:"1" max:"1000000" help:"iterations between two neighbor searches"`
	Components someCount   `opt:"components" default:"none" help:"number of leading principal components in which the filters are learned"`
	Init       startOption `opt:"init" default:"auto" help:"initial filters; auto uses discriminants, or principal components if there are fewer discriminants than filters"`
	StartRows  someCount   `opt:"start-rows" default:"auto" help:"number of rows for a first fit, from which the fit on all rows starts; auto does this when there are many rows"`
	Tol        float64     `opt:"tol" default:"0.02" above:"0" help:"stop when the cost changes by a smaller share than this from round to round"`
	seedOption
	scaling
	classifying
}

func fitLMNN(ctx context.Context, v *vectors, o *lmnnOptions) error {
	m := v.filters(o.filters)
	start, err := v.explicitStart(o.Init, m, o.Seed)
	if err != nil {
		return err
	}
	return v.learned(learners.FitLMNN(ctx, v.x(), v.labels(), v.classes(),
		learners.LMNNOptions{Filters: m, Components: max(int(o.Components), 0), Neighbors: o.Targets,
			InputTargets: o.InputSpace,
			Push:         o.Push, Impostors: o.Impostors, Rounds: o.Rounds, Inner: o.Inner, Start: start,
			StartRows: int(o.StartRows),
			Tol:       o.Tol, Seed: o.Seed, Progress: v.Progress}))
}

type ncaOptions struct {
	filters
	Init      startOption `opt:"init" default:"auto" help:"initial filters; auto uses principal components"`
	StartRows someCount   `opt:"start-rows" default:"auto" help:"number of rows for a first fit, from which the fit on all rows starts; auto does this when there are many rows"`
	Tol       float64     `opt:"tol" default:"1e-5" above:"0" help:"stop when the objective changes by less than this"`
	MaxIter   autoCount   `opt:"max-iter" default:"auto" min:"1" max:"100000000" help:"maximum number of iterations; auto uses 100, or 10 after a first fit on some rows"`
	seedOption
	scaling
	classifying
}

func fitNCA(ctx context.Context, v *vectors, o *ncaOptions) error {
	m := v.filters(o.filters)
	start, err := v.start(o.Init, m, o.Seed)
	if err != nil {
		return err
	}
	return v.learned(learners.FitNCA(ctx, v.x(), v.labels(), v.classes(),
		learners.NCAOptions{Filters: m, Start: start, StartRows: int(o.StartRows), Tol: o.Tol, MaxIter: int(o.MaxIter),
			Seed: o.Seed, Progress: v.Progress}))
}
