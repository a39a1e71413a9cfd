package explain

import (
	"context"
	"fmt"
	"math"

	"rao/model"
)

// UnsupportedError means that there is no exact explanation for the decisions of a model.
type UnsupportedError struct{ Reason string }

// Error returns the reason.
func (e *UnsupportedError) Error() string { return e.Reason }

// Explanation explains why a class was preferred to the runner-up. Its terms add up to the log-odds.
type Explanation struct {
	Label    string  `json:"label"`
	RunnerUp string  `json:"runner_up"`
	LogOdds  float64 `json:"log_odds"` // log P(label) - log P(runner-up)

	// Constant, Terms, Pairs and Input are set for quadratic and linear classifiers and for mixtures. Constant is the
	// part of the log-odds that belongs to no filter, Terms are the terms of single filters (or columns), and Pairs are
	// the terms of pairs. Only in mixtures with several components per class does Constant depend on the observation.
	Constant *float64   `json:"constant,omitempty"`
	Terms    []Term     `json:"terms,omitempty"`
	Pairs    []PairTerm `json:"pairs,omitempty"`
	Input    *Slope     `json:"input,omitempty"`

	// Components is set for mixtures of Gaussians. It splits the same log-odds into the components of the two classes.
	Components []ComponentTerm `json:"components,omitempty"`

	// Sources is set for spatial patterns. It has the term of each source, in addition to the constant.
	Sources []SourceTerm `json:"sources,omitempty"`

	// Prototypes is set for means and prototypes of matrices. It compares the matrix with the nearest mean or prototype
	// of each of the two classes.
	Prototypes []PrototypeView `json:"prototypes,omitempty"`

	Note string `json:"note,omitempty"` // why there are no terms
}

// Term is the contribution of a single filter or column.
type Term struct {
	Filter  int     `json:"filter"`
	Feature float64 `json:"feature"` // the response of the filter
	LogOdds float64 `json:"log_odds"`
}

// PairTerm is the contribution of a pair of filters.
type PairTerm struct {
	Filters [2]int  `json:"filters"`
	LogOdds float64 `json:"log_odds"`
}

// ComponentTerm is the contribution of one component of a mixture: its share in the density of its class times the
// logarithm of that density.
type ComponentTerm struct {
	Class     string  `json:"class"`
	Component int     `json:"component"` // index within its class
	Share     float64 `json:"share"`
	LogOdds   float64 `json:"log_odds"`
}

// SourceTerm is a spatial pattern of a class with its contribution.
type SourceTerm struct {
	Class    string    `json:"class"`
	Weight   float64   `json:"weight"`  // eigenvalue of the coefficients of the class
	Feature  float64   `json:"feature"` // the matrix logarithm along the source; 0 at the mean of the training data
	LogOdds  float64   `json:"log_odds"`
	Filter   []float64 `json:"filter"`
	Pattern  []float64 `json:"pattern"`
	Channels []string  `json:"channels,omitempty"`
}

// Slope is the derivative of the log-odds with respect to the values of the observation.
type Slope struct {
	Shape    []int     `json:"shape"`
	Gradient []float64 `json:"gradient"`
}

// PrototypeView compares the matrix X with the nearest prototype W of a class. It contains the logarithms of the
// generalized eigenvalues of X v = λ W v in descending order of |log λ|, and the patterns W v of the first of these. In
// the affine-invariant metric the squares of the logarithms add up to the squared distance; for other metrics the terms
// are [spd.Metric.Term].
type PrototypeView struct {
	Class     string      `json:"class"`
	Prototype int         `json:"prototype"`
	Distance  float64     `json:"distance"`
	LogRatios []float64   `json:"log_ratios"`
	Patterns  [][]float64 `json:"patterns"`
	Channels  []string    `json:"channels,omitempty"`
}

// patterns is the number of patterns in a [PrototypeView].
const patterns = 3

// All explains the decisions p of m on the observations in b. It returns an [UnsupportedError] if the decisions of m
// are not sums of terms.
func All(ctx context.Context, m *model.Model, b model.Batch, p *model.Prediction) ([]Explanation, error) {
	z, err := m.AtClassifier(ctx, b)
	if err != nil {
		return nil, err
	}
	e := entryOf(m.Classifier)
	if e == nil {
		return nil, &UnsupportedError{fmt.Sprintf("decisions of the %s model cannot be explained exactly; choose a "+
			"quadratic or linear classifier, a mixture of Gaussians, enuc, or prototypes in the affine-invariant "+
			"metric", m.Method)}
	}
	items := make([]Explanation, len(p.Label))
	for i, top := range p.Label {
		logp := p.LogPosterior.RawRowView(i)
		next := runnerUp(logp, top)
		x := &items[i]
		x.Label, x.RunnerUp, x.LogOdds = m.Classes[top], m.Classes[next], logp[top]-logp[next]
		err = e.explain(x, decision{ctx, m, z, i, top, next})
		if err != nil {
			return nil, err
		}
		if x.Input != nil {
			x.Input.backpropagate(m)
		}
		if x.Constant != nil {
			x.settle(m)
		}
	}
	return items, nil
}

// Rest returns the log-odds minus the constant, which must not be nil, and all terms. In the explanations of [All], it
// is zero up to rounding.
func (x *Explanation) Rest() float64 {
	rest := x.LogOdds - *x.Constant
	for _, t := range x.Terms {
		rest -= t.LogOdds
	}
	for _, t := range x.Pairs {
		rest -= t.LogOdds
	}
	for _, t := range x.Sources {
		rest -= t.LogOdds
	}
	return rest
}

// settle makes the terms add up to the log-odds. If the intercepts adapt to the recording, it adds their change to the
// constant. If the decision does not follow from the terms alone, it removes them and adds a note.
func (x *Explanation) settle(m *model.Model) {
	rest := x.Rest()
	if a := model.StageOf[*model.Adaptation](m); a != nil && a.How == "bias" {
		*x.Constant += rest
		return
	}
	if math.Abs(rest) <= 1e-6*(1+math.Abs(x.LogOdds)) {
		return
	}
	*x = Explanation{Label: x.Label, RunnerUp: x.RunnerUp, LogOdds: x.LogOdds, Note: "the model did not decide by " +
		"its classifier alone: the observation is too far from the training data, or the model adapts to the recording"}
}

// runnerUp returns the class other than top with the largest value, or 0 if top is the only class.
func runnerUp(logp []float64, top int) int {
	next := -1
	for j, v := range logp {
		if j != top && (next < 0 || v > logp[next]) {
			next = j
		}
	}
	return max(next, 0)
}
