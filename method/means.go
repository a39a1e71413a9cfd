package method

import (
	"context"
	"errors"

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
	Shrinkage Shrinkage `opt:"shrinkage" with:"classifier=tslda" default:"ledoit_wolf" help:"shrinkage of the covariance of the tangent vectors: none, oas, ledoit_wolf, or an amount from 0 to 1"`
	Priors    Priors    `opt:"priors" with:"classifier=tslda" default:"empirical" help:"class priors: empirical (the shares of the data), uniform, or numbers separated by commas"`
}

type fgmdmOptions struct {
	Shrinkage Shrinkage `opt:"shrinkage" default:"ledoit_wolf" help:"shrinkage of the covariance of the tangent vectors: none, oas, ledoit_wolf, or an amount from 0 to 1"`
	OnMap
	OnManifold
}

// OnMap are the options of what learns on the matrices that a map gives.
type OnMap struct {
	Classifier Follower `opt:"classifier" default:"mdm" help:"what learns on the mapped matrices: any method of matrices with its options, METHOD[:OPTION=VALUE]..., or none"`
}

// mapped appends the map of cl to the stages, and fits the classifier of the options to
// what it gives.
func (m *matrices) mapped(ctx context.Context, cl model.Classifier, f Follower) error {
	stages, _ := model.Split(cl)
	m.model.Stages = append(m.model.Stages, stages...)
	return m.follow(ctx, f)
}

func fitFgMDM(ctx context.Context, m *matrices, o *fgmdmOptions) (model.Classifier, rao.Report, error) {
	cl, err := classify.FitFgMDM(ctx, m.x, m.labels(), m.classes(),
		classify.FgMDMOptions{Shrinkage: o.Shrinkage.Kind, Amount: o.Shrinkage.Amount})
	if cl == nil {
		return nil, closed, err
	}
	if o.Classifier != "mdm" {
		return nil, worst(cl.MDM.Reports), errors.Join(err, m.mapped(ctx, cl, o.Classifier))
	}
	return cl, worst(cl.MDM.Reports), err
}
