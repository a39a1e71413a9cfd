package model

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao/internal/linalg/vec"
	"rao/internal/posteriors"
	"rao/internal/rows"
)

// probabilistic is a classifier of vectors that computes probabilities without logarithms. Posterior stores P(class |
// row), N×c, in dst. In each row either all values are NaN or none.
type probabilistic interface {
	Posterior(ctx context.Context, dst *mat.Dense, x mat.Matrix) error
}

// PosteriorInto stores the class probabilities in dst, as [Model.PredictInto] stores their logarithms, and returns the
// notes. It is faster than a prediction. It returns the same errors as [Model.Predict]. See [Model.PredictInto] for the
// number of allocations.
func (m *Model) PosteriorInto(ctx context.Context, dst *mat.Dense, b Batch) (notes []string, err error) {
	if err := m.checkClassifier(); err != nil {
		return nil, err
	}
	if b, err = m.checkInput(ctx, b); err != nil {
		return nil, err
	}
	rows.Shape(dst, b.Len(), len(m.Classes))
	if m.isSingle(b) {
		return m.posteriorOfSingle(ctx, dst, b)
	}
	cl, ok := m.Classifier.(probabilistic)
	if !ok || b.Kind() != KindVectors {
		p := Prediction{LogPosterior: dst}
		if err := m.predict(ctx, &p, b); err != nil {
			return nil, err
		}
		posteriors.Exponentiate(dst)
		return p.Notes, nil
	}
	far, outlier := newFar(b.Len()), make([]bool, b.Len())
	err = m.applyInBlocks(ctx, dst, b, func(lo int, dst *mat.Dense, z Batch) error {
		if err := cl.Posterior(ctx, dst, z.X); err != nil {
			return err
		}
		n, _ := dst.Dims()
		for i := range n {
			outlier[lo+i] = replaceUndecided(dst.RawRowView(i)) || far.is[lo+i]
		}
		return nil
	}, far)
	if err != nil {
		return nil, err
	}
	return far.outliers(outlier, b.First, m.Input.Columns).notes(), nil
}

// posteriorOfSingle is [Model.PosteriorInto] for a single observation. After the first calls it allocates nothing,
// except in the cases that [Model.PredictInto] lists.
func (m *Model) posteriorOfSingle(ctx context.Context, dst *mat.Dense, b Batch) ([]string, error) {
	s := scratches.Get().(*scratch)
	defer s.giveBack()
	z, far, err := s.single(ctx, m, b)
	if err != nil {
		return nil, err
	}
	clear(s.own[:])
	row := dst.RawRowView(0)
	if cl, ok := m.Classifier.(probabilistic); ok && z.Kind() == KindVectors {
		if err := cl.Posterior(ctx, dst, z.X); err != nil {
			return nil, err
		}
		s.outlier[0] = replaceUndecided(row)
	} else {
		if err := m.classify(ctx, s.own[:], dst, z); err != nil {
			return nil, err
		}
		s.outlier[0] = far.absurd[0] || !usable(row)
		if s.outlier[0] {
			uniform(row)
		}
		vec.Exp(row, -708)
		posteriors.Normalize(row)
	}
	s.outlier[0] = s.outlier[0] || far.is[0] || s.own[0].Outlier
	return far.outliers(s.outlier[:], b.First, m.Input.Columns).notes(), nil
}

// replaceUndecided makes all classes equally probable if the probabilities are NaN, and reports whether they are; see
// [Model.Predict].
func replaceUndecided(row []float64) bool {
	if !math.IsNaN(row[0]) {
		return false
	}
	for j := range row {
		row[j] = 1 / float64(len(row))
	}
	return true
}
