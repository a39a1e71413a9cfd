package method

import (
	"context"

	"rao/feature"
	"rao/internal/learners"
	"rao/model"
	"rao/spd"
)

type gapcaOptions struct {
	Order autoCount `opt:"reduced-order" default:"auto" min:"1" max:"100000" help:"order of the smaller matrices; auto uses two thirds of the original order"`
	onMap
	learners.GAPCAOptions
	OnManifold
}

// fitGAPCA reduces the matrices and fits the chosen classifier to the smaller matrices.
func fitGAPCA(ctx context.Context, m *matrices, o *gapcaOptions) error {
	opt := o.GAPCAOptions
	opt.Dim, opt.Progress = int(o.Order), m.Progress
	c, unsettled := learners.FitGAPCA(ctx, m.x, opt)
	if c == nil {
		return unsettled
	}
	if err := m.mapBy(ctx, c); err != nil {
		return err
	}
	m.Model.Report = c.Report
	return joined(unsettled, m.classifyBy(ctx, o.Classifier))
}

type cspOptions struct {
	Filters       int        `opt:"filters" default:"4" min:"1" max:"100000" help:"number of spatial filters"`
	KeepPower     bool       `opt:"keep-power" default:"false" help:"average unnormalized covariances, so strong trials count more; otherwise each is divided by its trace first"`
	Metric        spd.Metric `opt:"metric" default:"euclid" help:"metric of the class means; riemann is robust to outlying trials"`
	Shrinkage     float64    `opt:"shrinkage" default:"0" min:"0" max:"1" help:"shrinkage of the class means towards a multiple of the identity; helps with few trials or many channels"`
	OneVersusRest bool       `opt:"one-versus-rest" default:"false" help:"with three or more classes: learn filters of each class against all others and take the best of each in turn; otherwise the class means are diagonalized jointly and the most informative filters are kept"`
	Classifier    Follower   `opt:"classifier" default:"lda-raw" help:"classifier of the filtered signals, with its options, METHOD[:OPTION=VALUE]...: a vector method uses their log-variances, a matrix method their covariances; none returns log-variances"`
	Tol           float64    `opt:"tol" default:"1e-9" above:"0" help:"with more than two classes, stop the joint diagonalization when all rotations are smaller than this"`
	MaxIter       int        `opt:"max-iter" default:"5000" min:"1" max:"100000000" help:"maximum number of sweeps of the joint diagonalization"`
	OnManifold
}

// fitCSP learns common spatial patterns and fits the chosen classifier to the filtered signals.
func fitCSP(ctx context.Context, m *matrices, o *cspOptions) error {
	c, unsettled := feature.FitCSP(ctx, m.x, m.labels(), m.classes(),
		feature.CSPOptions{Filters: o.Filters, KeepPower: o.KeepPower, Metric: o.Metric, Shrinkage: o.Shrinkage,
			OneVersusRest: o.OneVersusRest, MaxIter: o.MaxIter, Tol: o.Tol})
	if c == nil {
		return unsettled
	}
	m.Model.Stages, m.Model.Report = append(m.Model.Stages, model.Wrap(c)), c.Report
	if !o.Classifier.OfMatrices() {
		m.Model.Stages = append(m.Model.Stages, &model.LogVariance{})
	}
	return joined(unsettled, m.Follow(ctx, o.Classifier))
}
