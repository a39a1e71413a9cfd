package experiment

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"rao/dataset"
	"rao/evaluate"
	"rao/internal/scoring"
)

// bciChoice is the candidate that a method uses for one form, chosen within session T.
type bciChoice struct {
	candidate   int
	loss        float64 // mean held-out log loss at the temperature
	temperature float64
}

// bciOutcome contains the choices for a subject and their results on session E.
type bciOutcome struct {
	subject string
	chosen  [][2]bciChoice  // by method and form
	scores  [][2][]bciScore // by method, form and seed
}

// bciScore contains the scores of the decisions on session E.
type bciScore struct {
	kappa, risk        float64 // risk: fraction of wrong decisions
	risk80             float64 // among the most certain four fifths
	calibration, floor float64 // calibration error at the temperature, and of exact probabilities
}

// bciSubject chooses the options of every method within session T and scores the method on E.
func (r *Run) bciSubject(ctx context.Context, s *bciSession, methods []bciMethod) (*bciOutcome, error) {
	o := &bciOutcome{subject: s.name, chosen: make([][2]bciChoice, len(methods)),
		scores: make([][2][]bciScore, len(methods))}
	held, err := r.bciHeldOut(ctx, s, methods)
	if err != nil {
		return nil, err
	}
	for m := range methods {
		for form := range o.chosen[m] {
			if o.chosen[m][form], err = chooseInside(s.train.Labels, held[m], form); err != nil {
				return nil, err
			}
		}
	}
	return o, r.bciTests(ctx, s, methods, o)
}

// bciHeldOut returns predictions of session T for every method and candidate. Each trial is predicted by a fit without
// its fold.
func (r *Run) bciHeldOut(ctx context.Context, s *bciSession, methods []bciMethod) ([][]predictions, error) {
	parts, err := collect(ctx, len(s.folds), func(f int) (*bciPart, error) {
		return newBCIPart(ctx, s.train.Subset(s.folds[f].Train), s.train.Subset(s.folds[f].Test))
	})
	if err != nil {
		return nil, err
	}
	type job struct {
		learner *bciLearner
		fold    int
		into    predictions
	}
	var jobs []job
	held := make([][]predictions, len(methods))
	n, c := s.train.N(), len(s.train.Classes)
	for m := range methods {
		for k := range methods[m].candidates {
			own := predictions{mat.NewDense(n, c, nil), mat.NewDense(n, c, nil)}
			held[m] = append(held[m], own)
			for f := range parts {
				jobs = append(jobs, job{&methods[m].candidates[k], f, own})
			}
		}
	}
	err = r.eachOf(ctx, s.name+", folds", len(jobs), func(i int) error {
		j := jobs[i]
		got, err := j.learner.on(ctx, parts[j.fold], 1)
		if err != nil {
			return err
		}
		for form := range got {
			for row, trial := range s.folds[j.fold].Test {
				j.into[form].SetRow(trial, got[form].RawRowView(row))
			}
		}
		return nil
	})
	return held, err
}

// chooseInside applies the one-standard-error rule of the protocol to the held-out predictions of the candidates. The
// first candidate adapts most closely to the data, and the last candidate least closely.
func chooseInside(labels []int, candidates []predictions, form int) (bciChoice, error) {
	losses := make([][]float64, len(candidates))
	temperatures := make([]float64, len(candidates))
	for k, p := range candidates {
		var err error
		if temperatures[k], err = evaluate.Temperature(labels, p[form]); err != nil {
			return bciChoice{}, err
		}
		losses[k] = scoring.Losses(labels, evaluate.Temper(p[form], temperatures[k]))
	}
	k := scoring.OneStandardError(losses)
	return bciChoice{k, average(losses[k]), temperatures[k]}, nil
}

// bciTests fits the chosen candidates on all of session T with every seed, and scores them on E.
func (r *Run) bciTests(ctx context.Context, s *bciSession, methods []bciMethod, o *bciOutcome) error {
	part, err := newBCIPart(ctx, s.train, s.test)
	if err != nil {
		return err
	}
	type job struct{ method, form, seed int }
	var jobs []job
	for m := range methods {
		for form := range 2 {
			o.scores[m][form] = make([]bciScore, methods[m].seeds)
			for seed := range methods[m].seeds {
				jobs = append(jobs, job{m, form, seed})
			}
		}
	}
	return r.eachOf(ctx, s.name+", session E", len(jobs), func(i int) error {
		j := jobs[i]
		c := o.chosen[j.method][j.form]
		l := &methods[j.method].candidates[c.candidate]
		m, err := l.learn(ctx, part, j.form, r.Seed*100+uint64(j.seed))
		if err != nil {
			return err
		}
		got, err := l.predict(m, part, j.form)
		if err != nil {
			return err
		}
		o.scores[j.method][j.form][j.seed], err = bciScoreOf(s.test, got, c.temperature)
		return err
	})
}

func bciScoreOf(d *dataset.Data, logp *mat.Dense, temperature float64) (bciScore, error) {
	p := evaluate.Temper(logp, temperature)
	s, err := evaluate.Score(d.Labels, p)
	if err != nil {
		return bciScore{}, err
	}
	risk80, _ := evaluate.PosteriorRisk(d.Labels, p).At(0.8)
	return bciScore{kappa: s.Kappa, risk: 1 - s.Accuracy, risk80: risk80, calibration: s.ECE,
		floor: scoring.CalibrationFloor(p)}, nil
}

// mean returns the mean over the seeds of the score that part selects.
func (o *bciOutcome) mean(method, form int, part func(bciScore) float64) float64 {
	return average(o.values(method, form, part))
}

func (o *bciOutcome) values(method, form int, part func(bciScore) float64) []float64 {
	var v []float64
	for _, s := range o.scores[method][form] {
		v = append(v, part(s))
	}
	return v
}

// best returns the method with the lowest held-out loss in a form. In a tie, the first one wins.
func (o *bciOutcome) best(form int) int {
	best := 0
	for m := range o.chosen {
		if o.chosen[m][form].loss < o.chosen[best][form].loss {
			best = m
		}
	}
	return best
}
