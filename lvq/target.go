package lvq

import (
	"fmt"
	"math"

	"rao/internal/linalg/vec"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// targets are the desired outputs: labels or class probabilities.
type targets struct {
	classes int
	labels  []int     // most probable class of each sample; the first one in a tie
	soft    []float64 // n×classes; nil for hard labels
	certain []float64 // classes×classes: the identity
}

func certainTargets(labels []int, classes int) *targets {
	return &targets{classes: classes, labels: labels, certain: vec.Identity(classes)}
}

// softTargets copies and checks target probabilities, one row per sample.
func softTargets(given mat.Matrix, n int) (*targets, error) {
	rows, classes := given.Dims()
	if rows != n {
		return nil, fmt.Errorf("the number of rows of targets is %d, but the number of samples is %d; every sample "+
			"needs one row", rows, n)
	}
	q := &targets{classes: classes, labels: make([]int, n), soft: make([]float64, n*classes)}
	for i := range n {
		row, sum := q.row(i), 0.0
		for c := range classes {
			v := given.At(i, c)
			if !(v >= 0 && v <= 1) {
				return nil, fmt.Errorf("the target of sample %d for class %d (counted from 0) is %g; it must be "+
					"between 0 and 1", i, c, v)
			}
			row[c] = v
			sum += v
		}
		if math.Abs(sum-1) > 1e-6 {
			return nil, fmt.Errorf("the targets of sample %d sum to %g; they must sum to 1", i, sum)
		}
		q.labels[i] = floats.MaxIdx(row)
	}
	return q, nil
}

func (q *targets) row(i int) []float64 {
	if q.soft == nil {
		i = q.labels[i]
		return q.certain[i*q.classes : (i+1)*q.classes]
	}
	return q.soft[i*q.classes : (i+1)*q.classes]
}

// shares returns the mean target of each class.
func (q *targets) shares() []float64 {
	s := make([]float64, q.classes)
	for i := range q.labels {
		for c, v := range q.row(i) {
			s[c] += v
		}
	}
	scaleTo(s, s, 1/float64(len(q.labels)))
	return s
}
