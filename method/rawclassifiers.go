package method

import (
	"context"

	"rao/classify"
	"rao/internal/classifiers/common"
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
	common.LogisticFit
	scaling
}

func fitRawLogistic(ctx context.Context, v *vectors, o *rawLogisticOptions) error {
	opt := classify.LogisticOptions(o.LogisticFit)
	opt.Progress = v.Progress
	cl, err := classify.FitLogistic(ctx, v.x(), v.labels(), v.classes(), opt)
	if cl != nil {
		v.Model.Classifier, v.Model.Report = cl, cl.Report
	}
	return err
}
