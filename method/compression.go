package method

import (
	"context"
	"errors"
	"maps"
	"slices"

	"rao"
	"rao/feature"
	"rao/internal/suggest"
	"rao/model"
	"rao/spd"
)

// fitGAPCA compresses the matrices and fits the classifier of the settings to the
// smaller ones.
func fitGAPCA(ctx context.Context, m *matrices) (model.Classifier, rao.Report, error) {
	onTop, err := matrixClassifier(m.set.MatrixTop)
	if err != nil {
		return nil, closed, err
	}
	order := m.set.Order
	if order == 0 {
		order = (2*m.x.Dim + 2) / 3
	}
	c, unsettled := feature.FitGAPCA(ctx, m.x, feature.GAPCAOptions{Dim: order, Tolerance: m.set.Tol, MaxIterations: m.set.MaxIter, Progress: m.progress})
	if c == nil {
		return nil, closed, unsettled
	}
	small := &model.Compression{Compression: c}
	m.model.Stages = append(m.model.Stages, small)
	if onTop == nil {
		return nil, c.Report, unsettled
	}
	cl, _, err := onTop(ctx, &matrices{m.job, c.Compress(m.x)})
	if cl == nil {
		return nil, closed, err
	}
	return cl, c.Report, errors.Join(unsettled, err)
}

// matrixClassifier returns the learner of matrices of that name, nil for none.
func matrixClassifier(name string) (func(context.Context, *matrices) (model.Classifier, rao.Report, error), error) {
	learners := map[string]func(context.Context, *matrices) (model.Classifier, rao.Report, error){
		"mdm": fitMDM, "fgmdm": fitFgMDM, "tslda": fitTangentLDA, "tslr": fitTangentLogistic,
		"knn-spd": fitMatrixKNN, "svm-spd": fitMatrixSVM, "plrsq": plrsqWith(spd.Riemann), "none": nil,
	}
	learn, ok := learners[name]
	if !ok {
		return nil, suggest.Unknown("matrix-classifier", name, slices.Sorted(maps.Keys(learners)))
	}
	return learn, nil
}
