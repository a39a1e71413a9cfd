package lvq

import (
	"math"

	"rao/internal/par"
)

// batchWork is the memory of mini-batch steps, kept between them.
type batchWork struct {
	evals  []evaluator
	pairs  [][]pair
	d      []float64   // samples × prototypes
	sums   [][]float64 // per chunk: tangent vectors of all prototypes
	totals [][]float64 // per chunk: Σ|a| of every prototype
	costs  []float64
	slopes []float64
	failed []error
	f, a   [][]float64 // per worker
}

// batchGrain returns the number of samples per chunk: enough pairs to fill the lanes of the kernels. It depends only
// on the problem.
func batchGrain(p int) int { return max(1, 32/p) }

func (w *batchWork) reserve(k, p, frame int, s space) {
	grain := batchGrain(p)
	chunks, workers := par.Chunks(k, grain), par.Workers(k, grain)
	for len(w.evals) < workers {
		w.evals = append(w.evals, s.evaluator(grain*p))
		w.pairs = append(w.pairs, nil)
		w.f, w.a = append(w.f, make([]float64, p)), append(w.a, make([]float64, grain*p))
	}
	for len(w.sums) < chunks {
		w.sums = append(w.sums, make([]float64, p*frame))
		w.totals = append(w.totals, make([]float64, p))
		w.costs, w.slopes = append(w.costs, 0), append(w.slopes, 0)
		w.failed = append(w.failed, nil)
	}
	if len(w.d) < k*p {
		w.d = make([]float64, k*p)
	}
}

// batch makes one step for several samples together: every prototype moves along the sum of its tangent vectors a_i
// Log_W X_i, which is the sum of single steps to first order in the rate. It returns the sum of the costs before the
// step.
func (t *trainer) batch(samples []int) (float64, error) {
	p, frame := len(t.opt.label), t.space.frame()
	w := &t.work
	w.reserve(len(samples), p, frame, t.space)
	grain, beta := batchGrain(p), 0.5/t.sched.sigma2
	par.For(len(samples), grain, func(worker, lo, hi int) {
		t.chunk(worker, lo/grain, samples[lo:hi], w.d[lo*p:hi*p], beta)
	})
	cost, slope := 0.0, 0.0
	for c := range par.Chunks(len(samples), grain) {
		if w.failed[c] != nil {
			return 0, w.failed[c]
		}
		cost, slope = cost+w.costs[c], slope+w.slopes[c]
		if c == 0 {
			continue
		}
		for k, v := range w.sums[c] {
			w.sums[0][k] += v
		}
		for l, v := range w.totals[c] {
			w.totals[0][l] += v
		}
	}
	t.measured += len(samples) * p
	t.sched.learn(slope)
	return cost, t.applyAll(w.sums[0], w.totals[0], frame)
}

// chunk computes the distances of some samples of a batch and adds up their pulls.
func (t *trainer) chunk(worker, c int, samples []int, d []float64, beta float64) {
	p := len(t.opt.label)
	w := &t.work
	list := w.pairs[worker][:0]
	for _, i := range samples {
		for l := range p {
			list = append(list, pair{i, l})
		}
	}
	w.pairs[worker] = list
	e, f, a := w.evals[worker], w.f[worker], w.a[worker]
	clear(w.sums[c])
	clear(w.totals[c])
	w.costs[c], w.slopes[c] = 0, 0
	if w.failed[c] = e.distances(d, list); w.failed[c] != nil {
		return
	}
	rate := t.sched.alpha / t.sched.sigma2
	for s, i := range samples {
		row := d[s*p : (s+1)*p]
		pull := a[s*p : (s+1)*p]
		t.mix.joint(f, row, beta)
		cost, slope := t.mix.coefficients(pull, f, row, t.targets.row(i), beta)
		w.costs[c] += cost
		w.slopes[c] += slope
		for l := range pull {
			pull[l] *= rate
			w.totals[c][l] += math.Abs(pull[l])
		}
	}
	e.accumulate(w.sums[c], a[:len(samples)*p])
}

// applyAll moves every prototype along its tangent vector, which is shortened to keep the sum of the coefficients at
// or below MaxStep.
func (t *trainer) applyAll(sums, totals []float64, frame int) error {
	for l, total := range totals {
		if total == 0 {
			continue
		}
		tangent := sums[l*frame : (l+1)*frame]
		if total > t.opt.MaxStep {
			scaleTo(tangent, tangent, t.opt.MaxStep/total)
		}
		length, err := t.space.apply(l, tangent)
		if err != nil {
			return err
		}
		if t.bounds != nil {
			t.bounds.moved(l, length)
		}
	}
	return nil
}
