package evaluate

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// maxExactMcNemar is the largest number of discordant observations for which the exact test is used.
const maxExactMcNemar = 1000

// McNemar tests whether two classifiers have the same error rate on one test set (McNemar 1947), given the true labels
// and both decisions. It counts the discordant observations: b are classified correctly only by the first classifier,
// and c only by the second.
//
// If chi2 is false, the two-sided p-value is from the binomial distribution with probability one half, and Statistic
// is min(b, c). If chi2 is true or there are more than 1000 discordant observations, Statistic is (|b-c|-1)²/(b+c),
// with Edwards' continuity correction, and p is from the chi-squared distribution with one degree of freedom. Without
// discordant observations p = 1.
//
// It returns an error if the lengths differ.
func McNemar(truth, first, second []int, chi2 bool) (*TestResult, error) {
	if len(truth) != len(first) || len(truth) != len(second) {
		return nil, fmt.Errorf("McNemar's test: there are %d labels, but %d decisions of the first classifier and %d "+
			"of the second; every observation needs one of each", len(truth), len(first), len(second))
	}
	b, c := 0, 0
	for i, t := range truth {
		switch one, two := first[i] == t, second[i] == t; {
		case one && !two:
			b++
		case two && !one:
			c++
		}
	}
	n := b + c
	r := &TestResult{N: n}
	if !chi2 && n <= maxExactMcNemar {
		r.Exact, r.Method = true, "mcnemar, exact binomial"
		r.Statistic, r.P = float64(min(b, c)), 1
		if n > 0 {
			r.P = math.Min(1, 2*distuv.Binomial{N: float64(n), P: 0.5}.CDF(float64(min(b, c))))
		}
		return r, nil
	}
	r.Method = "mcnemar, chi-squared with continuity correction"
	r.P = 1
	if n > 0 {
		d := math.Max(math.Abs(float64(b-c))-1, 0)
		r.Statistic = d * d / float64(n)
		r.P = distuv.ChiSquared{K: 1}.Survival(r.Statistic)
	}
	return r, nil
}
