package method

import (
	"context"
	"errors"
	"sync"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/dataset"
	"rao/evaluate"
	"rao/gaussian"
	"rao/internal/merit"
)

// foldData is the training and test data of one fold, with the statistics of the training data. It is computed once
// and shared by all candidates.
type foldData struct {
	once        sync.Once
	train, test *dataset.Data
	moments     bool // a candidate needs third and fourth moments
	stats       *gaussian.Statistics
	err         error
}

// Tune searches over the options of a method by cross-validation within the data. The settings of each candidate are
// added to base. Without candidates, Tune cross-validates base: Trials[0].Result.Folds has the scores of the
// folds. The training data of a fold and their statistics are computed once for all candidates. Fits run in parallel,
// and the result does not depend on how many run at a time.
func (m *Method) Tune(ctx context.Context, d *dataset.Data, base Settings, candidates []evaluate.Candidate,
	folds []evaluate.Fold, opt evaluate.SearchOptions) (*evaluate.SearchResult, error) {
	if err := (InMemory{Data: d}).accepted(m); err != nil {
		return nil, err
	}
	if len(candidates) == 0 {
		candidates = make([]evaluate.Candidate, 1)
	}
	moments := false
	for _, c := range candidates {
		set, err := m.Apply(base, c)
		if err != nil {
			return nil, err
		}
		options, err := m.parse(set)
		if err != nil {
			return nil, err
		}
		moments = moments || wantsMoments(options)
	}
	cache := make(map[int]*foldData, len(folds)) // the key is the first test row, because test sets do not overlap
	for _, f := range folds {
		cache[f.Test[0]] = &foldData{moments: moments}
	}
	return evaluate.Search(ctx, candidates, folds, opt,
		func(ctx context.Context, c evaluate.Candidate, f evaluate.Fold) (*evaluate.Scores, error) {
			set, err := m.Apply(base, c)
			if err != nil {
				return nil, err
			}
			fd := cache[f.Test[0]]
			fd.once.Do(func() { fd.cut(d, f, m) })
			if fd.err != nil {
				return nil, fd.err
			}
			mod, err := m.Fit(ctx, InMemory{Data: fd.train, Stats: fd.stats}, set, nil)
			if err != nil && !rao.HasModel(err) {
				return nil, err
			}
			return Score(ctx, mod, fd.test)
		})
}

// ChooseThreshold returns the decision threshold for two classes that is best on held-out observations by the given
// rule. It fits the method to the training set of each fold and predicts the test set. The rule is accuracy,
// balanced_accuracy, kappa, f1 (of the last class), or cost:R, which makes missing an observation of the last class
// cost R times as much as a false alarm. The cost is one fit per fold.
func (s Spec) ChooseThreshold(ctx context.Context, d *dataset.Data, folds []evaluate.Fold,
	rule string) (threshold float64, err error) {
	var truth []int
	var data, weights []float64
	for _, f := range folds {
		m, err := s.Fit(ctx, InMemory{Data: d.Subset(f.Train)}, nil)
		if err != nil && !rao.HasModel(err) {
			return 0, err
		}
		test := d.Subset(f.Test)
		labels, p, err := PredictLabeled(ctx, m, test)
		if err != nil {
			return 0, err
		}
		truth, weights = append(truth, labels...), append(weights, test.Weights...)
		for i := range labels {
			data = append(data, p.LogPosterior.RawRowView(i)...)
		}
	}
	if len(truth) == 0 {
		return 0, errors.New("the folds have no observations, so no threshold can be chosen")
	}
	threshold, _, err = merit.Threshold(truth, mat.NewDense(len(truth), len(data)/len(truth), data), weights,
		rule)
	return threshold, err
}

func (fd *foldData) cut(d *dataset.Data, f evaluate.Fold, m *Method) {
	fd.train, fd.test = d.Subset(f.Train), d.Subset(f.Test)
	if m.Covariances(fd.train) && fd.train.Weights == nil && !fd.train.Missing.Fills() {
		estimate := gaussian.Estimate
		if fd.moments {
			estimate = gaussian.EstimateMoments
		}
		fd.stats, fd.err = estimate(fd.train.X, fd.train.Labels, fd.train.Classes)
	}
}

// Apply returns base with the settings of the candidate added. It returns an error for an unknown option or an
// invalid value.
func (m *Method) Apply(base Settings, c evaluate.Candidate) (Settings, error) {
	out := base
	for _, s := range c {
		out = out.With(s.Name, s.Value)
	}
	_, err := m.With(out)
	return out, err
}
