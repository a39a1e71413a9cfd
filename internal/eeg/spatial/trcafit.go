package spatial

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/evaluate"
	"rao/internal/optionvalues"
	"rao/internal/par"
	"rao/internal/scoring"
	"rao/method"
)

type trcaOptions struct {
	ofTrials
	Bands    optionvalues.AutoCount `opt:"band-count" default:"auto" min:"1" max:"1000" help:"number of bands of a trial, stored one after the other; auto reads it from the recipe in a file, and uses 1 for arrays"`
	Ensemble bool                   `opt:"ensemble" default:"true" help:"score each class through the filters of all classes, not only through its own"`
}

// fitTRCA learns filters and mean trials, and the scale that converts scores to calibrated probabilities.
func fitTRCA(ctx context.Context, f *method.Job, o *trcaOptions) error {
	d, m := f.Data, f.Model
	t, err := o.trials(f)
	if err != nil {
		return fmt.Errorf("%s: %w", d.Source, err)
	}
	if err := describe(f, t); err != nil {
		return fmt.Errorf("%s: %w", d.Source, err)
	}
	opt := *o
	if opt.Bands == 0 {
		opt.Bands = optionvalues.AutoCount(max(1, bandsOf(m.Input.Recipe)))
	}
	stage, err := FitTRCA(ctx, t, d.Labels, d.Classes, opt)
	if err != nil {
		return fmt.Errorf("%s: %w", d.Source, err)
	}
	scale, right, err := scaleOf(ctx, t, d.Labels, d.Classes, opt)
	if err != nil {
		return fmt.Errorf("%s: %w", d.Source, err)
	}
	classes, count := len(d.Classes), float64(len(d.Labels))
	chance := count / float64(classes)
	warning := ""
	switch {
	case right < 0:
		warning = "a class has only two trials, so the probabilities are not calibrated"
	case float64(right) < chance+2*math.Sqrt(chance*(1-1/float64(classes))):
		warning = fmt.Sprintf("trials of the same class are not similar: only %d of %d training trials are decided "+
			"correctly when they are left out; trca needs responses that start at the same phase in every trial", right,
			len(d.Labels))
	}
	if warning != "" {
		m.Notes, m.Warnings = append(m.Notes, warning), append(m.Warnings, warning)
	}
	l := &classify.Logistic{Classes: d.Classes, Coefficients: mat.NewDense(classes, classes, nil),
		Intercepts: make([]float64, classes), C: 1, Report: closed}
	for c := range classes {
		l.Coefficients.Set(c, c, scale)
	}
	m.Stages, m.Classifier = append(m.Stages, stage), l
	return l.Validate()
}

// scaleOf returns the factor for the scores before the softmax that gives the best probabilities. It is estimated
// from the scores of held-out trials, in up to ten folds. right is the number of held-out trials with the highest
// score for their class. If a class has only two trials, nothing can be held out, and right is −1.
func scaleOf(ctx context.Context, t Trials, labels []int, classes []string,
	opt trcaOptions) (scale float64, right int, err error) {
	members, err := t.check(labels, classes, nil)
	if err != nil {
		return 0, 0, err
	}
	parts := 10
	for _, of := range members {
		parts = min(parts, len(of))
	}
	if parts < 3 {
		return 1, -1, ctx.Err()
	}
	part := make([]int, len(labels))
	for _, of := range members {
		for i, k := range of {
			part[k] = i % parts
		}
	}
	scores := mat.NewDense(len(labels), len(classes), nil)
	err = par.Steps(parts, func(p int) error {
		var in, out, truth []int
		for k := range labels {
			if part[k] == p {
				out = append(out, k)
			} else {
				in, truth = append(in, k), append(truth, labels[k])
			}
		}
		m, err := FitTRCA(ctx, t.centered(in), truth, classes, opt)
		if err != nil {
			return err
		}
		var z mat.Dense
		if err := m.Scores(&z, t.centered(out).X); err != nil {
			return err
		}
		for i, k := range out {
			row := z.RawRowView(i)
			scores.SetRow(k, row)
			if floats.MaxIdx(row) == labels[k] {
				right++
			}
		}
		return nil
	})
	if err != nil {
		return 0, 0, err
	}
	// As in Platt scaling, no target is certain. Otherwise probabilities could reach 1 if all scores are right.
	n := float64(len(labels))
	doubt := 1 / (n + float64(len(classes)))
	temperature := scoring.FitTemperature(func(temperature float64) float64 {
		loss := 0.0
		for k, label := range labels {
			z := scores.RawRowView(k)
			for c, v := range evaluate.Temper(mat.NewDense(1, len(z), z), temperature).RawRowView(0) {
				if c == label {
					loss -= (1 - float64(len(classes)-1)*doubt) * v
				} else {
					loss -= doubt * v
				}
			}
		}
		return loss
	})
	return 1 / temperature, right, nil
}
