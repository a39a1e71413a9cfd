package classifiers

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/internal/classifiers/common"
	"rao/internal/faults"
	"rao/spd"
)

// MatrixKNNRegression predicts the weighted mean of the targets of the K nearest training matrices, with weights
// proportional to exp(−d²).
//
// The exported fields determine the model.
type MatrixKNNRegression struct {
	Metric   spd.Metric `json:"metric"`   // metric of the distances
	K        int        `json:"k"`        // number of neighbors
	Matrices *spd.Stack `json:"matrices"` // training matrices
	Targets  []float64  `json:"targets"`  // one per training matrix
}

// FitMatrixKNNRegression copies the training matrices and their targets. k is the number of neighbors. 0 means 5, or
// the number of training matrices if that is smaller. It returns an error for fewer than three matrices, invalid
// targets, matrices that are not positive definite, and a k above their number.
func FitMatrixKNNRegression(x *spd.Stack, targets []float64, metric spd.Metric, k int) (*MatrixKNNRegression, error) {
	if err := checkTargets(x, targets); err != nil {
		return nil, err
	}
	metric, err := spd.ParseMetric(string(metric))
	if err != nil {
		return nil, err
	}
	k = cmp.Or(k, min(DefaultNeighbors, x.Count))
	m := &MatrixKNNRegression{Metric: metric, K: k, Matrices: x.Clone(), Targets: slices.Clone(targets)}
	if err := m.Validate(); err != nil {
		return nil, err
	}
	var d mat.Dense // detects matrices that are not positive definite
	return m, spd.Distances(context.Background(), &d, metric, m.Matrices, m.Matrices.Slice(0, 1))
}

// Dim returns the order of the matrices.
func (m *MatrixKNNRegression) Dim() int { return m.Matrices.Dim }

// Values writes the predicted number of each matrix of x to dst, which must have one element per matrix. Errors name
// the matrix. The cost is one distance to each training matrix per prediction.
func (m *MatrixKNNRegression) Values(ctx context.Context, dst []float64, x *spd.Stack) error {
	if err := common.CheckOrder(x, m.Dim()); err != nil {
		return err
	}
	const block = 256 // rows of distances in memory at a time
	var d mat.Dense
	for lo := 0; lo < x.Count; lo += block {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+block, x.Count)
		d.Reset()
		if err := spd.Distances(ctx, &d, m.Metric, x.Slice(lo, hi), m.Matrices); err != nil {
			return common.Shifted(err, lo)
		}
		for i := lo; i < hi; i++ {
			dst[i] = m.value(d.RawRowView(i - lo))
		}
	}
	return nil
}

// value returns the weighted mean for the distances d.
func (m *MatrixKNNRegression) value(d []float64) float64 {
	order := ascending(d)
	nearest := d[order[0]] * d[order[0]]
	sum, weight := 0.0, 0.0
	for _, i := range order[:m.K] {
		w := math.Exp(nearest - d[i]*d[i])
		sum += w * m.Targets[i]
		weight += w
	}
	return sum / weight
}

// Validate returns an error if the fields are inconsistent.
func (m *MatrixKNNRegression) Validate() error {
	if m.Matrices == nil {
		return errors.New("the model has no training matrices; fit it again")
	}
	if err := m.Matrices.Validate(); err != nil {
		return err
	}
	if _, err := spd.ParseMetric(string(m.Metric)); err != nil {
		return err
	}
	if err := checkTargets(m.Matrices, m.Targets); err != nil {
		return err
	}
	if m.K < 1 || m.K > m.Matrices.Count {
		return faults.Option("the number of neighbors is %d; it must be between 1 and %d, the number of training "+
			"matrices", m.K, m.Matrices.Count)
	}
	return nil
}
