package sqfa

import (
	"math"
	"slices"

	"rao/gaussian"
	"rao/internal/classcolumns"
	"rao/internal/linalg/vec"
)

// smoothing is added inside the square root of a distance,
//
//	d ← sqrt(d² + 1e-6),
//
// so classes that coincide still have a gradient. The public Python package of SQFA uses the same value.
const smoothing = 1e-6

// objective is a dissimilarity and an aggregation: the function to maximize.
type objective struct {
	kind   Aggregation
	b      float64 // sharpness; 1 for Bayes
	pairs  *gaussian.Pairs
	log    []float64 // logarithm of each pair's weight
	values []float64 // dissimilarities at the last value
	slopes []float64 // derivatives of the objective with respect to values; then the share of the far pairs, if any
	far    *pooled   // approximates the pairs that are not in the list; nil: they do not count
	means  []float64 // means at the last value
	total  float64   // logarithm of the sum at the last value
}

// newObjective returns an objective for c classes and m features, over the pairs of the options.
func newObjective(o plan, c, m int) *objective {
	list := o.pairs
	if list == nil {
		list = o.rivals(c)
	}
	n := len(list)
	j := &objective{kind: o.Aggregate, b: o.sharpness(), pairs: o.Distance.Pairs(list, c, m, smoothing),
		log: make([]float64, n), values: make([]float64, n), slopes: make([]float64, n)}
	if o.Pooled && o.pairs != nil {
		j.far = newPooled(o, list, c, m)
		j.slopes = append(j.slopes, 0)
	}
	weigh, sum := o.weight(c), 0.0
	for p, x := range list {
		j.log[p] = weigh(x.I, x.J)
		sum += math.Exp(j.log[p])
	}
	for p := range j.log {
		j.log[p] += o.normalization(n, sum)
	}
	return j
}

// sharpness returns the b of the exponential sums.
func (o Options) sharpness() float64 {
	if o.Aggregate == aggregationBayes {
		return 1
	}
	return o.Sharpness
}

// weight returns the logarithm of the weight of a pair as a function of its classes, before normalization: the
// product of their priors, or of the powers of the priors in the bound.
func (o Options) weight(c int) func(i, k int) float64 {
	share, s, t := o.shares(c), 1.0, 1.0
	if o.Aggregate == aggregationBayes {
		how, _ := o.Distance.Measure() // checkObjective has found it
		s, t = 1-how.Weight, how.Weight
	}
	return func(i, k int) float64 { return s*math.Log(share[i]) + t*math.Log(share[k]) }
}

// normalization returns the term to add to the logarithms of the weights of n pairs with the given sum. The weights of
// a mean sum to one, and the weights of softmin are one if the priors are equal. For the bound, the term is 0.
func (o Options) normalization(n int, sum float64) float64 {
	switch o.Aggregate {
	case aggregationMean:
		return -math.Log(sum)
	case aggregationSoftMin:
		return math.Log(float64(n)) - math.Log(sum)
	}
	return 0
}

// shares returns the priors scaled to sum to one.
func (o Options) shares(c int) []float64 {
	weights := o.Priors
	if weights == nil {
		weights = slices.Repeat([]float64{1}, c)
	}
	return classcolumns.Shares(make([]int, c), weights)
}

// value computes the objective from means (c×m) and covariances (c×m×m).
func (j *objective) value(means, covs []float64) (float64, error) {
	if err := j.pairs.Values(j.values, means, covs); err != nil {
		return math.NaN(), err
	}
	if j.kind == aggregationMean {
		var s float64
		for p, d := range j.values {
			w := math.Exp(j.log[p])
			j.slopes[p] = w
			s += w * d
		}
		return s, nil
	}
	for p, d := range j.values { // -(1/b) log Σ w exp(-b d)
		j.slopes[p] = j.log[p] - j.b*d
	}
	if j.far != nil {
		far, err := j.far.log(means, covs)
		if err != nil {
			return math.NaN(), err
		}
		j.slopes[len(j.values)] = far
	}
	top, sum := vec.ExpFromTop(j.slopes)
	for p := range j.slopes {
		j.slopes[p] /= sum
	}
	j.means, j.total = means, top+math.Log(sum)
	return -j.total / j.b, nil
}

// gradient writes the gradient of the objective at the arguments of the last call of value.
func (j *objective) gradient(gradMeans, gradCovs []float64) {
	clear(gradMeans)
	clear(gradCovs)
	j.pairs.Gradient(gradMeans, gradCovs, j.slopes[:len(j.values)])
	if j.far != nil {
		j.far.gradient(gradMeans, gradCovs, j.means, j.total)
	}
}
