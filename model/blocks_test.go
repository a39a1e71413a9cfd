package model

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/classifiers"
	"rao/internal/testkit"
	"rao/spd"
)

// many returns enough matrices for several blocks, and a tangent-space model of them that starts with a repair.
func many(t *testing.T) (*Model, *spd.Stack) {
	t.Helper()
	small, x := matrixModel(t)
	labels := testkit.Alternate(x.Count, 3)
	cl := testkit.Must(classifiers.FitTangentLDA(ctx, x, labels, small.Classes, classifiers.TangentLDAOptions{}))(t)
	fix := testkit.Must(spd.ParseRepair("shrink:0.1", spd.Check(x, spd.CheckOptions{})))(t)
	m := &Model{Method: "tslda", Classes: small.Classes, Input: small.Input, Stages: []Stage{&repair{fix}},
		Classifier: cl}
	index := make([]int, 2*blockValues/9+100)
	for k := range index {
		index[k] = (k%1000*(k%1000) + k/7) % x.Count
	}
	return m, x.Select(index)
}

// Predictions and features of many matrices, computed in blocks, equal those of small batches.
func TestBlocksOfMatricesChangeNothing(t *testing.T) {
	m, x := many(t)
	p := testkit.Must(m.Predict(ctx, Matrices(x)))(t)
	z := testkit.Must(m.Transform(ctx, Matrices(x)))(t)
	for _, at := range []int{0, blockValues/9 - 4, x.Count - 9} {
		few := Matrices(x.Slice(at, at+8))
		q := testkit.Must(m.Predict(ctx, few))(t)
		if !slices.Equal(q.Label, p.Label[at:at+8]) ||
			!mat.EqualApprox(q.LogPosterior, p.LogPosterior.Slice(at, at+8, 0, 3), 1e-12) {
			t.Errorf("matrices from %d on are decided in another way among many", at)
		}
		v, err := m.Transform(ctx, few)
		if err != nil || !mat.EqualApprox(v.X, z.X.(*mat.Dense).Slice(at, at+8, 0, 6), 1e-12) {
			t.Errorf("matrices from %d on have other features among many: %v", at, err)
		}
	}
	bad := x.Count - 3
	x.At(bad)[0] = -5
	m.Stages = nil
	testkit.ErrorContains(t, testkit.ErrorOf(m.Predict(ctx, Matrices(x))), fmt.Sprintf("matrix %d ", bad),
		"does not name matrix", bad)

	labels := testkit.Alternate(30, 3)
	m.Classifier = testkit.Must(classifiers.FitMatrixSVM(ctx, x.Slice(0, 30), labels, m.Classes,
		classifiers.MatrixSVMOptions{}))(t)
	testkit.ErrorContains(t, testkit.ErrorOf(m.Predict(ctx, Matrices(x))), fmt.Sprintf("matrix %d ", bad),
		"from a classifier that adds its name, does not name matrix", bad)
}

// Predictions of many matrices check for cancellation between blocks.
func TestPredictionsOfMatricesHearCancellation(t *testing.T) {
	m, x := many(t)
	for _, at := range []int64{2, 4} {
		ctx := testkit.CancelAt(at)
		if _, err := m.Predict(ctx, Matrices(x)); !errors.Is(err, ctx.Err()) || ctx.Err() == nil {
			t.Errorf("told to end at its question %d: %v", at, err)
		}
	}
}
