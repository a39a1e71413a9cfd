package method

import (
	"context"

	"rao/internal/classifiers"
	"rao/spd"
)

type matrixKNNOptions struct {
	Metric    metricOption `opt:"metric" default:"riemann" help:"metric of the distances"`
	Neighbors int          `opt:"neighbors" default:"5" min:"1" max:"1000000000" help:"number of neighbors"`
	OnManifold
}

func fitMatrixKNN(ctx context.Context, m *matrices, o *matrixKNNOptions) error {
	cl, err := classifiers.FitMatrixKNN(ctx, m.x, m.labels(), m.classes(),
		classifiers.MatrixKNNOptions{Metric: spd.Metric(o.Metric), K: o.Neighbors})
	if cl != nil {
		m.Model.Classifier = cl
	}
	return err
}

type matrixSVMOptions struct {
	Metric flatMetricOption `opt:"metric" default:"logeuclid" help:"metric of the kernel"`
	Gamma  autoNumber       `opt:"gamma" default:"auto" help:"gamma of the kernel exp(-gamma d²); auto uses 1 over the median squared distance"`
	iteratedMachines
	OnManifold
}

func fitMatrixSVM(ctx context.Context, m *matrices, o *matrixSVMOptions) error {
	cl, err := classifiers.FitMatrixSVM(ctx, m.x, m.labels(), m.classes(),
		classifiers.MatrixSVMOptions{Metric: spd.Metric(o.Metric),
			SVMOptions: classifiers.SVMOptions{Gamma: o.Gamma.Value, SVM: o.iteratedMachines.of(m.Job)}})
	if cl != nil {
		m.Model.Classifier, m.Model.Report = cl, cl.Report
	}
	return err
}

type rawSVMOptions struct {
	Gamma autoNumber `opt:"gamma" default:"auto" help:"gamma of the kernel exp(-gamma d²); auto uses 1 over the median squared distance"`
	iteratedMachines
	scaling
}

func fitRawSVM(ctx context.Context, v *vectors, o *rawSVMOptions) error {
	cl, err := classifiers.FitSVM(ctx, v.x(), v.labels(), v.classes(),
		classifiers.SVMOptions{Gamma: o.Gamma.Value, SVM: o.iteratedMachines.of(v.Job)})
	if cl != nil {
		v.Model.Classifier, v.Model.Report = cl, cl.Report
	}
	return err
}
