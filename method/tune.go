package method

import (
	"context"
	"slices"
	"sync"

	"rao"
	"rao/dataset"
	"rao/evaluate"
	"rao/gaussian"
	"rao/internal/recipes"
	"rao/internal/text"
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
// added to base. Without candidates, Tune cross-validates base: Trials[0].Folds contains the scores of the
// folds. The training data of a fold and their statistics are computed once for all candidates. Fits run in parallel,
// and the result does not depend on how many run at a time. Tune returns an error if the method cannot learn from d or
// a candidate is invalid, and the errors of [evaluate.Search].
func (m *Method) Tune(ctx context.Context, d *dataset.Data, base Settings, candidates []evaluate.Candidate,
	folds []evaluate.Fold, opt evaluate.SearchOptions) (*evaluate.SearchResult, error) {
	if err := (InMemory{Data: d}).accepted(m); err != nil {
		return nil, err
	}
	if len(candidates) == 0 {
		candidates = make([]evaluate.Candidate, 1)
	}
	shared := Spec{Method: m}
	if err := shared.Set(base...); err != nil {
		return nil, err
	}
	moments, specs := false, make([]Spec, len(candidates))
	for i, c := range candidates {
		var err error
		if specs[i], err = shared.With(c...); err != nil {
			return nil, err
		}
		moments = moments || wantsMoments(specs[i].parsed.options)
	}
	cache := make([]foldData, len(folds))
	for i := range cache {
		cache[i].moments = moments
	}
	warnings := make([][][]string, len(candidates)) // by candidate and fold
	for i := range warnings {
		warnings[i] = make([][]string, len(folds))
	}
	res, err := evaluate.Search(ctx, candidates, folds, opt,
		func(ctx context.Context, c evaluate.Candidate, f evaluate.Fold) (*evaluate.Scores, error) {
			of := slices.IndexFunc(candidates, func(o evaluate.Candidate) bool { return slices.Equal(o, c) })
			fold := slices.IndexFunc(folds, func(g evaluate.Fold) bool {
				return slices.Equal(g.Test, f.Test) && slices.Equal(g.Train, f.Train)
			})
			fd := &cache[fold]
			fd.once.Do(func() { fd.cut(d, f, m) })
			if fd.err != nil {
				return nil, fd.err
			}
			mod, err := specs[of].Fit(ctx, InMemory{Data: fd.train, Stats: fd.stats}, nil)
			if err != nil && !rao.HasModel(err) {
				return nil, err
			}
			warnings[of][fold] = mod.Warnings
			return Score(ctx, mod, fd.test)
		})
	if res != nil {
		for i := range res.Trials {
			var w text.FitWarnings
			for _, of := range warnings[i] {
				w.Add(of)
			}
			res.Trials[i].Warning = w.String()
		}
	}
	return res, err
}

func (fd *foldData) cut(d *dataset.Data, f evaluate.Fold, m *Method) {
	fd.train, fd.test = d.Subset(f.Train), d.Subset(f.Test)
	if m.Covariances(fd.train) && fd.train.Weights == nil && !recipes.Fills(fd.train.Missing) {
		estimate := gaussian.Estimate
		if fd.moments {
			estimate = gaussian.EstimateMoments
		}
		fd.stats, fd.err = estimate(fd.train.X, fd.train.Labels, fd.train.Classes)
	}
}
