package scoring

import (
	"fmt"
	"math"
	"rao/internal/linalg/vec"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Superiority is the result of testing whether one method scores higher than another across subjects.
type Superiority struct {
	P      float64 `json:"p"`      // one-sided p-value, above 0 and below 1
	Effect float64 `json:"effect"` // mean difference divided by its standard deviation; infinite if that is 0
	N      int     `json:"n"`      // number of subjects
	Method string  `json:"method"` // description of the test
}

// maxFlips is the largest number of subjects for which all sign patterns are tried.
const maxFlips = 20

// Superior tests whether the scores a are higher than the scores b of the same subjects, like MOABB's meta-analysis for
// one data set. For up to 20 subjects it is an exact permutation test: the p-value is the fraction of the 2ⁿ sign
// patterns of the differences with at least the observed sum. For more subjects, it is half the p-value of [SignedRank]
// without continuity correction or, if the sum is negative, one minus this value. A p-value of 1 is reduced by one sign
// pattern, because [Stouffer] needs a value below 1. The cost is at most 2²⁰ sums.
//
// It returns an error if the lengths differ or are zero, or a score is not finite.
func Superior(a, b []float64) (*Superiority, error) {
	if len(a) != len(b) || len(a) == 0 {
		return nil, fmt.Errorf("superiority: the number of first scores is %d, and the number of second scores is "+
			"%d; give one pair per subject, and at least one", len(a), len(b))
	}
	d, mean, largest := make([]float64, len(a)), 0.0, 0.0
	for i := range d {
		d[i] = a[i] - b[i]
		if d[i]-d[i] != 0 {
			return nil, fmt.Errorf("superiority: pair %d (%g and %g) is not finite; leave it out", i, a[i], b[i])
		}
		mean += d[i] / float64(len(d))
		largest = math.Max(largest, math.Abs(d[i]))
	}
	s := &Superiority{N: len(d), Effect: standardized(d, mean)}
	switch {
	case largest == 0:
		s.P, s.Method = 0.5, "no difference"
		if len(d) <= maxFlips {
			s.P = 1 - math.Ldexp(1, -len(d))
		}
	case len(d) <= maxFlips:
		s.P, s.Method = flips(d, 1e-12*largest), "all signs of the differences"
	default:
		_, p, _, method := SignedRank(slices.DeleteFunc(d, func(v float64) bool { return v == 0 }), 0)
		s.P, s.Method = p/2, method+", one-sided"
		if mean < 0 {
			s.P = 1 - s.P
		}
		s.P = math.Min(math.Max(s.P, math.SmallestNonzeroFloat64), math.Nextafter(1, 0))
	}
	return s, nil
}

// standardized returns the mean of d divided by the standard deviation of d.
func standardized(d []float64, mean float64) float64 {
	var ss float64
	same := true
	for _, v := range d {
		ss += (v - mean) * (v - mean)
		same = same && v == d[0]
	}
	switch {
	case same && d[0] == 0:
		return 0
	case same:
		return math.Copysign(math.Inf(1), d[0])
	}
	return mean / math.Sqrt(ss/float64(len(d)-1))
}

// flips returns the fraction of sign patterns of d with a sum of at least the sum of d, allowing for rounding. The
// fraction is always below 1.
func flips(d []float64, rounding float64) float64 {
	sum := vec.Total(d)
	n, all := 0, 1<<len(d)
	for choice := range all {
		v := sum
		for i, x := range d {
			if choice>>i&1 == 1 {
				v -= 2 * x
			}
		}
		if v >= sum-rounding {
			n++
		}
	}
	return float64(min(n, all-1)) / float64(all)
}

// Stouffer combines the one-sided p-values of several data sets by a weighted sum of their normal quantiles (Stouffer
// and others 1949). The weights are the square roots of the numbers of subjects, as in MOABB's meta-analysis. A
// single p-value is returned unchanged.
//
// It returns an error if the lengths differ or are zero, a p-value is not strictly between 0 and 1, or a number of
// subjects is below one.
func Stouffer(p []float64, subjects []int) (float64, error) {
	if len(p) != len(subjects) || len(p) == 0 {
		return 0, fmt.Errorf("the method of Stouffer: there are %d p-values but %d numbers of subjects; every "+
			"p-value needs one", len(p), len(subjects))
	}
	var sum, squares float64
	for i, v := range p {
		if !(v > 0 && v < 1) || subjects[i] < 1 {
			return 0, fmt.Errorf("the method of Stouffer: the p-value is %g and the number of subjects %d; the "+
				"p-value must be above 0 and below 1, and at least one subject is needed", v, subjects[i])
		}
		sum -= math.Sqrt(float64(subjects[i])) * distuv.UnitNormal.Quantile(v)
		squares += float64(subjects[i])
	}
	if len(p) == 1 {
		return p[0], nil
	}
	return distuv.UnitNormal.Survival(sum / math.Sqrt(squares)), nil
}

// MeanEffect returns the mean of the effects of several data sets, weighted as in [Stouffer].
func MeanEffect(effects []float64, subjects []int) float64 {
	var sum, weights float64
	for i, e := range effects {
		w := math.Sqrt(float64(subjects[i]))
		sum += w * e
		weights += w
	}
	return sum / weights
}
