package worker

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao/evaluate"
)

// measureRequest adjusts measures.
type measureRequest struct {
	First     bool    `json:"first"` // the positive class of two is the first one
	Threshold float64 `json:"threshold"`
	Resamples int     `json:"resamples"`
	Seed      uint64  `json:"seed"`
	Seconds   float64 `json:"seconds"` // of one decision, 0: not known
}

// measures compares the probabilities "P", observations × classes, with the labels "y".
func measures(_ context.Context, _ *server, q *Request) (*Reply, error) {
	a, err := q.array("P")
	if err != nil {
		return nil, err
	}
	y, err := q.array("y")
	if err != nil {
		return nil, err
	}
	labels, err := y.ints()
	if err != nil {
		return nil, err
	}
	if len(a.Shape) != 2 || len(y.Shape) != 1 || a.Shape[0] != len(labels) || a.Shape[1] < 2 || len(labels) == 0 {
		return nil, fmt.Errorf("probabilities of shape %v for labels of shape %v: want observations × classes, and a "+
			"label for each observation", a.Shape, y.Shape)
	}
	logs := make([]float64, a.len())
	for i, p := range a.doubles() {
		if !(p >= 0 && p <= 1) {
			return nil, fmt.Errorf("row %d: probability %g is not between 0 and 1", i/a.Shape[1], p)
		}
		logs[i] = math.Log(p)
	}
	var opt measureRequest
	if q.Measures != nil {
		opt = *q.Measures
	}
	m, err := evaluate.NewMeasurer(a.Shape[1], evaluate.MeasureOptions{First: opt.First, Threshold: opt.Threshold,
		Resamples: opt.Resamples, Seed: opt.Seed, Seconds: opt.Seconds})
	if err != nil {
		return nil, err
	}
	if err := m.Add(labels, mat.NewDense(a.Shape[0], a.Shape[1], logs)); err != nil {
		return nil, err
	}
	return &Reply{Info: m.Measures()}, nil
}
