package experiment

import (
	"context"
	"fmt"

	"rao/report"
)

// objectivesProtocol is the protocol of the study of objectives.
const objectivesProtocol = "We compare filters that maximize the mean Calvo-Oller, exact Fisher-Rao or Bhattacharyya " +
	"distance over pairs of classes with filters that minimize the union bound on the Bayes error. Each objective " +
	"runs once with the noise of the task, and once with a noise chosen on training data. "

var objectivesNotes = []string{
	"The chosen noise is the best of 0.01, 0.1, 1 and 10 times the noise of the task on a held-out fifth of the " +
		"training data.",
	"v1 (section 2.4) asks whether better approximations of the Fisher-Rao distance improve SQFA. v1 and v3 (section " +
		"2.3) say that they cost more.",
}

// objective is an objective of SQFA, with the options that select it.
type objective struct {
	label   string
	changes []setting
}

var objectives = []objective{
	{"Calvo-Oller", []setting{{"distance", "calvo_oller"}, {"aggregate", "mean"}}},
	{"exact Fisher-Rao", []setting{{"distance", "fisher_rao"}, {"aggregate", "mean"}}},
	{"Bhattacharyya", []setting{{"distance", "bhattacharyya"}, {"aggregate", "mean"}}},
	{"Bayes bound", []setting{{"aggregate", "bayes"}, {"pairs", "all"}}},
}

// compareObjectives returns an experiment that compares the objectives on the named data set.
func compareObjectives(name string) func(context.Context, *Run) error {
	return func(ctx context.Context, r *Run) error {
		t := taskOf(name)
		l, err := t.few(ctx, r)
		if err != nil {
			return err
		}
		t.filters = r.Pick(t.filters, 4)
		inner, err := l.heldOut(r.Seed)
		if err != nil {
			return err
		}
		var fixed, chosen []*outcome
		picked := r.Table("noise", "Noise chosen from four values on a held-out fifth of the training data",
			"objective", "noise", "held-out accuracy, %")
		for k, obj := range objectives {
			o, err := t.objective(ctx, r, l, obj, t.noise)
			if err != nil {
				return err
			}
			fixed = append(fixed, o)
			best, accuracy := 0.0, -1.0
			for _, factor := range noiseGrid(r) {
				v, err := t.objective(ctx, r, inner, obj, factor*t.noise)
				if err != nil {
					return err
				}
				if v.accuracy() > accuracy {
					best, accuracy = factor*t.noise, v.accuracy()
				}
			}
			picked.Add(obj.label, best, 100*accuracy)
			if o, err = t.objective(ctx, r, l, obj, best); err != nil {
				return err
			}
			chosen = append(chosen, o)
			r.progress("objectives", k+1, len(objectives))
		}
		axis := report.Axis{Label: "accuracy", Percent: true}
		r.compare("fixed", fmt.Sprintf("Test accuracy by objective, noise %g", t.noise), fixed, axis)
		r.compare("chosen", "Test accuracy by objective, noise chosen on the training data", chosen, axis)
		return nil
	}
}

// noiseGrid returns the noise levels to try, as multiples of the noise of the task.
func noiseGrid(r *Run) []float64 {
	if r.Short {
		return []float64{0.1, 1}
	}
	return []float64{0.01, 0.1, 1, 10}
}

// objective fits one objective at a noise level.
func (t task) objective(ctx context.Context, r *Run, l *labeled, obj objective, noise float64) (*outcome, error) {
	set := append([]setting{{"filters", fmt.Sprint(t.filters)}, {"noise", number(noise)}, {"init", "pca"}}, t.common...)
	if t.groups > 0 {
		set = append(set, setting{"pairwise", fmt.Sprint(t.groups)})
	}
	return r.fitted(ctx, l, obj.label, "sqfa", append(set, obj.changes...)...)
}

// heldOut splits the training data into four fifths for learning and one fifth for choices.
func (l *labeled) heldOut(seed uint64) (*labeled, error) {
	train, test, err := holdOut(l.train, 0.2, seed)
	return estimated(&labeled{train: train, test: test}, err)
}
