package method

import (
	"context"
	"errors"

	"rao"
	"rao/feature"
	"rao/model"
)

type gapcaOptions struct {
	Order      AutoCount `opt:"order" default:"auto" min:"1" max:"100000" help:"order of the smaller matrices; auto takes two thirds of the matrices' own"`
	Classifier Follower  `opt:"classifier" default:"mdm" help:"what learns on the smaller matrices: any method of matrices with its options, METHOD[:OPTION=VALUE]..., or none"`
	Tol        float64   `opt:"tol" default:"1e-8" above:"0" help:"relative change of the objective that ends the fit"`
	MaxIter    int       `opt:"max-iter" default:"200" min:"1" max:"100000000" help:"limit on iterations"`
	OnManifold
}

// fitGAPCA compresses the matrices and fits the classifier of the options to the
// smaller ones.
func fitGAPCA(ctx context.Context, m *matrices, o *gapcaOptions) (model.Classifier, rao.Report, error) {
	order := int(o.Order)
	if order == 0 {
		order = (2*m.x.Dim + 2) / 3
	}
	c, unsettled := feature.FitGAPCA(ctx, m.x, feature.GAPCAOptions{Dim: order, Tolerance: o.Tol, MaxIterations: o.MaxIter, Progress: m.progress})
	if c == nil {
		return nil, closed, unsettled
	}
	m.model.Stages = append(m.model.Stages, &model.Compression{Compression: c})
	return nil, c.Report, errors.Join(unsettled, m.follow(ctx, o.Classifier))
}
