package sqfa

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/gaussian"
	"rao/internal/classcolumns"
	"rao/internal/linalg/vec"
)

// nearIterations is the number of iterations after which a fit on near pairs checks all pairs again.
const nearIterations = 25

// rivals lists all pairs of classes, except components of the same mixture.
func (o Options) rivals(c int) []gaussian.Pair {
	list := make([]gaussian.Pair, 0, classcolumns.NumPairs(c))
	for i := range c {
		for k := i + 1; k < c; k++ {
			if o.apart(i, k) {
				list = append(list, gaussian.Pair{I: i, J: k})
			}
		}
	}
	return list
}

// apart reports whether two classes belong to different mixtures.
func (o Options) apart(i, k int) bool { return o.Of == nil || o.Of[i] != o.Of[k] }

// choosing reports whether the fit uses only near pairs. This is the case if they are at most a third of all pairs or,
// with the pooled covariance for the remaining pairs, fewer than all.
func (o Options) choosing(c int) bool {
	most := 3 * o.Near * c
	if o.Pooled {
		most = o.Near * c // the largest possible number
	}
	return o.Near > 0 && o.numRivals(c) > most
}

// numRivals counts the pairs of classes, except components of the same mixture.
func (o Options) numRivals(c int) int {
	n := classcolumns.NumPairs(c)
	sizes := map[int]int{}
	for _, g := range o.Of {
		n -= sizes[g] // pairs with earlier components of the same mixture
		sizes[g]++
	}
	return n
}

// surveyPairs is the number of pairs of matrices that a survey has in memory at a time.
const surveyPairs = 1 << 13

// survey computes the objective over all pairs of rivals, even if the options select fewer pairs. It also lists the
// near pairs, in which one class is among the Near nearest rivals of the other. Rivals are ranked by the terms of the
// sum, largest first, or by the dissimilarities of a mean, smallest first. features are the statistics of the features,
// including the noise.
func survey(o plan, features *gaussian.Statistics) (value float64, near []gaussian.Pair, err error) {
	c, m := features.NumClasses(), features.Dim
	weigh, b := o.weight(c), o.sharpness()
	keep := newNearest(c, o.Near)
	var sum, weights float64
	log, count := math.Inf(-1), 0
	values := make([]float64, 0, surveyPairs)
	for list := range slices.Chunk(o.rivals(c), surveyPairs) {
		values = values[:len(list)]
		pairs := o.Distance.Pairs(list, c, m, smoothing)
		if err := pairs.Values(values, features.Means, features.Covariances); err != nil {
			return math.NaN(), nil, err
		}
		for p, d := range values {
			w := weigh(list[p].I, list[p].J)
			score := d
			if o.Aggregate != aggregationMean {
				score = d - w/b
				log = vec.LogAdd(log, w-b*d) // the values of all pairs are not kept
			}
			sum += math.Exp(w) * d
			weights += math.Exp(w)
			keep.offer(list[p], score)
		}
		count += len(list)
	}
	if o.Aggregate == aggregationMean {
		return sum / weights, keep.pairs(), nil
	}
	return -(log + o.normalization(count, weights)) / b, keep.pairs(), nil
}

// nearest keeps, for each class, the rivals with the smallest scores.
type nearest struct {
	size   int
	rivals [][]int // by class, smallest score first
	scores [][]float64
}

func newNearest(c, size int) *nearest {
	return &nearest{size: size, rivals: make([][]int, c), scores: make([][]float64, c)}
}

func (n *nearest) offer(p gaussian.Pair, score float64) {
	n.insert(p.I, p.J, score)
	n.insert(p.J, p.I, score)
}

func (n *nearest) insert(class, rival int, score float64) {
	s := n.scores[class]
	at := len(s)
	for at > 0 && s[at-1] > score {
		at--
	}
	if at == n.size {
		return
	}
	if len(s) == n.size {
		n.scores[class], n.rivals[class] = s[:len(s)-1], n.rivals[class][:len(s)-1]
	}
	n.scores[class] = slices.Insert(n.scores[class], at, score)
	n.rivals[class] = slices.Insert(n.rivals[class], at, rival)
}

// pairs lists every pair of a class and one of its rivals once, in the order of the classes.
func (n *nearest) pairs() []gaussian.Pair {
	var list []gaussian.Pair
	for i, rivals := range n.rivals {
		for _, k := range rivals {
			list = append(list, gaussian.Pair{I: min(i, k), J: max(i, k)})
		}
	}
	return joined(list, nil)
}

// featuresOf returns the statistics of the features of the filters, n×m, with the noise.
func featuresOf(stats *gaussian.Statistics, filters []float64, m int, noise float64) *gaussian.Statistics {
	s := stats.Project(mat.NewDense(stats.Dim, m, filters))
	s.AddNoise(noise)
	return s
}

// learner learns k filters next to p fixed ones (n×p) from the start (n×k).
type learner func(opt plan, fixed []float64, p int, start []float64) (*groupResult, error)

// near runs learn on near pairs. After every round, pairs that have become near are added, as in a cutting-plane
// method, until a round converges and there are no new pairs. It returns the best of all rounds. The objective and the
// history of the result include all pairs. The history has the objective at the start of each round and at the end.
func (learn learner) near(ctx context.Context, stats *gaussian.Statistics, opt plan, fixed []float64, p int,
	start []float64) (*groupResult, error) {
	n := stats.Dim
	k := len(start) / n
	out := &groupResult{report: rao.Report{Objective: math.Inf(-1)}}
	r := &out.report
	next, left := start, opt.MaxIter
	var list []gaussian.Pair
	for {
		value, near, err := survey(opt, featuresOf(stats, joinColumns(fixed, p, next, k, n), p+k, opt.Noise))
		if err != nil {
			return nil, err
		}
		r.Passes++
		r.History = append(r.History, value)
		if value > r.Objective {
			r.Objective, out.filters = value, next
		}
		before := len(list)
		list = joined(list, near)
		ended := r.Status != rao.StatusUnset && r.Status != rao.StatusMaxIterations
		if r.Status == rao.StatusCanceled || left < 1 || ended && len(list) == before {
			return out, nil
		}
		o := opt
		o.pairs, o.MaxIter = list, min(left, nearIterations)
		res, err := learn(o, fixed, p, next)
		if err != nil {
			return nil, err
		}
		next = res.filters
		left -= res.report.Iterations
		r.Iterations += res.report.Iterations
		r.Evaluations += res.report.Evaluations
		r.Passes += res.report.Passes
		r.Status, r.GradientNorm = res.report.Status, res.report.GradientNorm
	}
}

// joined returns the pairs of two lists, each once, in the order of the classes.
func joined(a, b []gaussian.Pair) []gaussian.Pair {
	list := slices.Concat(a, b)
	slices.SortFunc(list, func(a, b gaussian.Pair) int {
		if a.I != b.I {
			return a.I - b.I
		}
		return a.J - b.J
	})
	return slices.Compact(list)
}
