package lvq

import (
	"math"
	"math/rand/v2"
)

// keeper stores the prototypes with the lowest cost on the validation part.
type keeper struct {
	state  []float64
	sigma2 float64
	cost   float64
	stale  int // epochs since the lowest cost
	d, f   []float64
}

func newKeeper(t *trainer) *keeper {
	p := len(t.opt.label)
	return &keeper{cost: math.Inf(1), d: make([]float64, len(t.hold)*p), f: make([]float64, p)}
}

// offer computes the validation cost and stores the prototypes if the cost is the lowest so far. It does nothing
// without a validation part.
func (k *keeper) offer(t *trainer) error {
	if len(t.hold) == 0 {
		return nil
	}
	cost, err := t.cost(t.hold, k.d, k.f)
	if err != nil {
		return err
	}
	if cost < k.cost {
		k.cost, k.stale, k.sigma2 = cost, 0, t.sched.sigma2
		k.state = t.space.snapshot(k.state[:0])
		return nil
	}
	k.stale++
	return nil
}

// cost returns the total cost of the samples for the current prototypes; d has room for their distances and f for one
// value per prototype.
func (t *trainer) cost(samples []int, d, f []float64) (float64, error) {
	if err := t.all(d, samples); err != nil {
		return 0, err
	}
	cost, p := 0.0, len(f)
	beta := 0.5 / t.sched.sigma2
	for s, i := range samples {
		row := d[s*p : (s+1)*p]
		t.mix.joint(f, row, beta)
		own, _ := t.mix.coefficients(t.a, f, row, t.targets.row(i), beta)
		cost += own
	}
	return cost, nil
}

// settle restores the best prototypes, if any were stored.
func (k *keeper) settle(t *trainer) {
	if k.state != nil {
		t.space.restore(k.state)
		t.sched.sigma2 = k.sigma2
	}
}

// splitValidation draws the validation part of the samples of index, stratified by their most probable class. It
// returns the samples to learn from and the held-out samples, in the order of index. At least one sample of each class
// is left to learn from.
func splitValidation(q *targets, index []int, o *resolved) (train, hold []int) {
	if o.Validation == 0 {
		return index, nil
	}
	held := make(map[int]bool)
	rng := rand.New(rand.NewPCG(o.Seed, streamSplit))
	for _, m := range o.members(q.labels, index) {
		rng.Shuffle(len(m), func(i, j int) { m[i], m[j] = m[j], m[i] })
		count := min(int(math.Round(o.Validation*float64(len(m)))), len(m)-1)
		for _, i := range m[:max(0, count)] {
			held[i] = true
		}
	}
	for _, i := range index {
		if held[i] {
			hold = append(hold, i)
		} else {
			train = append(train, i)
		}
	}
	return train, hold
}
