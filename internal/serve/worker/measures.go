package worker

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao/evaluate"
	"rao/internal/linalg/vec"
	"rao/internal/scoring"
	"rao/internal/text"
)

// measures compares the probabilities "P", observations × classes, with the labels "y".
func measures(_ context.Context, _ *server, q *Request) (*Reply, error) {
	labels, logs, err := q.judged()
	if err != nil {
		return nil, err
	}
	m, err := scoring.NewMeasurer(logs.RawMatrix().Cols, q.Measures)
	if err != nil {
		return nil, err
	}
	if err := m.Add(labels, logs, nil); err != nil {
		return nil, err
	}
	return &Reply{Info: m.Measures()}, nil
}

// judged returns the labels "y" and the logarithms of the probabilities "P".
func (q *Request) judged() (labels []int, logs *mat.Dense, err error) {
	a, err := q.array("P")
	if err != nil {
		return nil, nil, err
	}
	y, err := q.array("y")
	if err != nil {
		return nil, nil, err
	}
	if labels, err = y.ints(); err != nil {
		return nil, nil, err
	}
	if len(a.Shape) != 2 || len(y.Shape) != 1 || a.Shape[0] != len(labels) || a.Shape[1] < 2 || len(labels) == 0 {
		return nil, nil, fmt.Errorf("the probabilities have the shape %s and the labels %s; give probabilities of "+
			"observations × classes, for at least two classes, and one label per observation",
			text.Shape(a.Shape), text.Shape(y.Shape))
	}
	values := make([]float64, a.len())
	for i, p := range a.doubles() {
		if !(p >= 0 && p <= 1) {
			return nil, nil, fmt.Errorf("row %d, column %d: the probability %g is not between 0 and 1", i/a.Shape[1],
				i%a.Shape[1], p)
		}
		values[i] = math.Log(p)
	}
	return labels, mat.NewDense(a.Shape[0], a.Shape[1], values), nil
}

type scoreInfo struct {
	*scoring.Scores
	AURC     text.Number       `json:"aurc"`
	Coverage []float64         `json:"coverage"` // fractions of the most certain observations
	Risk     []float64         `json:"risk"`     // error on these observations
	Measures []scoring.Measure `json:"measures"`
}

// scores compares the probabilities "P" with the labels "y". The array "decision" of the reply has the decisions.
func scores(_ context.Context, _ *server, q *Request) (*Reply, error) {
	labels, logs, err := q.judged()
	if err != nil {
		return nil, err
	}
	weights, err := q.rowWeights(len(labels))
	if err != nil {
		return nil, err
	}
	m, err := scoring.NewMeasurer(logs.RawMatrix().Cols, q.Measures)
	if err != nil {
		return nil, err
	}
	if err := m.Add(labels, mat.DenseCopyOf(logs), weights); err != nil {
		return nil, err
	}
	all := scoring.NewScorer(logs.RawMatrix().Cols)
	if err := all.Add(labels, logs, weights); err != nil {
		return nil, err
	}
	info := scoreInfo{Scores: all.Scores(), AURC: text.Number(math.NaN()), Measures: m.Measures()}
	decided := []Array{intArray("decision", m.Decisions())}
	if weights != nil { // the risk is not defined with weights
		return &Reply{Info: info, Arrays: decided}, nil
	}
	curve, _ := all.Risk()
	info.AURC = text.Number(curve.AURC)
	for k := 1; k <= 100; k++ {
		coverage := float64(k) / 100
		risk, _ := curve.At(coverage)
		info.Coverage, info.Risk = append(info.Coverage, coverage), append(info.Risk, risk)
	}
	return &Reply{Info: info, Arrays: decided}, nil
}

// rowWeights returns the array "weights" for n observations, or nil if the request does not have it.
func (q *Request) rowWeights(n int) ([]float64, error) {
	a := q.optional("weights")
	if a == nil {
		return nil, nil
	}
	weights, sum := a.doubles(), 0.0
	if len(weights) != n {
		return nil, fmt.Errorf("the number of weights is %d, but the number of observations is %d; give one weight "+
			"per observation",
			len(weights), n)
	}
	for i, w := range weights {
		if !vec.NotNegative(w) {
			return nil, fmt.Errorf("observation %d has the weight %v, but weights must be finite and not "+
				"negative", i, w)
		}
		sum += w
	}
	if !vec.Positive(sum) {
		return nil, fmt.Errorf("the weights have the sum %g, but the sum must be above 0 and finite", sum)
	}
	return weights, nil
}

// pairTest compares the decisions "first" and "second" on observations with the labels "y" by McNemar's test.
func pairTest(_ context.Context, _ *server, q *Request) (*Reply, error) {
	var lists [3][]int
	for i, name := range []string{"y", "first", "second"} {
		a, err := q.array(name)
		if err != nil {
			return nil, err
		}
		if lists[i], err = a.ints(); err != nil {
			return nil, err
		}
		if len(lists[i]) != len(lists[0]) {
			return nil, fmt.Errorf("%q has %s for %s; give both for the same observations", name,
				text.Plural(len(lists[i]), "decision", "decisions"), text.Plural(len(lists[0]), "label", "labels"))
		}
	}
	t, err := evaluate.McNemar(lists[0], lists[1], lists[2], false)
	if err != nil {
		return nil, err
	}
	return &Reply{Info: t}, nil
}
