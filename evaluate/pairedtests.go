package evaluate

import (
	"cmp"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"rao/internal/faults"
	"rao/internal/indices"
	"rao/internal/linalg/vec"
	"rao/internal/scoring"
)

// TestResult is the result of a hypothesis test.
type TestResult struct {
	Statistic float64 `json:"statistic"` // as described at each test
	P         float64 `json:"p"`         // two-sided
	Exact     bool    `json:"exact"`     // P is from the exact distribution, not an approximation
	N         int     `json:"n"`         // number of pairs, observations or differences that Statistic is based on
	Method    string  `json:"method"`    // description of the test
}

// Wilcoxon performs the two-sided paired signed-rank test (Wilcoxon 1945) of the hypothesis that the differences a_k -
// b_k are symmetric about zero. Statistic is the smaller of the sum of the ranks of the positive differences and the
// sum of the ranks of the negative differences. Pairs with equal values are left out.
//
// The p-value is exact for up to 50 remaining pairs if no two absolute differences are equal. Otherwise it is the
// normal approximation with corrections for ties and continuity, as in scipy.stats.wilcoxon with correction=True.
//
// It returns an error if the lengths differ, a value is not finite, or all pairs are equal.
func Wilcoxon(a, b []float64) (*TestResult, error) {
	if len(a) != len(b) {
		return nil, faults.Count(len(b), len(a), "Wilcoxon test: the number of first values is %d, but the number of "+
			"second values is %d; give as many of each", len(a), len(b))
	}
	var d []float64
	for i := range a {
		v := a[i] - b[i]
		if !vec.Finite(v) {
			return nil, faults.Data("Wilcoxon test: pair %d (%g and %g) is not finite; leave it out", i, a[i], b[i])
		}
		if v != 0 {
			d = append(d, v)
		}
	}
	if len(d) == 0 {
		return nil, faults.Data("Wilcoxon test: none of the %d pairs differs, so there is nothing to test", len(a))
	}
	r := &TestResult{N: len(d)}
	r.Statistic, r.P, r.Exact, r.Method = scoring.SignedRank(d, 0.5)
	return r, nil
}

// CorrectedResampledT performs the t test of Nadeau and Bengio (2003). It compares two methods by the differences of
// their scores over repeated random splits of one data set, or over the folds of one or more cross-validations:
//
//	t = mean(d) / √((1/J + n_test/n_train) var(d)),  J - 1 degrees of freedom
//
// Because the training sets overlap, the uncorrected test has too many false positives. train and test are the numbers
// of training and test observations of a split. It returns an error for fewer than two differences, values that are not
// finite, or sizes that are not positive. If all differences are equal, p is 1 if they are zero and 0 otherwise.
func CorrectedResampledT(differences []float64, train, test int) (*TestResult, error) {
	j := len(differences)
	if j < 2 {
		return nil, faults.Count(j, 2, "corrected t test: at least 2 differences are needed, not %d", j)
	}
	if train < 1 || test < 1 {
		return nil, faults.Option("corrected t test: there are %d training and %d test observations; both numbers "+
			"must be positive", train, test)
	}
	mean := 0.0
	for i, d := range differences {
		if !vec.Finite(d) {
			return nil, faults.Data("corrected t test: difference %d is %g; it must be finite", i, d)
		}
		mean += d / float64(j)
	}
	variance := 0.0
	for _, d := range differences {
		variance += (d - mean) * (d - mean) / float64(j-1)
	}
	r := &TestResult{N: j, Method: "corrected resampled t", Exact: false}
	if mean == 0 {
		r.P = 1
		return r, nil
	}
	r.Statistic = mean / math.Sqrt((1/float64(j)+float64(test)/float64(train))*variance)
	r.P = 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(j - 1)}.Survival(math.Abs(r.Statistic))
	return r, nil
}

// Holm adjusts p-values for testing several hypotheses at once (Holm 1979): the k-th smallest of m is multiplied by
// m-k+1, and the products are made monotone and limited to one. If you reject the hypotheses with adjusted values of
// at most α, the probability of any false rejection is at most α. The result is in the order of the input. It returns
// an error for a value outside [0,1].
func Holm(p []float64) ([]float64, error) {
	for i, v := range p {
		if !(v >= 0 && v <= 1) {
			return nil, faults.Data("Holm correction: p-value %d is %g; it must be between 0 and 1", i, v)
		}
	}
	order := indices.Sorted(len(p), func(i, j int) int { return cmp.Compare(p[i], p[j]) })
	out, running := make([]float64, len(p)), 0.0
	for k, i := range order {
		running = math.Max(running, math.Min(1, float64(len(p)-k)*p[i]))
		out[i] = running
	}
	return out, nil
}
