package method

import (
	"context"

	"rao/internal/classifiers"
	"rao/spd"
)

type enucOptions struct {
	Metric      tangentMetricOption `opt:"metric" default:"riemann" help:"metric of the tangent space"`
	Nuclear     float64             `opt:"nuclear" default:"0.015" min:"0" max:"1000" help:"weight of the nuclear norms, which keep few patterns per class; useful between 0.01 and 0.02"`
	L2          float64             `opt:"l2" default:"0.02" min:"0" max:"1000" help:"weight of the ridge penalty (half the sum of squares); useful between 0.01 and 0.03"`
	Calibration int                 `opt:"calibration" default:"5" min:"0" max:"10000" help:"number of folds that calibrate the probabilities; 0 does not calibrate them"`
	Tol         float64             `opt:"tol" default:"1e-4" above:"0" help:"stop when no coefficient changes by more than this in a step"`
	MaxIter     int                 `opt:"max-iter" default:"500" min:"1" max:"100000000" help:"maximum number of steps"`
	seedOption
	OnManifold
}

func fitENuc(ctx context.Context, m *matrices, o *enucOptions) error {
	none := func(v float64) float64 { // package classify uses its default for 0, and -1 means 0
		if v == 0 {
			return -1
		}
		return v
	}
	cl, err := classifiers.FitENuc(ctx, m.x, m.labels(), m.classes(),
		classifiers.ENucOptions{Metric: spd.Metric(o.Metric), Nuclear: none(o.Nuclear), Ridge: none(o.L2),
			Folds: calibrationFolds(o.Calibration), Tol: o.Tol, MaxIter: o.MaxIter, Seed: o.Seed,
			Progress: m.Progress})
	if cl != nil {
		m.Model.Classifier, m.Model.Report = cl, cl.Report
	}
	return err
}
