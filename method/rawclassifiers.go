package method

import (
	"context"

	"rao/classify"
)

type rawQDAOptions struct {
	discriminantOptions
	RegParam float64 `opt:"reg-param" default:"0" min:"0" max:"1" help:"weight of the identity matrix in the class covariances"`
	scaling
	classWeighting
}

func fitRawQDA(ctx context.Context, v *vectors, o *rawQDAOptions) error {
	v.Model.Report = closed
	return quadratic.onStatistics(ctx, v, v.stats(), &o.discriminantOptions, o.RegParam)
}

type rawLDAOptions struct {
	discriminantOptions
	scaling
	classWeighting
}

func fitRawLDA(ctx context.Context, v *vectors, o *rawLDAOptions) error {
	v.Model.Report = closed
	return linear.onStatistics(ctx, v, v.stats(), &o.discriminantOptions, 0)
}

type rawKNNOptions struct {
	Neighbors int `opt:"neighbors" default:"5" min:"1" max:"1000000000" help:"number of neighbors"`
	scaling
}

// fitRawKNN stores the preprocessed vectors for a nearest-neighbor classifier.
func fitRawKNN(_ context.Context, v *vectors, o *rawKNNOptions) error {
	knn, err := classify.FitKNN(v.x(), v.labels(), v.classes(), classify.KNNOptions{K: o.Neighbors})
	if err != nil {
		return err
	}
	v.Model.Classifier, v.Model.Report = knn, closed
	return nil
}

type rawLogisticOptions struct {
	C       float64 `opt:"c" default:"1" above:"0" help:"inverse strength of the penalty"`
	Tol     float64 `opt:"tol" default:"1e-6" above:"0" help:"stop when the gradient of the mean loss has a smaller norm than this"`
	MaxIter int     `opt:"max-iter" default:"1000" min:"1" max:"100000000" help:"maximum number of iterations"`
	scaling
}

func fitRawLogistic(ctx context.Context, v *vectors, o *rawLogisticOptions) error {
	cl, err := classify.FitLogistic(ctx, v.x(), v.labels(), v.classes(),
		classify.LogisticOptions{C: o.C, Tol: o.Tol, MaxIter: o.MaxIter, Progress: v.Progress})
	if cl != nil {
		v.Model.Classifier, v.Model.Report = cl, cl.Report
	}
	return err
}
