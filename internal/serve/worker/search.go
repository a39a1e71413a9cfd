package worker

import (
	"cmp"
	"context"

	"rao/evaluate"
	"rao/internal/candidates"
	"rao/internal/study"
)

// tuneInfo contains the number of folds, the index of the best candidate, and the results of all candidates.
type tuneInfo struct {
	Folds  int             `json:"folds"`
	Best   int             `json:"best"`
	Trials []study.TuneRow `json:"trials"`
}

// tune searches the options of the request's only method by cross-validation on "X" and "y".
func tune(ctx context.Context, s *server, q *Request) (*Reply, error) {
	r, specs, err := q.study()
	if err != nil {
		return nil, err
	}
	d, err := q.labeled(ctx, "X")
	if err != nil {
		return nil, err
	}
	candidates, err := r.candidates()
	if err != nil {
		return nil, err
	}
	spec := specs[0]
	for _, c := range candidates {
		if _, err := spec.With(c...); err != nil {
			return nil, err
		}
	}
	var folds []evaluate.Fold
	if of := cmp.Or(q.optional("folds"), q.optional("groups")); of == nil {
		folds, err = study.Folds(d, d.Labels, nil, r.Folds, r.Seed)
	} else {
		var groups *study.Groups
		if groups, err = q.numbered(of.Name, r.Groups, d.N()); err != nil {
			return nil, err
		}
		if of.Name == "groups" {
			folds, err = groups.Folds(d.Labels, len(d.Classes), r.Folds, r.Seed)
		} else {
			folds, err = evaluate.LeaveOneGroupOut(groups.Of)
		}
	}
	if err != nil {
		return nil, err
	}
	show, done := s.progress(q)
	defer done()
	reply := &Reply{Warnings: q.notes}
	tuning := study.Tuning{Data: d, Method: spec, Candidates: candidates, Folds: folds,
		Score: r.Score, Seconds: r.Seconds, First: r.First, Monitor: monitor(show, reply)}
	res, err := tuning.Run(ctx)
	if err != nil {
		return nil, err
	}
	reply.Info = tuneInfo{Folds: res.Folds, Best: res.At, Trials: res.Rows}
	return reply, nil
}

// candidates returns all combinations of the parameters, or random draws.
func (r *studyRequest) candidates() ([]evaluate.Candidate, error) {
	if len(r.Search) == 0 {
		return []evaluate.Candidate{nil}, nil
	}
	parameters := make([]evaluate.Parameter, len(r.Search))
	for i, p := range r.Search {
		parameters[i] = evaluate.Parameter{Name: p.Name, Values: p.Values}
		if p.Text != "" {
			var err error
			if parameters[i], err = candidates.ParseParameter(p.Name + "=" + p.Text); err != nil {
				return nil, err
			}
		}
	}
	if r.Random > 0 {
		return evaluate.Random(parameters, r.Random, r.Seed)
	}
	return evaluate.Grid(parameters)
}
