package method

import (
	"context"

	"rao/feature"
)

type lfdaOptions struct {
	filters
	Local   int     `opt:"local" default:"7" min:"1" max:"1000000" help:"neighbor whose distance is a row's local scale"`
	Scatter float64 `opt:"scatter-shrinkage" default:"0.1" min:"0" max:"1" help:"shrinkage of the scatter within classes that the filters divide by"`
	scaling
	classifying
}

func fitLFDA(ctx context.Context, v *vectors, o *lfdaOptions) error {
	amount := o.Scatter
	if amount == 0 {
		amount = -1 // none
	}
	return v.learned(feature.FitLFDA(ctx, v.x(), v.labels(), v.classes(),
		feature.LFDAOptions{Filters: v.filters(o.filters), Neighbor: o.Local, Shrinkage: amount, Progress: v.progress}))
}

type lmnnOptions struct {
	filters
	Targets    int         `opt:"targets" default:"3" min:"1" max:"100000" help:"neighbors of its class that a row is drawn to"`
	InputSpace bool        `opt:"input-targets" default:"false" help:"keep the targets that are nearest before the filters, not among the features"`
	Push       float64     `opt:"push" default:"0.5" above:"0" max:"1" help:"weight of the rows pushed away against those drawn near, below 1"`
	Impostors  int         `opt:"impostors" default:"100" min:"1" max:"1000000" help:"most rows of other classes held against one row"`
	Rounds     int         `opt:"rounds" default:"30" min:"1" max:"1000000" help:"times that neighbors are looked for"`
	Inner      int         `opt:"inner" default:"8" min:"1" max:"1000000" help:"iterations between"`
	Components someCount   `opt:"components" default:"none" help:"leading principal components that the filters lie in"`
	Init       startOption `opt:"init" default:"auto" help:"start of the filters"`
	StartRows  someCount   `opt:"start-rows" default:"auto" help:"rows of a first fit that the one on all rows starts from; auto takes some when there are many"`
	Tol        float64     `opt:"tol" default:"0.02" above:"0" help:"relative change of the cost from round to round that ends the fit"`
	Seeded
	scaling
	classifying
}

func fitLMNN(ctx context.Context, v *vectors, o *lmnnOptions) error {
	m := v.filters(o.filters)
	start, err := v.start(o.Init, m, o.Seed)
	if err != nil {
		return err
	}
	return v.learned(feature.FitLMNN(ctx, v.x(), v.labels(), v.classes(),
		feature.LMNNOptions{Filters: m, Components: max(int(o.Components), 0), Neighbors: o.Targets,
			InputTargets: o.InputSpace,
			Push:         o.Push, Impostors: o.Impostors, Rounds: o.Rounds, Inner: o.Inner, Start: start,
			StartRows: int(o.StartRows),
			Tol:       o.Tol, Seed: uint64(o.Seed), Progress: v.progress}))
}

type ncaOptions struct {
	filters
	Init      startOption `opt:"init" default:"auto" help:"start of the filters"`
	StartRows someCount   `opt:"start-rows" default:"auto" help:"rows of a first fit that the one on all rows starts from; auto takes some when there are many"`
	Tol       float64     `opt:"tol" default:"1e-5" above:"0" help:"change of the objective that ends the fit"`
	MaxIter   AutoCount   `opt:"max-iter" default:"auto" min:"1" max:"100000000" help:"limit on iterations; auto takes 100, and 10 after a start on some rows"`
	Seeded
	scaling
	classifying
}

func fitNCA(ctx context.Context, v *vectors, o *ncaOptions) error {
	m := v.filters(o.filters)
	start, err := v.start(o.Init, m, o.Seed)
	if err != nil {
		return err
	}
	return v.learned(feature.FitNCA(ctx, v.x(), v.labels(), v.classes(),
		feature.NCAOptions{Filters: m, Start: start, StartRows: int(o.StartRows), Tol: o.Tol, MaxIter: int(o.MaxIter),
			Seed: uint64(o.Seed), Progress: v.progress}))
}
