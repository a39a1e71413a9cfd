package method

import (
	"context"

	"rao"
	"rao/classify"
	"rao/model"
	"rao/spd"
)

type tsldaOptions struct {
	Metric string `opt:"metric" default:"riemann" choices:"riemann,logeuclid" help:"metric of the tangent space"`
	TangentDiscriminant
	OnManifold
}

func fitTangentLDA(ctx context.Context, m *matrices, o *tsldaOptions) (model.Classifier, rao.Report, error) {
	opt, err := m.tangentLDA(&o.TangentDiscriminant)
	if err != nil {
		return nil, closed, err
	}
	opt.Metric = spd.Metric(o.Metric)
	cl, err := classify.FitTangentLDA(ctx, m.x, m.labels(), m.classes(), opt)
	if cl == nil {
		return nil, closed, err
	}
	return cl, closed, err
}

func (m *matrices) tangentLDA(o *TangentDiscriminant) (classify.TangentLDAOptions, error) {
	priors, err := m.priors(&o.Priors)
	kind, amount := o.Shrinkage.named()
	return classify.TangentLDAOptions{Shrinkage: kind, Amount: amount, Priors: priors}, err
}

type tslrOptions struct {
	Metric  string  `opt:"metric" default:"riemann" choices:"riemann,logeuclid" help:"metric of the tangent space"`
	C       float64 `opt:"c" default:"1" above:"0" help:"inverse strength of the penalty"`
	Tol     float64 `opt:"tol" default:"1e-6" above:"0" help:"norm of the gradient of the mean loss that ends the fit"`
	MaxIter int     `opt:"max-iter" default:"1000" min:"1" max:"100000000" help:"limit on iterations"`
	OnManifold
}

func fitTangentLogistic(ctx context.Context, m *matrices, o *tslrOptions) (model.Classifier, rao.Report, error) {
	cl, err := classify.FitTangentLogistic(ctx, m.x, m.labels(), m.classes(),
		classify.TangentLogisticOptions{Metric: spd.Metric(o.Metric), C: o.C, Tol: o.Tol, MaxIter: o.MaxIter, Progress: m.progress})
	if cl == nil {
		return nil, closed, err
	}
	return cl, cl.Report, err
}

type tssmOptions struct {
	Order   AutoCount `opt:"order" default:"auto" min:"1" max:"100000" help:"order of the smaller matrices; auto takes two thirds of the matrices' own"`
	Tol     float64   `opt:"tol" default:"1e-4" above:"0" help:"norm of the gradient that ends the search of the sub-manifold"`
	MaxIter int       `opt:"max-iter" default:"200" min:"1" max:"100000000" help:"limit on its iterations"`
	TangentDiscriminant
	OnManifold
}

func fitTSSM(ctx context.Context, m *matrices, o *tssmOptions) (model.Classifier, rao.Report, error) {
	lda, err := m.tangentLDA(&o.TangentDiscriminant)
	if err != nil {
		return nil, closed, err
	}
	cl, err := classify.FitTSSM(ctx, m.x, m.labels(), m.classes(), classify.TSSMOptions{Order: int(o.Order), LDA: lda,
		MaxIter: o.MaxIter, Tol: o.Tol, Progress: m.progress})
	if cl == nil {
		return nil, closed, err
	}
	return cl, cl.Report, err
}
