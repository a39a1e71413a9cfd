package method

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"rao/feature"
	"rao/gaussian"
	"rao/sqfa"
)

// start returns the filters of --init: nil for the method's own start.
func (v *vectors) start() (*mat.Dense, error) {
	switch v.set.Init {
	case "pca", "":
		return nil, nil
	case "random":
		rng := rand.New(rand.NewPCG(uint64(v.set.Seed), 23))
		f := mat.NewDense(v.stats.Dim, v.filters(), nil)
		raw, scale := f.RawMatrix().Data, 1/math.Sqrt(float64(v.stats.Dim))
		for i := range raw {
			raw[i] = scale * rng.NormFloat64() // columns of about unit norm
		}
		return f, nil
	}
	return readFilters(v.set.Init)
}

// startAndRows returns the filters of --init and the number of --start-rows, 0 for the
// method's own and -1 for none.
func (v *vectors) startAndRows() (*mat.Dense, int, error) {
	start, err := v.start()
	if err != nil {
		return nil, 0, err
	}
	rows, err := amount("start-rows", v.set.StartRows)
	return start, rows, err
}

// amount reads an option that is a number, none (-1) or auto (0).
func amount(option, value string) (int, error) {
	switch value {
	case "auto", "":
		return 0, nil
	case "none":
		return -1, nil
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%s %q: want a number of 1 or more, none or auto", option, value)
	}
	return n, nil
}

// learnFeature wraps a learner of package feature into a whole fit.
func learnFeature(fit func(ctx context.Context, v *vectors) (*feature.Model, error)) func(context.Context, *job) error {
	return linear(func(ctx context.Context, v *vectors) error {
		m, err := fit(ctx, v)
		if m == nil {
			return err
		}
		v.filtersAre(m, m.Report)
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
		MaxIterations: v.set.MaxIter, NoiseFloor: v.set.Floor, Progress: v.progress})
}

func fitGEM(ctx context.Context, v *vectors) (*feature.Model, error) {
	return feature.FitGEM(ctx, v.stats, feature.GEMOptions{Filters: v.filters(), Ridge: v.set.Ridge, Progress: v.progress})
}

func fitICA(ctx context.Context, v *vectors) (*feature.Model, error) {
	start, err := v.start()
	if err != nil {
		return nil, err
	}
	return feature.FitICA(ctx, v.x(), feature.ICAOptions{Filters: v.filters(), Contrast: v.set.Contrast, Deflation: v.set.Deflation, Start: start,
		Tolerance: v.set.Tol, MaxIterations: v.set.MaxIter, Seed: uint64(v.set.Seed), Progress: v.progress})
}

func fitLFDA(ctx context.Context, v *vectors) (*feature.Model, error) {
	kind, amount, err := parseShrinkage(v.set.Shrinkage)
	if err != nil {
		return nil, err
	}
	switch {
	case v.set.Shrinkage == "auto":
		amount = 0 // the method's own
	case kind != gaussian.Fixed && kind != gaussian.None:
		return nil, fmt.Errorf("lfda has no estimate of how much to shrink its scatter; give --shrinkage auto, none or an amount from 0 to 1, not %s", kind)
	case amount == 0:
		amount = -1 // none
	}
	return feature.FitLFDA(ctx, v.x(), v.src.Data.Labels, v.raw.Names,
		feature.LFDAOptions{Filters: v.filters(), Neighbour: v.set.Local, Shrinkage: amount, Progress: v.progress})
}

func fitLMNN(ctx context.Context, v *vectors) (*feature.Model, error) {
	start, rows, err := v.startAndRows()
	if err != nil {
		return nil, err
	}
	s := &v.set
	components, err := amount("components", s.Components)
	if err != nil {
		return nil, err
	}
	return feature.FitLMNN(ctx, v.x(), v.src.Data.Labels, v.raw.Names,
		feature.LMNNOptions{Filters: v.filters(), Components: max(components, 0), Neighbours: s.Targets, InputTargets: s.InputSpace, Push: s.Push, Impostors: s.Impostors,
			Rounds: s.Rounds, Inner: s.Inner, Start: start, StartRows: rows, Tolerance: s.Tol, Seed: uint64(s.Seed), Progress: v.progress})
}

func fitNCA(ctx context.Context, v *vectors) (*feature.Model, error) {
	start, rows, err := v.startAndRows()
	if err != nil {
		return nil, err
	}
	return feature.FitNCA(ctx, v.x(), v.src.Data.Labels, v.raw.Names,
		feature.NCAOptions{Filters: v.filters(), Start: start, StartRows: rows, Tolerance: v.set.Tol, MaxIterations: v.set.MaxIter,
			Seed: uint64(v.set.Seed), Progress: v.progress})
}

func fitWDA(ctx context.Context, v *vectors) (*feature.Model, error) {
	start, err := v.start()
	if err != nil {
		return nil, err
	}
	components, err := amount("components", v.set.Components)
	if err != nil {
		return nil, err
	}
	return feature.FitWDA(ctx, v.x(), v.src.Data.Labels, v.raw.Names,
		feature.WDAOptions{Filters: v.filters(), Regularization: v.set.Reg, Components: components, Rows: v.set.Rows, Start: start, Tolerance: v.set.Tol,
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
	if opt.Start, opt.StartRows, err = v.startAndRows(); err != nil {
		return nil, err
	}
	return feature.FitAMA(ctx, v.x(), v.src.Data.Labels, v.raw.Names, opt)
}

func (v *vectors) amaOptions() (feature.AMAOptions, error) {
	opt := feature.AMAOptions{Filters: v.filters(), Tolerance: v.set.Tol, MaxIterations: v.set.MaxIter,
		Seed: uint64(v.set.Seed), Progress: v.progress}
	var err error
	opt.Priors, err = parsePriors(v.set.Priors, v.raw.NumClasses(), v.raw.Priors)
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
	v.filtersAre(f, f.Report)
	return err
}
