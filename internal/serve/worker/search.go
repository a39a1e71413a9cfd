package worker

import (
	"context"
	"math"

	"rao/evaluate"
	"rao/internal/study"
	"rao/internal/text"
)

// tuneInfo lists the candidates of a search.
type tuneInfo struct {
	Folds  int         `json:"folds"`
	Best   int         `json:"best"`
	Trials []trialInfo `json:"trials"`
}

// trialInfo is a candidate; its JSON names are those of rao tune.
type trialInfo struct {
	Options  evaluate.Candidate `json:"options"`
	Accuracy text.Number        `json:"accuracy"`
	SD       text.Number        `json:"accuracy_sd"`
	Kappa    text.Number        `json:"kappa"`
	LogLoss  text.Number        `json:"log_loss"`
	Score    text.Number        `json:"score"`
	Close    bool               `json:"close"`
	Error    string             `json:"error,omitempty"`
}

// tune searches over the options of the request's only method by cross-validation inside "X" and "y".
func tune(ctx context.Context, s *server, q *Request) (*Reply, error) {
	r, specs, err := q.study()
	if err != nil {
		return nil, err
	}
	d, err := q.labeled("X")
	if err != nil {
		return nil, err
	}
	candidates, err := r.candidates()
	if err != nil {
		return nil, err
	}
	spec := specs[0]
	for _, c := range candidates {
		if _, err := spec.Method.Apply(spec.Settings, c); err != nil {
			return nil, err
		}
	}
	var folds []evaluate.Fold
	if q.optional("groups") != nil {
		groups, err := q.numbered("groups", r.Groups, d.N())
		if err != nil {
			return nil, err
		}
		if folds, err = evaluate.LeaveOneGroupOut(groups.Of); err != nil {
			return nil, err
		}
	} else if folds, err = study.Folds(d, d.Labels, nil, r.Folds, r.Seed); err != nil {
		return nil, err
	}
	show, done := s.progress(q)
	defer done()
	res, err := spec.Method.Tune(ctx, d, spec.Settings, candidates, folds,
		evaluate.SearchOptions{Score: r.Score, Progress: show})
	if err != nil {
		return nil, err
	}
	info := tuneInfo{Folds: len(folds), Best: res.Best}
	for _, t := range res.Trials {
		nan := text.Number(math.NaN())
		one := trialInfo{Options: t.Candidate, Accuracy: nan, SD: nan, Kappa: nan, LogLoss: nan, Score: nan}
		if t.Err != nil {
			one.Error = message(t.Err)
		} else {
			c := t.Result
			one.Accuracy, one.SD, one.Kappa = text.Number(c.Accuracy), text.Number(c.AccuracySD), text.Number(c.Kappa)
			one.LogLoss, one.Score, one.Close = text.Number(c.LogLoss), text.Number(t.Score), t.Close
		}
		info.Trials = append(info.Trials, one)
	}
	return &Reply{Info: info}, nil
}

// candidates are all combinations of the parameters, or random draws.
func (r *studyRequest) candidates() ([]evaluate.Candidate, error) {
	if len(r.Search) == 0 {
		return []evaluate.Candidate{nil}, nil
	}
	parameters := make([]evaluate.Parameter, len(r.Search))
	for i, p := range r.Search {
		parameters[i] = evaluate.Parameter{Name: p.Name, Values: p.Values}
		if p.Text != "" {
			var err error
			if parameters[i], err = evaluate.ParseParameter(p.Name + "=" + p.Text); err != nil {
				return nil, err
			}
		}
	}
	if r.Random > 0 {
		return evaluate.Random(parameters, r.Random, r.Seed)
	}
	return evaluate.Grid(parameters)
}
