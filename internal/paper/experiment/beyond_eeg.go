package experiment

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/dataset"
	"rao/evaluate"
	"rao/internal/classifiers"
	"rao/internal/indices"
	"rao/internal/scoring"
	"rao/report"
)

const beyondEEGProtocol = "The data are subjects A01 to A09 of BCI competition IV, set 2a: 22×22 covariances of 288 " +
	"trials in each session, with four imagined movements. Methods learn on session T and are tested on session E, " +
	"and the other way around. Scores are Cohen's kappa. All settings are defaults of rao. A short run has " +
	"subject A01."

var beyondEEGNotes = []string{
	"The defaults were chosen on both sessions of A01 to A05 among about 240 settings. Nothing was chosen on A06 to " +
		"A09.",
	"\"Centered\" centers each session by its own mean. The page docs/guide-eeg-adapt.md describes the other " +
		"adaptations.",
	"With causal adaptation, each decision uses only its own trial and earlier trials.",
	"Thinned sessions E have all trials of the first and the last class, half of the second and a quarter of the " +
		"third, in four rotations and five draws. Their score is the balanced accuracy b above chance, (b − " +
		"1/4)/(3/4).",
}

// beyondEEG compares the adaptations from session T to E and from E to T.
func beyondEEG(ctx context.Context, r *Run) error {
	subjects, err := r.openSubjects(ctx, 1)
	if err != nil {
		return err
	}
	methods := []learner{{"ENuc", 0, fitENuc}, {"TSLDA", 0, fitTSLDA}, {"MDM", 0, fitMDM}}
	means := map[string]float64{}
	var bars []report.Bar
	logp := map[string][]*mat.Dense{}
	for _, direction := range []string{"T to E", "E to T"} {
		caption := "Kappa, trained on session " + direction[:1] + " and tested on session " + direction[5:]
		t := r.Table("kappa-"+direction[:1], caption,
			header(subjects, []string{"method", "adaptation", "what it uses of the new session"}, "mean")...)
		for i, m := range methods {
			for _, a := range adaptations {
				row, mean := []any{m.label, a.label, a.uses}, 0.0
				for _, s := range subjects {
					from, to := s.train, s.test
					if direction == "E to T" {
						from, to = s.test, s.train
					}
					p, err := a.transfer(ctx, m.fit, from, to)
					if err != nil {
						return fmt.Errorf("%s, %s: %w", s.name, m.label, err)
					}
					if i == 0 && direction == "T to E" {
						logp[a.label] = append(logp[a.label], p)
					}
					kappa := kappaOn(to, p)
					row = append(row, fmt.Sprintf("%.3f", kappa))
					mean += kappa / float64(len(subjects))
				}
				t.Add(append(row, fmt.Sprintf("%.3f", mean))...)
				means[direction+m.label+a.label] = mean
				if direction == "T to E" {
					bars = append(bars, exactBar(m.label+", "+a.label, mean, i == 0))
				}
			}
			r.progress("methods, "+direction, i+1, len(methods))
		}
	}
	r.bars("kappa", "Mean kappa, session T to E", bars, report.Axis{Label: "kappa"})
	for _, m := range []struct {
		label string
		least float64
	}{{"as recorded", 0.55}, {"centered", 0.60}, {"smooth centering", 0.61}, {"causal centering", 0.60},
		{"causal bias, rate 0.2", 0.60}} {
		got := means["T to EENuc"+m.label]
		r.Claim(fmt.Sprintf("With the adaptation %q, ENuc has a mean kappa of at least %.2f on session E", m.label,
			m.least), got >= m.least, "%.3f", got).Needs(!r.Short)
	}
	if err := r.beyondCalibration(ctx, subjects, logp); err != nil {
		return err
	}
	return r.beyondThinned(ctx, subjects)
}

// beyondCalibration measures the calibration of ENuc's probabilities on session E.
func (r *Run) beyondCalibration(ctx context.Context, subjects []*bciSession, logp map[string][]*mat.Dense) error {
	t := r.Table("calibration", "Calibration error of ENuc on session E, 15 bins", "adaptation", "temperature",
		"all subjects together", "mean of subjects", "log loss")
	marks := map[string]float64{"as recorded": 0.035, "centered": 0.05}
	for _, a := range adaptations[:2] {
		plain, err := untempered(ctx, a, subjects)
		if err != nil {
			return err
		}
		for _, c := range []struct {
			label string
			logp  []*mat.Dense
		}{{"1", plain}, {"chosen on folds of session T", logp[a.label]}} {
			pooled, mean, loss, err := pooledCalibration(subjects, c.logp)
			if err != nil {
				return err
			}
			t.Add(a.label, c.label, fmt.Sprintf("%.3f", pooled), fmt.Sprintf("%.3f", mean), fmt.Sprintf("%.3f", loss))
			if c.label != "1" {
				r.Claim(fmt.Sprintf("With the adaptation %q, the calibration error of ENuc for all subjects together "+
					"is at "+
					"most %g",
					a.label, marks[a.label]), pooled <= marks[a.label], "%.3f", pooled)
			}
		}
	}
	return nil
}

// untempered returns ENuc's log-probabilities at temperature 1.
func untempered(ctx context.Context, a adaptation, subjects []*bciSession) ([]*mat.Dense, error) {
	var out []*mat.Dense
	for _, s := range subjects {
		p, err := a.transfer(ctx, func(ctx context.Context, d *dataset.Data, _ uint64) (matrixClassifier, error) {
			return classifiers.FitENuc(ctx, d.Stack, d.Labels, d.Classes, classifiers.ENucOptions{Folds: -1})
		}, s.train, s.test)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// pooledCalibration returns the calibration error of all rows together, the mean of the subjects' calibration errors,
// and the mean log loss.
func pooledCalibration(subjects []*bciSession, logp []*mat.Dense) (pooled, mean, loss float64, err error) {
	n, all := float64(len(subjects)), scoring.NewScorer(logp[0].RawMatrix().Cols)
	for k, s := range subjects {
		own, err := evaluate.Score(s.test.Labels, logp[k])
		if err := cmp.Or(err, all.Add(s.test.Labels, logp[k], nil)); err != nil {
			return 0, 0, 0, err
		}
		mean, loss = mean+own.ECE/n, loss+own.LogLoss/n
	}
	return all.Scores().ECE, mean, loss, nil
}

// beyondThinned shows what happens if the class proportions of the new session differ.
func (r *Run) beyondThinned(ctx context.Context, subjects []*bciSession) error {
	shares := []float64{1, 0.5, 0.25, 1}
	draws := r.Pick(5, 1)
	t := r.Table("thinned", "Balanced accuracy of ENuc above chance if the classes of session E have the ratio 1 : "+
		"1/2 : 1/4 : 1", "adaptation", "balanced classes", "thinned", "lost")
	for i, a := range adaptations {
		var before, after float64
		runs := float64(len(subjects) * len(shares) * draws)
		for k, s := range subjects {
			m, err := a.learn(ctx, fitENuc, s.train)
			if err != nil {
				return err
			}
			p, err := a.predict(ctx, m, s.train, s.test)
			if err != nil {
				return err
			}
			before += aboveChance(s.test, p) / float64(len(subjects))
			for rotation := range shares {
				for draw := range draws {
					kept := s.test.Subset(thinnedRows(s.test, shares, rotation, r.Seed+uint64(100*k+10*rotation+draw)))
					if p, err = a.predict(ctx, m, s.train, kept); err != nil {
						return err
					}
					after += aboveChance(kept, p) / runs
				}
			}
		}
		t.Add(a.label, fmt.Sprintf("%.3f", before), fmt.Sprintf("%.3f", after), fmt.Sprintf("%.3f", before-after))
		r.progress("thinned", i+1, len(adaptations))
	}
	return nil
}

func aboveChance(s *dataset.Data, logp *mat.Dense) float64 {
	c := float64(len(s.Classes))
	return (scoring.BalancedAccuracy(s.Labels, evaluate.MostProbable(logp), len(s.Classes)) - 1/c) / (1 - 1/c)
}

// thinnedRows draws the rows to keep and returns them in their order. Class k keeps the fraction shares[k+rotation],
// with the index modulo the number of shares.
func thinnedRows(s *dataset.Data, shares []float64, rotation int, seed uint64) []int {
	rng := rand.New(rand.NewPCG(seed, 71))
	var kept []int
	for k, rows := range indices.Groups(s.Labels, len(s.Classes)) {
		rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		kept = append(kept, rows[:int(shares[(k+rotation)%len(shares)]*float64(len(rows)))]...)
	}
	slices.Sort(kept)
	return kept
}
