package method

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"rao/feature"
	"rao/gaussian"
	"rao/sqfa"
)

// learnFeature wraps a learner of package feature into a whole fit.
func learnFeature(fit func(ctx context.Context, v *vectors) (*feature.Model, error)) func(context.Context, *job) error {
	return linear(func(ctx context.Context, v *vectors) error {
		m, err := fit(ctx, v)
		if m == nil {
			return err
		}
		v.model.Feature, v.model.Report = m, m.Report
		return err
	})
}

func fitPCA(_ context.Context, v *vectors) (*feature.Model, error) {
	return feature.FitPCA(v.stats, feature.PCAOptions{Filters: v.filters()})
}

// discriminants returns how many filters a method takes that has at most one less
// than classes: the settings' number, or as many as there are.
func (v *vectors) discriminants() int {
	if v.set.Filters > 0 {
		return v.set.Filters
	}
	return min(v.filters(), v.stats.NumClasses()-1)
}

func fitLDA(_ context.Context, v *vectors) (*feature.Model, error) {
	kind, amount, err := parseShrinkage(v.set.Shrinkage)
	if err != nil {
		return nil, err
	}
	return feature.FitLDA(v.stats, feature.LDAOptions{Filters: v.discriminants(), Shrinkage: kind, Amount: amount})
}

func fitSPCA(_ context.Context, v *vectors) (*feature.Model, error) {
	m := v.filters()
	if v.set.Blend == 0 {
		m = v.discriminants()
	}
	return feature.FitSPCA(v.stats, feature.SPCAOptions{Filters: m, Blend: v.set.Blend})
}

func fitFA(ctx context.Context, v *vectors) (*feature.Model, error) {
	return feature.FitFA(ctx, v.stats, feature.FAOptions{Filters: v.filters(), EM: v.set.EM, Tolerance: v.set.Tol,
		MaxIterations: v.set.MaxIter, Progress: v.progress})
}

func fitGEM(ctx context.Context, v *vectors) (*feature.Model, error) {
	return feature.FitGEM(ctx, v.stats, feature.GEMOptions{Filters: v.filters(), Ridge: v.set.Ridge, Progress: v.progress})
}

func fitICA(ctx context.Context, v *vectors) (*feature.Model, error) {
	return feature.FitICA(ctx, v.x(), feature.ICAOptions{Filters: v.filters(), Contrast: v.set.Contrast, Deflation: v.set.Deflation,
		Tolerance: v.set.Tol, MaxIterations: v.set.MaxIter, Seed: uint64(v.set.Seed), Progress: v.progress})
}

func fitLFDA(ctx context.Context, v *vectors) (*feature.Model, error) {
	kind, amount, err := parseShrinkage(v.set.Shrinkage)
	if err != nil {
		return nil, err
	}
	if kind != gaussian.Fixed {
		amount = 0
	}
	return feature.FitLFDA(ctx, v.x(), v.src.Data.Labels, v.raw.Names,
		feature.LFDAOptions{Filters: v.filters(), Shrinkage: amount, Progress: v.progress})
}

func fitLMNN(ctx context.Context, v *vectors) (*feature.Model, error) {
	return feature.FitLMNN(ctx, v.x(), v.src.Data.Labels, v.raw.Names,
		feature.LMNNOptions{Filters: v.filters(), Tolerance: v.set.Tol, Progress: v.progress})
}

func fitNCA(ctx context.Context, v *vectors) (*feature.Model, error) {
	return feature.FitNCA(ctx, v.x(), v.src.Data.Labels, v.raw.Names,
		feature.NCAOptions{Filters: v.filters(), Tolerance: v.set.Tol, MaxIterations: v.set.MaxIter,
			Seed: uint64(v.set.Seed), Progress: v.progress})
}

func fitWDA(ctx context.Context, v *vectors) (*feature.Model, error) {
	return feature.FitWDA(ctx, v.x(), v.src.Data.Labels, v.raw.Names,
		feature.WDAOptions{Filters: v.filters(), Regularization: v.set.Reg, Tolerance: v.set.Tol,
			MaxIterations: v.set.MaxIter, Seed: uint64(v.set.Seed), Progress: v.progress})
}

func fitAMA(ctx context.Context, v *vectors) (*feature.Model, error) {
	opt, err := v.amaOptions()
	if err != nil {
		return nil, err
	}
	if noise, auto, err := parseNoise(v.set.Noise); err != nil {
		return nil, err
	} else if !auto {
		opt.Noise = noise
	}
	return feature.FitAMA(ctx, v.x(), v.src.Data.Labels, v.raw.Names, opt)
}

func (v *vectors) amaOptions() (feature.AMAOptions, error) {
	opt := feature.AMAOptions{Filters: v.filters(), Tolerance: v.set.Tol, MaxIterations: v.set.MaxIter,
		Seed: uint64(v.set.Seed), Progress: v.progress}
	var err error
	opt.Priors, err = parsePriors(v.set.Priors, v.raw.NumClasses())
	return opt, err
}

// refine polishes SQFA's filters on the rows by the posterior of the right class, from
// where the statistics alone lead.
func (v *vectors) refine(ctx context.Context, m *sqfa.Model) error {
	opt, err := v.amaOptions()
	if err != nil {
		return err
	}
	opt.Start = mat.DenseCopyOf(m.Filters)
	_, opt.Filters = m.Dims()
	f, err := feature.FitAMA(ctx, v.x(), v.src.Data.Labels, v.raw.Names, opt)
	if f == nil {
		return err
	}
	v.model.Feature, v.model.Report = f, f.Report
	return err
}
