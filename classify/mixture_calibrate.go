package classify

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/evaluate"
	"rao/gaussian"
	"rao/internal/indices"
	"rao/internal/subclasses"
)

// calibrationFolds is the number of folds used to fit the temperature.
const calibrationFolds = 5

// Calibrate sets the temperature from the N×n training rows x and their labels. It assigns each row to its most likely
// component. It then re-estimates the components five times, each time without one fifth of the rows, and chooses the
// temperature that maximizes the log-probability of the held-out labels. opt should contain the options of the fit. It
// returns an error if a class has fewer than five rows, or if a component cannot be estimated from the remaining rows.
// If ctx is canceled, it returns the error of ctx.
func (m *Mixture) Calibrate(ctx context.Context, x mat.Matrix, labels []int, seed uint64, opt MixtureOptions) error {
	k, n := len(m.Of), m.Covariances.Dim
	folds, err := evaluate.StratifiedKFold(labels, calibrationFolds, seed)
	if err != nil {
		return fmt.Errorf("calibration: %w", err)
	}
	opt.Progress.Send(rao.Event{Stage: "components of the rows"})
	member, err := m.members(ctx, x, labels)
	if err != nil {
		return err
	}
	joint := make([]int, len(member))
	for f, fold := range folds {
		for _, r := range fold.Test {
			joint[r] = f*k + member[r]
		}
	}
	a := gaussian.NewAccumulator(n, k*len(folds))
	if err := a.Add(x, joint); err != nil {
		return fmt.Errorf("calibration: %w", err)
	}
	all, err := a.Finish(nil)
	if err != nil {
		return err
	}
	parts := make([]*gaussian.Statistics, len(folds))
	for f := range parts {
		parts[f] = &gaussian.Statistics{Classes: all.Classes[:k], Counts: all.Counts[f*k : (f+1)*k], Dim: n,
			Means: all.Means[f*k*n : (f+1)*k*n], Covariances: all.Covariances[f*k*n*n : (f+1)*k*n*n]}
	}
	held := mat.NewDense(len(labels), len(m.Classes), nil)
	const stage = "calibrate on held-out folds"
	opt.Progress.Send(rao.Event{Stage: stage, Total: len(folds)})
	for f, fold := range folds {
		train, err := gaussian.Merge(append(append([]*gaussian.Statistics(nil), parts[:f]...), parts[f+1:]...)...)
		if err != nil {
			return err
		}
		if err := m.judge(ctx, held, train, x, fold.Test, opt); err != nil {
			return err
		}
		opt.Progress.Send(rao.Event{Stage: stage, Done: f + 1, Total: len(folds)})
	}
	m.Temperature, err = evaluate.Temperature(labels, held)
	return err
}

// members returns for each row the component of its class with the highest score.
func (m *Mixture) members(ctx context.Context, x mat.Matrix, labels []int) ([]int, error) {
	own := *m // with every component as a separate class
	own.Classes, own.Of, own.Temperature = make([]string, len(m.Of)), indices.Range(len(m.Of)), 1
	own.first = firstOf(own.Of, len(own.Of))
	var scores mat.Dense
	if err := own.LogPosterior(ctx, &scores, x); err != nil {
		return nil, err
	}
	member := make([]int, len(labels))
	for r, l := range labels {
		best := -1
		for j, i := range m.Of {
			if i == l && (best < 0 || scores.At(r, j) > scores.At(r, best)) {
				best = j
			}
		}
		member[r] = best
	}
	return member, nil
}

// judge writes the log-posteriors of the rows under the components of train, leaving out components without rows.
func (m *Mixture) judge(ctx context.Context, held *mat.Dense, train *gaussian.Statistics, x mat.Matrix, index []int,
	opt MixtureOptions) error {
	n := m.Covariances.Dim
	s := &gaussian.Statistics{Dim: n}
	var of []int
	for j, i := range m.Of {
		if train.Counts[j] > 0 {
			s.Classes, s.Counts = append(s.Classes, train.Classes[j]), append(s.Counts, train.Counts[j])
			s.Means, s.Covariances = append(s.Means, train.Mean(j)...),
				append(s.Covariances, train.Covariance(j).RawSymmetric().Data...)
			of = append(of, i)
		}
	}
	fold, err := FitMixture(subclasses.Shrink(s, of), of, m.Classes, opt)
	if err != nil {
		return fmt.Errorf("calibration with four fifths of the rows: %w", err)
	}
	z := mat.NewDense(len(index), n, nil)
	for a, r := range index {
		for j := range n {
			z.Set(a, j, x.At(r, j))
		}
	}
	var p mat.Dense
	if err := fold.LogPosterior(ctx, &p, z); err != nil {
		return err
	}
	for a, r := range index {
		held.SetRow(r, p.RawRowView(a))
	}
	return nil
}
