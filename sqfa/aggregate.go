package sqfa

import (
	"math"

	"rao/gaussian"
)

// objective is a dissimilarity with an aggregation: the number to maximize.
type objective struct {
	kind   Aggregation
	b      float64 // sharpness, 1 for Bayes
	pairs  *gaussian.Pairs
	log    []float64 // logarithm of each pair's weight
	values []float64 // dissimilarities of the last value
	slopes []float64 // derivatives of the objective in them
}

// newObjective prepares an objective for c classes and m features.
func newObjective(o Options, c, m int) *objective {
	n := gaussian.NumPairs(c)
	j := &objective{kind: o.Aggregate, b: o.Sharpness, pairs: o.Distance.Pairs(c, m, gaussian.Smoothing),
		log: make([]float64, n), values: make([]float64, n), slopes: make([]float64, n)}
	if o.Aggregate == Bayes {
		j.b = 1
	}
	share := o.shares(c)
	s := 0.5
	if o.Distance.Name == "chernoff" && o.Distance.S != 0 {
		s = o.Distance.S
	}
	var sum float64
	for p, i := range firstOf(c) {
		k := p - gaussian.PairIndex(i, i+1, c) + i + 1
		w := share[i] * share[k]
		if o.Aggregate == Bayes {
			w = math.Pow(share[i], s) * math.Pow(share[k], 1-s)
		}
		j.log[p] = math.Log(w)
		sum += w
	}
	for p := range j.log {
		switch o.Aggregate {
		case Mean: // weights sum to one
			j.log[p] -= math.Log(sum)
		case SoftMin: // weights are one when the priors are equal
			j.log[p] += math.Log(float64(n)) - math.Log(sum)
		}
	}
	return j
}

// firstOf returns the first class of every pair.
func firstOf(c int) []int {
	out := make([]int, 0, gaussian.NumPairs(c))
	for i := range c {
		for k := i + 1; k < c; k++ {
			out = append(out, i)
		}
	}
	return out
}

// shares returns the priors scaled to sum to one.
func (o Options) shares(c int) []float64 {
	p := make([]float64, c)
	var sum float64
	for i := range p {
		p[i] = 1
		if o.Priors != nil {
			p[i] = o.Priors[i]
		}
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

// value computes the objective from means (c×m) and covariances (c×m×m).
func (j *objective) value(means, covs []float64) (float64, error) {
	if err := j.pairs.Values(j.values, means, covs); err != nil {
		return math.NaN(), err
	}
	if j.kind == Mean {
		var s float64
		for p, d := range j.values {
			w := math.Exp(j.log[p])
			j.slopes[p] = w
			s += w * d
		}
		return s, nil
	}
	// -(1/b) log Σ w exp(-b d), by the largest term
	top := math.Inf(-1)
	for p, d := range j.values {
		j.slopes[p] = j.log[p] - j.b*d
		top = math.Max(top, j.slopes[p])
	}
	var sum float64
	for p, e := range j.slopes {
		j.slopes[p] = math.Exp(e - top)
		sum += j.slopes[p]
	}
	for p := range j.slopes {
		j.slopes[p] /= sum
	}
	return -(top + math.Log(sum)) / j.b, nil
}

// gradient writes the gradient of the objective at the last value.
func (j *objective) gradient(gradMeans, gradCovs []float64) {
	clear(gradMeans)
	clear(gradCovs)
	j.pairs.Gradient(gradMeans, gradCovs, j.slopes)
}
