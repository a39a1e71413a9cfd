package method

import (
	"context"

	"rao/internal/classifiers"
	"rao/spd"
)

type enucOptions struct {
	Metric tangentMetricOption `opt:"metric" default:"riemann" help:"metric of the tangent space"`
	classifiers.ENucOptions
	seedOption
	OnManifold
}

func fitENuc(ctx context.Context, m *matrices, o *enucOptions) error {
	none := func(v float64) float64 { // the classifier uses its default for 0, and -1 means 0
		if v == 0 {
			return -1
		}
		return v
	}
	opt := o.ENucOptions
	opt.Metric, opt.Seed, opt.Progress = spd.Metric(o.Metric), o.seedOption.Seed, m.Progress
	opt.Nuclear, opt.Ridge, opt.Folds = none(opt.Nuclear), none(opt.Ridge), calibrationFolds(opt.Folds)
	cl, err := classifiers.FitENuc(ctx, m.x, m.labels(), m.classes(), opt)
	if cl != nil {
		m.Model.Classifier, m.Model.Report = cl, cl.Report
	}
	return err
}
