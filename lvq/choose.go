package lvq

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"rao"
	"rao/internal/indices"
	"rao/internal/par"
	"rao/internal/scoring"
)

// choiceShares lists the candidate values of σ², as fractions of half the median squared distance. Held-out folds
// choose among them.
var choiceShares = []float64{1, 0.2, 0.04}

const (
	choiceEpochs = 30 // longest training among the candidates
	choiceFolds  = 5  // folds if none are requested
)

// learn trains on all samples and calibrates. If no training option is given, it first chooses the training options
// with held-out folds. If ctx is canceled before this is done, the prototypes stay at their start.
func learn(ctx context.Context, src source, o *resolved, q *targets) (*fitted, Calibration, error) {
	all := indices.Range(src.count())
	if !o.choose {
		fit, err := fitSource(ctx, src, o, q, all)
		if err != nil {
			return nil, Calibration{}, err
		}
		k, err := calibration(ctx, o, q, scoreFold(src, o, q), &fit.report)
		return fit, k, err
	}
	way, held, index, err := choose(ctx, src, o, q)
	cut := ctx.Err() != nil
	if err != nil && !cut {
		return nil, Calibration{}, err
	}
	fit, err := way.fit(context.WithoutCancel(ctx), ctx, src, o, q, all)
	if err != nil {
		return nil, Calibration{}, err
	}
	if cut {
		fit.report.Status = rao.StatusCanceled
	}
	if o.CalibrationFolds <= 0 || fit.report.Status == rao.StatusCanceled {
		return fit, uncalibrated(), nil
	}
	return fit, held.finish(indices.Pick(q.labels, index), o.PerClassDispersion), nil
}

// fit trains with these settings. Canceling ctx ends only the training; outer also covers the preparation.
func (c choice) fit(outer, ctx context.Context, src source, o *resolved, q *targets, index []int) (*fitted, error) {
	if c.epochs == 0 {
		still := *o
		still.Noise = 0
		o = &still
	}
	t, err := startTraining(outer, src, o, q, index, c.share)
	if err != nil {
		return nil, err
	}
	t.watch = func(epoch int) (bool, error) { return epoch >= c.epochs, nil }
	fit, err := t.finish(ctx)
	if err == nil && c.epochs == 0 { // without epochs, the cost has not been computed yet
		p := len(o.label)
		fit.report.Objective, err = t.cost(t.train, make([]float64, len(t.train)*p), make([]float64, p))
		fit.report.Objective /= float64(len(t.train))
	}
	return fit, err
}

// choice is a set of training settings: σ² as a fraction of its automatic value, and the epoch after which to stop a
// schedule made for r.Epochs. Without epochs, the prototypes stay at the class means, and the model is the
// minimum-distance-to-mean classifier.
type choice struct {
	share  float64
	epochs int
}

// untrained is the choice without training.
var untrained = choice{share: 1}

// checkpoints returns the epochs at which held-out samples are scored: the start, powers of two and the end.
func checkpoints(epochs int) []int {
	marks := []int{0}
	for e := 1; e < epochs; e *= 2 {
		marks = append(marks, e)
	}
	return append(marks, epochs)
}

// trial contains the held-out scores of one training run: at each checkpoint, the energies d²/(2σ²) of the samples and
// their distances to the nearest prototype.
type trial struct {
	energy [][]float64
	near   [][]float64
}

// choose trains once for every fold and every σ², without the samples of the fold. It returns the settings with the
// smallest held-out cross-entropy, each at its best temperature, with their held-out predictions and the indices of the
// held-out samples. Training must be better than the untrained prototypes by more than one standard error of the paired
// differences.
func choose(ctx context.Context, src source, o *resolved, q *targets) (choice, *heldOut, []int, error) {
	folds, err := o.folds(q)
	if err != nil {
		return untrained, nil, nil, err
	}
	folds = folds[:enoughFolds(folds)]
	trials := make([]*trial, len(folds)*len(choiceShares))
	var mutex sync.Mutex
	done := 0
	err = par.Try(len(trials), 1, func(_, job, _ int) (err error) {
		k := job / len(choiceShares)
		if trials[job], err = tryFold(ctx, src, o, q, folds[k], choiceShares[job%len(choiceShares)]); err != nil {
			err = fmt.Errorf("held-out fold %d of %d: %w", k+1, len(folds), err)
		}
		mutex.Lock()
		defer mutex.Unlock()
		done++
		o.Progress.Send(rao.Event{Stage: "choose on held-out folds", Done: done, Total: len(trials)})
		return err
	})
	if err != nil {
		return untrained, nil, nil, err
	}
	best, held := pick(o, q, folds, trials)
	return best, held, slices.Concat(folds...), nil
}

// enoughFolds returns the number of folds that together have enoughHeld samples, or the number of all folds.
func enoughFolds(folds [][]int) int {
	held := 0
	for k, f := range folds {
		if held += len(f); held >= enoughHeld {
			return k + 1
		}
	}
	return len(folds)
}

// tryFold trains without the samples of test and scores these at every checkpoint.
func tryFold(ctx context.Context, src source, o *resolved, q *targets, test []int, share float64) (*trial, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out := make([]bool, len(q.labels))
	for _, i := range test {
		out[i] = true
	}
	train := slices.DeleteFunc(indices.Range(len(q.labels)), func(i int) bool { return out[i] })
	quiet := *o
	quiet.Progress = nil
	t, err := startTraining(ctx, src, &quiet, q, train, share)
	if err != nil {
		return nil, err
	}
	r, p := &trial{}, len(o.label)
	marks := checkpoints(o.Epochs)
	t.watch = func(epoch int) (bool, error) {
		if !slices.Contains(marks, epoch) {
			return false, nil
		}
		d, near := make([]float64, len(test)*p), make([]float64, len(test))
		if err := t.all(d, test); err != nil {
			return true, err
		}
		energies(d, near, p, t.sched.sigma2)
		r.energy, r.near = append(r.energy, d), append(r.near, near)
		return false, nil
	}
	if _, err := t.run(ctx); err != nil {
		return nil, err
	}
	return r, ctx.Err()
}

// pick compares the training settings on the held-out samples of all folds.
func pick(o *resolved, q *targets, folds [][]int, trials []*trial) (choice, *heldOut) {
	mix := o.mixture()
	var targets []float64
	for _, f := range folds {
		for _, i := range f {
			targets = append(targets, q.row(i)...)
		}
	}
	marks := checkpoints(o.Epochs)
	held := func(s, mark int) *heldOut {
		h := &heldOut{mix: mix, q: targets}
		for k := range folds {
			t := trials[k*len(choiceShares)+s]
			h.energy, h.near = append(h.energy, t.energy[mark]...), append(h.near, t.near[mark]...)
		}
		return h
	}
	best, bestHeld := untrained, held(0, 0)
	start := bestHeld.losses()
	least := 0.0 // lowest mean loss, minus the loss at the start
	for s, share := range choiceShares {
		for mark := 1; mark < len(marks); mark++ {
			h := held(s, mark)
			loss := h.losses()
			if d, se := scoring.PairedDifference(loss, start); d < least && -d > se {
				best, bestHeld, least = choice{share, marks[mark]}, h, d
			}
		}
	}
	return best, bestHeld
}

// losses returns the cross-entropy of every held-out sample at the best temperature.
func (h *heldOut) losses() []float64 {
	k := h.fit(false)
	p, c := len(h.mix.label), h.mix.classes
	logp, out := make([]float64, c), make([]float64, len(h.near))
	for i := range out {
		k.apply(logp, h.energy[i*p:(i+1)*p], h.mix)
		for y, q := range h.q[i*c : (i+1)*c] {
			if q > 0 {
				out[i] -= q * logp[y]
			}
		}
	}
	return out
}
