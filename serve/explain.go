package serve

import (
	"context"
	"fmt"
	"math"
	"net/http"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/lvq"
	"rao/model"
)

// explainedRows is how many observations one request may ask to be explained.
const explainedRows = 256

// explanation says why a class was preferred to the runner-up, exactly: the terms add up to
// the log-odds.
type explanation struct {
	Label    string  `json:"label"`
	RunnerUp string  `json:"runner_up"`
	LogOdds  float64 `json:"log_odds"` // log P(label) - log P(runner-up)

	// Of filters, or columns, with a quadratic or linear classifier: what each adds alone,
	// what pairs add together, and what all observations have in common.
	Constant *float64    `json:"constant,omitempty"`
	Terms    []term      `json:"terms,omitempty"`
	Pairs    []pairTerm  `json:"pairs,omitempty"`
	Input    *inputSlope `json:"input,omitempty"`

	// Of mixtures of Gaussians: the same log-odds as a sum over the components of the two
	// classes.
	Components []componentTerm `json:"components,omitempty"`

	// Of spatial patterns: what each source adds, beside the constant.
	Sources []sourceTerm `json:"sources,omitempty"`

	// Of matrices: how they lie to the nearest mean or prototype of each of the two classes.
	Prototypes []prototypeView `json:"prototypes,omitempty"`

	Pictures []picture `json:"pictures,omitempty"` // maps of the scalp
	Note     string    `json:"note,omitempty"`     // why there are no terms
}

type term struct {
	Filter  int     `json:"filter"`
	Feature float64 `json:"feature"` // the response
	LogOdds float64 `json:"log_odds"`
}

type pairTerm struct {
	Filters [2]int  `json:"filters"`
	LogOdds float64 `json:"log_odds"`
}

// componentTerm is what one component of a mixture adds: its share in the density of its
// class, times the logarithm of that density.
type componentTerm struct {
	Class     string  `json:"class"`
	Component int     `json:"component"` // among those of its class
	Share     float64 `json:"share"`
	LogOdds   float64 `json:"log_odds"`
}

// sourceTerm is a spatial pattern of a class, and what it adds.
type sourceTerm struct {
	Class    string    `json:"class"`
	Weight   float64   `json:"weight"`  // of the class's coefficients
	Feature  float64   `json:"feature"` // the logarithm of the matrix along the source, 0 at the mean of the training
	LogOdds  float64   `json:"log_odds"`
	Filter   []float64 `json:"filter"`
	Pattern  []float64 `json:"pattern"`
	Channels []string  `json:"channels,omitempty"`
}

// inputSlope is the derivative of the log-odds with the values of the observation.
type inputSlope struct {
	Shape    []int     `json:"shape"`
	Gradient []float64 `json:"gradient"`
}

// prototypeView is a class's nearest prototype W against the matrix X: the generalized
// eigenvalues of X v = λ W v in descending order of |log λ|, whose squared logarithms add up
// to the squared affine-invariant distance, and the patterns W v of the largest.
type prototypeView struct {
	Class      string      `json:"class"`
	Prototype  int         `json:"prototype"`
	Distance   float64     `json:"distance"`
	LogRatios  []float64   `json:"log_ratios"`
	Patterns   [][]float64 `json:"patterns"`
	Channels   []string    `json:"channels,omitempty"`
	ofDistance float64
}

// patterns is how many a prototypeView has.
const patterns = 3

func (s *Server) explain(w http.ResponseWriter, r *http.Request) error {
	e, b, err := s.given(r, nil)
	if err != nil {
		return err
	}
	if b.Len() > explainedRows {
		return badRequest("%d observations; at most %d are explained at a time", b.Len(), explainedRows)
	}
	p, err := s.turn(w, r, e, b)
	if err != nil {
		return err
	}
	items, err := explainAll(r.Context(), e.model, b, p)
	if err != nil {
		return err
	}
	return writeJSON(w, 200, map[string]any{"model": e.name, "version": e.version, "items": items})
}

// explainAll explains every observation of the batch.
func explainAll(ctx context.Context, m *model.Model, b model.Batch, p *model.Prediction) ([]explanation, error) {
	z, err := atClassifier(ctx, m, b)
	if err != nil {
		return nil, err
	}
	items := make([]explanation, len(p.Label))
	for i, top := range p.Label {
		logp := p.LogPosterior.RawRowView(i)
		next := runnerUp(logp, top)
		x := &items[i]
		x.Label, x.RunnerUp, x.LogOdds = m.Classes[top], m.Classes[next], logp[top]-logp[next]
		switch c := m.Classifier.(type) {
		case *classify.QDA:
			err = x.quadratic(c, mat.Row(nil, i, z.X), top, next)
		case *classify.LDA:
			x.linear(c, mat.Row(nil, i, z.X), top, next)
		case *classify.Mixture:
			err = x.mixture(c, mat.Row(nil, i, z.X), top, next)
		case *classify.ENuc:
			err = x.sources(ctx, m, c, z.Stack.Select([]int{i}), top, next)
		case *classify.MDM:
			err = x.prototypes(m, c.Metric, c.Means, nil, z.Stack.Sym(i), top, next)
		case *lvq.PLRSQ:
			err = x.prototypes(m, c.Metric, c.Prototypes, c.Labels, z.Stack.Sym(i), top, next)
		default:
			return nil, &httpError{http.StatusNotImplemented,
				fmt.Sprintf("decisions of a %s model have no exact explanation here; quadratic and linear "+
					"classifiers, mixtures of Gaussians, enuc, and prototypes in the affine-invariant metric have",
					m.Method)}
		}
		if err != nil {
			return nil, err
		}
		if x.Input != nil {
			x.Input.through(m)
		}
		if x.Constant != nil {
			x.settle(m)
		}
	}
	return items, nil
}

// rest is what the terms leave of the log-odds: nothing but rounding.
func (x *explanation) rest() float64 {
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

// settle makes the terms add up where the intercepts follow the recording: what they have
// moved by belongs to the constant. Where the decision was made by something else than the
// terms they are dropped, and a note says so.
func (x *explanation) settle(m *model.Model) {
	rest := x.rest()
	if a := model.StageOf[*model.Adaptation](m); a != nil && a.How == model.AdaptBias {
		*x.Constant += rest
		return
	}
	if math.Abs(rest) <= 1e-6*(1+math.Abs(x.LogOdds)) {
		return
	}
	*x = explanation{Label: x.Label, RunnerUp: x.RunnerUp, LogOdds: x.LogOdds, Note: "the model did not decide by " +
		"its classifier alone: the observation lies too far outside the training, or the model adapts to the recording"}
}

// runnerUp is the class of the second largest value.
func runnerUp(logp []float64, top int) int {
	next := -1
	for j, v := range logp {
		if j != top && (next < 0 || v > logp[next]) {
			next = j
		}
	}
	return max(next, 0)
}
