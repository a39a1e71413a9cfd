package scoring

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rao"
)

// Threshold returns the threshold on the probability of the last of two classes that maximizes a rule on labeled
// observations. The rule is accuracy, balanced_accuracy, kappa, f1 (of the last class), or cost:R, where a missed
// observation of the last class costs R times as much as a false alarm. value is the value of the rule at the
// threshold; for cost:R it is the negative cost per observation.
//
// It tries the midpoints between neighboring probabilities. In a tie, it returns the threshold with the fewest
// decisions for the last class. Weights must be finite and not negative; nil means that all are 1. It returns an error
// unless there are two classes and both occur, for a NaN, and for an unknown rule. It panics with mat.ErrShape if the
// lengths differ. The cost is N log N.
func Threshold(truth []int, logPosterior *mat.Dense, weights []float64,
	rule string) (threshold, value float64, err error) {
	of, err := thresholdRule(rule)
	if err != nil {
		return 0, 0, err
	}
	n, c := logPosterior.Dims()
	if c != 2 {
		return 0, 0, fmt.Errorf("a threshold needs exactly two classes, not %d", c)
	}
	if len(truth) != n || weights != nil && len(weights) != n {
		panic(mat.ErrShape)
	}
	type scored struct {
		p, w  float64
		truth int
	}
	all, positives := make([]scored, n), 0
	confusion := squares(2)
	for i, l := range truth {
		if err := scorable(i, l, logPosterior.RawRowView(i)); err != nil {
			return 0, 0, err
		}
		all[i] = scored{math.Exp(logPosterior.At(i, 1)), 1, l}
		if weights != nil {
			all[i].w = weights[i]
		}
		confusion[l][0] += all[i].w
		positives += l
	}
	if positives == 0 || positives == n {
		return 0, 0, fmt.Errorf("a threshold needs observations of both classes, but the last class has %d of %d; "+
			"add data", positives, n)
	}
	slices.SortStableFunc(all, func(a, b scored) int { return cmp.Compare(b.p, a.p) })
	threshold, value = 1, of(confusion)
	for i, s := range all {
		confusion[s.truth][0] -= s.w
		confusion[s.truth][1] += s.w
		next := 0.0
		if i+1 < n {
			next = all[i+1].p
		}
		if next == s.p {
			continue
		}
		if v := of(confusion); v > value {
			threshold, value = next+(s.p-next)/2, v
		}
	}
	return max(threshold, math.SmallestNonzeroFloat64), value, nil
}

// thresholdRule returns the function that evaluates a confusion matrix by a rule; larger values are better. A
// [Measurer] needs the predictions for its measures, but the search only updates a confusion matrix of weights.
func thresholdRule(rule string) (func(confusion [][]float64) float64, error) {
	if text, ok := strings.CutPrefix(rule, "cost:"); ok {
		ratio, err := strconv.ParseFloat(text, 64)
		if err != nil || !(ratio > 0 && ratio <= 1e9) {
			return nil, fmt.Errorf("the rule %q is not cost:R with a number R above 0 and at most 1e9", rule)
		}
		return func(c [][]float64) float64 {
			return -(ratio*c[1][0] + c[0][1]) / (c[0][0] + c[0][1] + c[1][0] + c[1][1])
		}, nil
	}
	switch rule {
	case "accuracy":
		return func(c [][]float64) float64 {
			return (c[0][0] + c[1][1]) / (c[0][0] + c[0][1] + c[1][0] + c[1][1])
		}, nil
	case "balanced_accuracy":
		return balanced[float64], nil
	case "kappa":
		return kappa[float64], nil
	case "f1":
		return func(c [][]float64) float64 { return 2 * c[1][1] / (2*c[1][1] + c[0][1] + c[1][0]) }, nil
	}
	return nil, &rao.UnknownError{Kind: "rule for a threshold", Name: rule,
		Known: []string{"accuracy", "balanced_accuracy", "kappa", "f1", "cost:R"}}
}

// CheckThresholdRule returns an error if rule is not one of the rules of [Threshold].
func CheckThresholdRule(rule string) error {
	_, err := thresholdRule(rule)
	return err
}
