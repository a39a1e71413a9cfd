package lvq

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"

	"rao/internal/linalg/vec"
)

// bounds contains lower and upper bounds of the distance of every sample to every prototype, without an
// eigendecomposition. A prototype that has moved by r in total since the distance was d is at a distance of d ± r from
// the sample (triangle inequality), so two numbers per pair stay valid while prototypes move:
//
//	low  = d + travelled then:  δ ≥ low − travelled now
//	high = d − travelled then:  δ ≤ high + travelled now
//
// A pair for which no distance has been computed starts at the log-Euclidean lower bound ‖log X − log W‖ ≤ δ(X, W)
// (exponential metric increasing) or at 0, and without an upper bound.
type bounds struct {
	p         int
	low, high []float32 // n×p, rounded to the safe side
	travelled []float64 // p: length of each prototype's path so far
	seeded    bool      // low started from log-Euclidean bounds
}

// boundSlack allows for rounding errors of a distance compared with its bound.
const boundSlack = 1e-6

func newBounds(n, p int) *bounds {
	b := &bounds{p: p, low: make([]float32, n*p), high: make([]float32, n*p), travelled: make([]float64, p)}
	for i := range b.high {
		b.high[i] = float32(math.Inf(1))
	}
	return b
}

// measured records the squared distance d of a pair.
func (b *bounds) measured(q pair, d float64) {
	k := q.sample*b.p + q.prototype
	d = math.Sqrt(d)
	b.low[k], b.high[k] = below(d+b.travelled[q.prototype]), above(d-b.travelled[q.prototype])
}

// below rounds down to single precision, and above rounds up.
func below(v float64) float32 {
	f := float32(v)
	if float64(f) > v {
		f = math.Nextafter32(f, float32(math.Inf(-1)))
	}
	return f
}

func above(v float64) float32 { return -below(-v) }

// lower returns a lower bound of the squared distance, upper an upper bound.
func (b *bounds) lower(q pair) float64 {
	d := float64(b.low[q.sample*b.p+q.prototype]) - b.travelled[q.prototype]
	d = math.Max(0, d*(1-boundSlack)-boundSlack)
	return d * d
}

func (b *bounds) upper(q pair) float64 {
	d := float64(b.high[q.sample*b.p+q.prototype]) + b.travelled[q.prototype]
	d = math.Max(0, d)*(1+boundSlack) + boundSlack
	return d * d
}

// moved adds to the path of prototype l.
func (b *bounds) moved(l int, length float64) {
	b.travelled[l] += length * (1 + boundSlack)
}

// needed appends the pairs of sample i with a prototype that may matter. These are the pairs that are not provably
// negligible compared with the largest weight overall or, if the class of the prototype has a positive target, with
// the largest weight of that class. Every other pair has a weight of exactly zero in coefficients.
func (b *bounds) needed(dst []pair, i int, m *mixture, q []float64, beta float64) []pair {
	all := math.Inf(-1)
	for l := range m.label {
		all = math.Max(all, m.logPrior[l]-beta*b.upper(pair{i, l}))
	}
	for l, c := range m.label {
		most := m.logPrior[l] - beta*b.lower(pair{i, l})
		if most >= all-negligible-1 || q[c] > 0 && most >= b.best(i, c, m, beta)-negligible-1 {
			dst = append(dst, pair{i, l})
		}
	}
	return dst
}

// best returns a lower bound of the largest log weight of sample i in class c.
func (b *bounds) best(i, c int, m *mixture, beta float64) float64 {
	top := math.Inf(-1)
	for l, k := range m.label {
		if k == c {
			top = math.Max(top, m.logPrior[l]-beta*b.upper(pair{i, l}))
		}
	}
	return top
}

// promising appends, for a sample without a computed distance to some prototype, the pair with the largest possible
// weight overall and the pair with the largest possible weight in every class with a positive target. After the
// distances of these pairs have been computed, most other pairs can be excluded.
func (b *bounds) promising(dst []pair, i int, m *mixture, q []float64, beta float64, done []bool) []pair {
	for c := -1; c < len(q); c++ {
		if c >= 0 && q[c] == 0 {
			continue
		}
		best, top := -1, math.Inf(-1)
		for l, k := range m.label {
			if c >= 0 && k != c {
				continue
			}
			if v := m.logPrior[l] - beta*b.lower(pair{i, l}); v > top {
				best, top = l, v
			}
		}
		if best >= 0 && !done[best] {
			done[best] = true
			dst = append(dst, pair{i, best})
		}
	}
	return dst
}

// unseen reports whether sample i has informative lower bounds but no finite upper bound yet.
func (b *bounds) unseen(i int) bool {
	if !b.seeded {
		return false
	}
	for _, v := range b.high[i*b.p : (i+1)*b.p] {
		if v <= math.MaxFloat32 {
			return false
		}
	}
	return true
}

// seedBounds sets the lower bounds to distances in the flat space below the metric. This saves time if the prototypes
// do not fit in one batch of the kernels.
func (m *matrices) seedBounds(b *bounds, s space, sigma2 float64) error {
	flat := m.metric.Below()
	if m.flat != nil || flat == nil || b.p <= seedBoundsAbove {
		return nil
	}
	prototypes, err := m.stack(s)
	if err != nil {
		return err
	}
	w, err := flat.Vectors(context.Background(), prototypes, "prototype")
	if err != nil {
		return err
	}
	const grain = 1024
	dim := vec.PackedLen(m.x.Dim)
	for lo := 0; lo < m.x.Count; lo += grain {
		hi := min(lo+grain, m.x.Count)
		rows, err := flat.Vectors(context.Background(), m.x.Slice(lo, hi), "matrix")
		if err != nil {
			return err
		}
		if lo == 0 && !promisesPruning(rows, w, dim, sigma2) {
			return nil
		}
		for i := range hi - lo {
			for l := range b.p {
				d := vec.SquaredDistance(rows[i*dim:(i+1)*dim], w[l*dim:(l+1)*dim])
				b.low[(lo+i)*b.p+l] = below(math.Sqrt(d))
			}
		}
	}
	b.seeded = true
	return nil
}

// seedBoundsAbove is the largest number of prototypes for which pruning starts without bounds. With more prototypes, it
// computes logarithms to get bounds before the first epoch; with fewer, the distances of the first epoch are just as
// good.
const seedBoundsAbove = 8

// promisesPruning estimates from some samples, with log-Euclidean distances, whether a twentieth of the pairs is
// negligible. If not, more logarithms would be wasted, and the bounds start at 0, which is also correct.
func promisesPruning(rows, w []float64, dim int, sigma2 float64) bool {
	p := len(w) / dim
	d := make([]float64, p)
	far, all := 0, 0
	for ; len(rows) >= dim; rows = rows[dim:] {
		for l := range d {
			d[l] = vec.SquaredDistance(rows[:dim], w[l*dim:(l+1)*dim])
		}
		near := d[floats.MinIdx(d)]
		for _, v := range d {
			if v-near > 2*sigma2*negligible {
				far++
			}
		}
		all += p
	}
	return 20*far > all
}
