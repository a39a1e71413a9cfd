package method

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/dataset"
	"rao/feature"
	"rao/gaussian"
	"rao/internal/indices"
	"rao/internal/learners"
	"rao/internal/memory"
	"rao/internal/optionvalues"
	"rao/sqfa"
)

type amaOptions struct {
	filters
	Noise autoNumber  `opt:"noise" default:"auto" help:"feature noise: a variance in squared units of the scaled data; auto uses 0.05 of the mean variance of as many principal components as filters"`
	Init  startOption `opt:"init" default:"auto" help:"initial filters; auto tries principal components and the filters of SQFA"`
	learners.AMAOptions
	seedOption
	scaling
	classifying
}

func fitAMA(ctx context.Context, v *vectors, o *amaOptions) (err error) {
	opt := o.AMAOptions
	opt.Filters, opt.Noise, opt.Seed, opt.Progress = v.filters(o.filters), o.Noise.Value, o.seedOption.Seed, v.Progress
	if opt.Priors, err = o.classifying.Priors.of(v.raw.NumClasses(), v.raw.Priors); err != nil {
		return err
	}
	if opt.Start, err = v.start(o.Init, opt.Filters, opt.Seed); err != nil {
		return err
	}
	if o.Init == "auto" {
		opt.Also = v.sqfaFilters(ctx, opt.Filters)
	}
	v.noise = opt.Noise
	return v.learned(v.ama(ctx, opt))
}

// outOfCore returns an error if the options need all observations in memory.
func (o *amaOptions) outOfCore() error {
	var defaults learners.AMAOptions
	optionvalues.Fill(&defaults)
	for _, option := range []struct {
		name string
		set  bool
	}{{"noisy-responses", o.NoisyResponses}, {"pairwise", o.Group != 0}, {"start-rows", o.StartRows != 0},
		{"tol", o.Tol != defaults.Tol}} {
		if option.set {
			return rao.Optionf(option.name, "{"+option.name+"} of ama needs all observations in memory; leave it out")
		}
	}
	return nil
}

// addRows adds the memory of the fit of SQFA for the initial filters, which needs statistics.
func (o *amaOptions) addRows(f *memory.Footprint, d *dataset.Data, dim int) {
	counts, _ := indices.Counts("row", d.Labels, len(d.Classes))
	addDrawn(f, &gaussian.Statistics{Classes: d.Classes, Counts: counts, Dim: dim})
}

// sqfaFilters returns filters for AMA to start from, or nil if the fit fails. SQFA learns them from the statistics
// with the bound on the Bayes error.
func (v *vectors) sqfaFilters(ctx context.Context, filters int) []*mat.Dense {
	stats := v.stats()
	if v.disk() == nil {
		var err error
		if stats, err = gaussian.Estimate(v.x(), v.labels(), v.classes()); err != nil {
			return nil
		}
	}
	m, _ := sqfa.Fit(ctx, stats, sqfa.Options{Filters: filters, Noise: sqfa.AutoNoise,
		Aggregate: "bayes"})
	if m == nil {
		return nil
	}
	return []*mat.Dense{m.Filters}
}

// ama learns from the rows in memory, or from batches of rows in files.
func (v *vectors) ama(ctx context.Context, opt learners.AMAOptions) (*feature.Model, error) {
	if v.disk() == nil {
		return learners.FitAMA(ctx, v.x(), v.labels(), v.classes(), opt)
	}
	batches := v.plainBatches(opt.Seed)
	opt.Seed, opt.Tol = 0, 0 // these options apply only to rows in memory
	m, err := learners.FitAMABatches(ctx, v.stats(), batches, opt)
	if m != nil {
		v.noteBatches(m.Report)
	}
	return m, err
}
