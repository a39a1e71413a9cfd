package lvq

import (
	"context"
	"math"
	"math/rand/v2"
	"time"

	"rao"
	"rao/internal/faults"
	"rao/internal/linalg/vec"
	"rao/internal/par"
)

// Each use of random numbers draws from its own stream, so the numbers are independent.
const (
	streamOrder = iota + 1
	streamNoise
	streamSplit
	streamFolds
	streamSeeds
)

// trainer learns prototypes of a space from target probabilities.
type trainer struct {
	opt     *resolved
	space   space
	mix     *mixture
	targets *targets
	train   []int // samples to learn from
	hold    []int // samples of the validation part
	sched   *schedule
	bounds  *bounds // nil without pruning

	eval    evaluator
	pairs   []pair
	done    []bool
	d, f, a []float64
	measure []float64
	slots   []int
	moves   []float64
	work    batchWork

	// watch, if set, is called with the number of completed epochs, starting with 0. If it returns true, training
	// ends.
	watch func(epochs int) (bool, error)

	measured, skipped int // numbers of distances computed, and proved irrelevant
	sparedBefore      int // value of skipped at the end of the last epoch
}

func newTrainer(o *resolved, s space, q *targets, index []int, sigma2 float64) *trainer {
	p := len(o.label)
	t := &trainer{opt: o, space: s, targets: q, sched: newSchedule(o, sigma2),
		mix:  o.mixture(),
		eval: s.evaluator(p), done: make([]bool, p),
		d: make([]float64, p), f: make([]float64, p), a: make([]float64, p), measure: make([]float64, p)}
	if !o.NoPruning && o.Batch == 1 {
		t.bounds = newBounds(s.samples(), p)
	}
	t.train, t.hold = splitValidation(q, index, o)
	return t
}

// run trains for the scheduled epochs, or until the validation cost stops falling, and leaves the best prototypes in
// the space.
func (t *trainer) run(ctx context.Context) (rao.Report, error) {
	start := time.Now()
	report := rao.Report{Status: rao.StatusConverged}
	rng := rand.New(rand.NewPCG(t.opt.Seed, streamOrder))
	order := append([]int(nil), t.train...)
	best := newKeeper(t)
	if err := best.offer(t); err != nil {
		return report, err
	}
	if t.watch != nil {
		if stop, err := t.watch(0); stop || err != nil {
			return report, err
		}
	}
	for epoch := 1; epoch <= t.opt.Epochs; epoch++ {
		t.sched.begin(epoch)
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		cost, err := t.epoch(ctx, order)
		if ctx.Err() != nil {
			report.Status = rao.StatusCanceled
			break
		}
		if err != nil {
			return report, err
		}
		if !vec.Finite(cost) {
			return report, faults.Option("the cost is not finite in epoch %d; lower the rate or raise sigma2", epoch)
		}
		t.sched.end(cost)
		t.reviewPruning(epoch)
		report.Iterations = epoch
		report.Objective = cost
		report.History = append(report.History, cost)
		t.opt.Progress.Send(rao.Event{Stage: "fit", Done: epoch, Total: t.opt.Epochs, Objective: cost})
		if err := best.offer(t); err != nil {
			return report, err
		}
		if t.watch != nil {
			if stop, err := t.watch(epoch); stop || err != nil {
				return report, err
			}
		}
		if best.stale > t.opt.Patience {
			break
		}
	}
	best.settle(t)
	report.Passes = report.Iterations
	report.Evaluations = t.measured
	report.Elapsed = time.Since(start)
	return report, nil
}

// reviewPruning drops the bounds and frees their memory if they save less than a hundredth of the distances and σ²
// does not shrink. This does not change the results.
func (t *trainer) reviewPruning(epoch int) {
	spared := t.skipped - t.sparedBefore
	t.sparedBefore = t.skipped
	if epoch >= 3 && t.opt.Anneal == annealingNone && 100*spared < len(t.train)*len(t.opt.label) {
		t.bounds = nil
	}
}

// epoch processes the samples in order and returns their mean cost, each computed just before its own step.
func (t *trainer) epoch(ctx context.Context, order []int) (float64, error) {
	total := 0.0
	for lo := 0; lo < len(order); lo += t.opt.Batch {
		if lo%256 < t.opt.Batch && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		hi := min(lo+t.opt.Batch, len(order))
		var cost float64
		var err error
		if t.opt.Batch == 1 {
			cost, err = t.sample(order[lo])
		} else {
			cost, err = t.batch(order[lo:hi])
		}
		if err != nil {
			return 0, err
		}
		total += cost
	}
	return total / float64(max(1, len(order))), nil
}

// sample makes one step of stochastic gradient descent on sample i and returns its cost before the step.
func (t *trainer) sample(i int) (float64, error) {
	beta := 0.5 / t.sched.sigma2
	if err := t.distances(i, beta); err != nil {
		return 0, err
	}
	t.mix.joint(t.f, t.d, beta)
	cost, slope := t.mix.coefficients(t.a, t.f, t.d, t.targets.row(i), beta)
	t.slots, t.moves = t.slots[:0], t.moves[:0]
	rate := t.sched.alpha / t.sched.sigma2
	for k, q := range t.pairs {
		a := bounded(rate*t.a[q.prototype], t.opt.MaxStep)
		if a == 0 {
			continue
		}
		t.slots, t.moves = append(t.slots, k), append(t.moves, a)
		if t.bounds != nil {
			t.bounds.moved(q.prototype, math.Abs(a)*math.Sqrt(t.d[q.prototype]))
		}
	}
	t.sched.learn(slope)
	if len(t.slots) == 0 {
		return cost, nil
	}
	return cost, t.eval.move(t.slots, t.moves)
}

// bounded limits a step to the largest one, and drops a step too small to change any bit.
func bounded(a, largest float64) float64 {
	if math.Abs(a) < 1e-18 {
		return 0
	}
	return math.Max(-largest, math.Min(largest, a))
}

// distances sets t.d for sample i. Distances that are provably irrelevant are set to +Inf without computing them;
// t.pairs lists the pairs in the evaluator.
func (t *trainer) distances(i int, beta float64) error {
	for l := range t.d {
		t.d[l], t.done[l] = math.Inf(1), false
	}
	t.pairs = t.pairs[:0]
	if t.bounds == nil {
		for l := range t.d {
			t.pairs = append(t.pairs, pair{i, l})
		}
		return t.fill()
	}
	q := t.targets.row(i)
	if t.bounds.unseen(i) {
		t.pairs = t.bounds.promising(t.pairs, i, t.mix, q, beta, t.done)
		if err := t.fill(); err != nil {
			return err
		}
		t.pairs = t.pairs[:0]
	}
	t.pairs = t.bounds.needed(t.pairs, i, t.mix, q, beta)
	t.skipped += len(t.d) - len(t.pairs)
	return t.fill()
}

// fill computes the distances of t.pairs and stores them by prototype.
func (t *trainer) fill() error {
	if err := t.eval.distances(t.measure[:len(t.pairs)], t.pairs); err != nil {
		return err
	}
	t.measured += len(t.pairs)
	for k, q := range t.pairs {
		t.d[q.prototype] = t.measure[k]
		if t.bounds != nil {
			t.bounds.measured(q, t.measure[k])
		}
	}
	return nil
}

// all writes the squared distances of the given samples to every prototype, one row per sample, on all processors.
func (t *trainer) all(dst []float64, samples []int) error {
	p := len(t.opt.label)
	return measureAll(context.Background(), dst, t.space, samples, p)
}

// measureAll writes the squared distances of the given samples to the p prototypes of a space, one row per sample, on
// all processors.
func measureAll(ctx context.Context, dst []float64, s space, samples []int, p int) error {
	grain := max(1, 64/p)
	workers := par.Workers(len(samples), grain)
	evals := make([]evaluator, workers)
	pairs := make([][]pair, workers)
	err := par.Try(len(samples), grain, func(w, lo, hi int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if evals[w] == nil {
			evals[w] = s.evaluator(grain * p)
		}
		list := pairs[w][:0]
		for _, i := range samples[lo:hi] {
			for l := range p {
				list = append(list, pair{i, l})
			}
		}
		pairs[w] = list
		return evals[w].distances(dst[lo*p:hi*p], list)
	})
	for _, e := range evals {
		if e, ok := e.(*factorEval); ok {
			e.giveBack()
		}
	}
	return err
}
