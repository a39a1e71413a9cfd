package method

import (
	"context"

	"rao"
	"rao/classify"
	"rao/model"
	"rao/spd"
)

type mdmOptions struct {
	Metric Metric `opt:"metric" default:"riemann" help:"metric of the means and distances"`
	OnManifold
}

func fitMDM(ctx context.Context, m *matrices, o *mdmOptions) (model.Classifier, rao.Report, error) {
	cl, err := classify.FitMDM(ctx, m.x, m.labels(), m.classes(), classify.MDMOptions{Metric: spd.Metric(o.Metric)})
	if cl == nil {
		return nil, closed, err
	}
	return cl, worst(cl.Reports), err
}

// TangentDiscriminant are the options of a linear discriminant of tangent vectors.
type TangentDiscriminant struct {
	Shrinkage Shrinkage `opt:"shrinkage" with:"tangent-classifier=lda" default:"ledoit_wolf" help:"shrinkage of the covariance of the tangent vectors: none, oas, ledoit_wolf, or an amount from 0 to 1"`
	Priors    Priors    `opt:"priors" with:"tangent-classifier=lda" default:"empirical" help:"class priors: empirical (the shares of the data), uniform, or numbers separated by commas"`
}

type fgmdmOptions struct {
	Shrinkage Shrinkage `opt:"shrinkage" default:"ledoit_wolf" help:"shrinkage of the covariance of the tangent vectors: none, oas, ledoit_wolf, or an amount from 0 to 1"`
	OnManifold
}

func fitFgMDM(ctx context.Context, m *matrices, o *fgmdmOptions) (model.Classifier, rao.Report, error) {
	cl, err := classify.FitFgMDM(ctx, m.x, m.labels(), m.classes(), classify.FgMDMOptions{Shrinkage: o.Shrinkage.Kind, Amount: o.Shrinkage.Amount})
	if cl == nil {
		return nil, closed, err
	}
	return cl, worst(cl.MDM.Reports), err
}
