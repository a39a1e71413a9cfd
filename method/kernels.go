package method

import (
	"context"

	"rao"
	"rao/internal/classifiers"
	"rao/model"
	"rao/spd"
)

type matrixKNNOptions struct {
	Metric    metricOption `opt:"metric" default:"riemann" help:"metric of the distances"`
	Neighbors int          `opt:"neighbors" default:"5" min:"1" max:"1000000000" help:"number of neighbors"`
	OnManifold
}

func fitMatrixKNN(ctx context.Context, m *matrices, o *matrixKNNOptions) (model.Classifier, rao.Report, error) {
	cl, err := classifiers.FitMatrixKNN(ctx, m.x, m.labels(), m.classes(),
		classifiers.MatrixKNNOptions{Metric: spd.Metric(o.Metric), K: o.Neighbors})
	if cl == nil {
		return nil, closed, err
	}
	return cl, closed, err
}

type matrixSVMOptions struct {
	Metric  flatMetricOption `opt:"metric" default:"logeuclid" help:"metric of the kernel"`
	Gamma   autoNumber       `opt:"gamma" default:"auto" help:"width of the kernel; auto estimates it from the data"`
	Tol     float64          `opt:"tol" default:"1e-3" above:"0" help:"stop when the optimality conditions are violated by less than this"`
	MaxIter int              `opt:"max-iter" default:"100000" min:"1" max:"1000000000" help:"maximum number of steps for each pair of classes"`
	machines
	OnManifold
}

func fitMatrixSVM(ctx context.Context, m *matrices, o *matrixSVMOptions) (model.Classifier, rao.Report, error) {
	svm := o.machines.of(m.job)
	cl, err := classifiers.FitMatrixSVM(ctx, m.x, m.labels(), m.classes(),
		classifiers.MatrixSVMOptions{Metric: spd.Metric(o.Metric), Gamma: o.Gamma.Value, C: svm.C, Tol: o.Tol,
			MaxIter: o.MaxIter,
			Folds:   svm.Folds, Seed: svm.Seed, Progress: svm.Progress})
	if cl == nil {
		return nil, closed, err
	}
	return cl, cl.Report, err
}

type rawSVMOptions struct {
	Gamma   autoNumber `opt:"gamma" default:"auto" help:"width of the kernel; auto estimates it from the data"`
	Tol     float64    `opt:"tol" default:"1e-3" above:"0" help:"stop when the optimality conditions are violated by less than this"`
	MaxIter int        `opt:"max-iter" default:"100000" min:"1" max:"1000000000" help:"maximum number of steps for each pair of classes"`
	machines
	scaling
}

func fitRawSVM(ctx context.Context, v *vectors, o *rawSVMOptions) error {
	svm := o.machines.of(v.job)
	svm.Tol, svm.MaxIter = o.Tol, o.MaxIter
	cl, err := classifiers.FitSVM(ctx, v.x(), v.labels(), v.classes(),
		classifiers.SVMOptions{Gamma: o.Gamma.Value, SVM: svm})
	if cl != nil {
		v.model.Classifier, v.model.Report = cl, cl.Report
	}
	return err
}
