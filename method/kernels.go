package method

import (
	"context"

	"rao"
	"rao/classify"
	"rao/lvq"
	"rao/model"
	"rao/spd"
)

func fitMatrixKNN(_ context.Context, m *matrices) (model.Classifier, rao.Report, error) {
	metric, err := m.metric(spd.Riemann)
	if err != nil {
		return nil, closed, err
	}
	cl, err := classify.FitMatrixKNN(m.x, m.labels(), m.classes(), classify.MatrixKNNOptions{Metric: metric, K: m.set.Neighbours})
	if cl == nil {
		return nil, closed, err
	}
	return cl, closed, err
}

func fitMatrixSVM(ctx context.Context, m *matrices) (model.Classifier, rao.Report, error) {
	metric, err := m.metric(spd.LogEuclid)
	if err != nil {
		return nil, closed, err
	}
	cl, err := classify.FitMatrixSVM(ctx, m.x, m.labels(), m.classes(),
		classify.MatrixSVMOptions{Metric: metric, Gamma: m.set.Gamma, C: m.set.C, Tol: m.set.Tol, MaxIter: m.set.MaxIter, Folds: m.set.Folds,
			Seed: uint64(m.set.Seed), Progress: m.progress})
	if cl == nil {
		return nil, closed, err
	}
	return cl, cl.Report, err
}

func fitTSSM(ctx context.Context, m *matrices) (model.Classifier, rao.Report, error) {
	kind, amount, err := m.shrinkage()
	if err != nil {
		return nil, closed, err
	}
	priors, err := m.priors()
	if err != nil {
		return nil, closed, err
	}
	cl, err := classify.FitTSSM(ctx, m.x, m.labels(), m.classes(), classify.TSSMOptions{Order: m.set.Order,
		LDA:     classify.TangentLDAOptions{Shrinkage: kind, Amount: amount, Priors: priors},
		MaxIter: m.set.MaxIter, Tol: m.set.Tol, Progress: m.progress})
	if cl == nil {
		return nil, closed, err
	}
	return cl, cl.Report, err
}

func fitMatrixGMLVQ(ctx context.Context, m *matrices) (model.Classifier, rao.Report, error) {
	s := &m.set
	var kmeans bool
	if err := choose("start", s.Start, &kmeans, map[string]bool{"auto": s.Prototypes > 1, "means": false, "kmeans": true}); err != nil {
		return nil, closed, err
	}
	opt := lvq.GMLVQOptions{Prototypes: s.Prototypes, Epochs: s.Epochs, Rate: s.Rate, KMeans: kmeans,
		CalibrationFolds: s.Calibration, Seed: uint64(s.Seed), Progress: m.progress}
	if s.Calibration == 0 {
		opt.CalibrationFolds = -1
	}
	cl, err := lvq.FitMatrixGMLVQ(ctx, m.x, m.labels(), opt)
	if cl == nil {
		return nil, closed, err
	}
	return cl, cl.Vector.Report, err
}
