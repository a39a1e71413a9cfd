package classifiers

import (
	"context"
	"math"
	"strings"
	"testing"

	"rao"
	"rao/internal/testkit"
	"rao/spd"
)

func regressGold(t *testing.T) (gold map[string][]float64, train, test *spd.Stack) {
	t.Helper()
	testkit.ReadJSON(t, "testdata/regress.json", &gold)
	x := spd.StackOf(40, 4, gold["x"])
	return gold, x.Slice(0, 30), x.Slice(30, 40)
}

// The predictions agree with pyRiemann 0.12 and scikit-learn 1.9.1 (see testdata/regress.py).
func TestRegressionsAgreeWithPyRiemann(t *testing.T) {
	gold, train, test := regressGold(t)
	ctx := context.Background()
	y := gold["y"][:30]
	got := make([]float64, 10)
	knn := testkit.Must(FitMatrixKNNRegression(train, y, spd.Riemann, 4))(t)
	testkit.NoError(t, knn.Values(ctx, got, test))
	testkit.Close(t, "knn", got, gold["knn"], 1e-9)
	svr := testkit.Must(FitTangentSVR(ctx, train, y, TangentSVROptions{C: 2, Epsilon: 0.2, Tol: 1e-9}))(t)
	testkit.NoError(t, svr.Values(ctx, got, test))
	testkit.Close(t, "svr", got, gold["svr"], 1e-6)
	ridge, _ := testkit.Must2(FitTangentRidge(ctx, train, y, TangentRidgeOptions{Ridge: 3}))(t)
	testkit.NoError(t, ridge.Values(ctx, got, test))
	testkit.Close(t, "ridge", got, gold["ridge"], 1e-7)
	_, chosen := testkit.Must2(FitTangentRidge(ctx, train, y, TangentRidgeOptions{}))(t)
	testkit.Close(t, "chosen", []float64{chosen}, gold["chosen"], 1e-6)
	for _, m := range []interface{ Validate() error }{knn, svr, ridge} {
		testkit.NoError(t, m.Validate())
	}
}

// A constant added to all targets is added to the predictions.
func TestRegressionFollowsTheTargets(t *testing.T) {
	gold, train, test := regressGold(t)
	ctx := context.Background()
	y := gold["y"][:30]
	moved := make([]float64, 30)
	for i, v := range y {
		moved[i] = v + 7
	}
	before, after := make([]float64, 10), make([]float64, 10)
	for k, targets := range [][]float64{y, moved} {
		m, _ := testkit.Must2(FitTangentRidge(ctx, train, targets, TangentRidgeOptions{}))(t)
		testkit.NoError(t, m.Values(ctx, [][]float64{before, after}[k], test))
	}
	for i := range before {
		before[i] += 7
	}
	testkit.Close(t, "moved", after, before, 1e-9)
}

func TestRegressionRefuses(t *testing.T) {
	gold, train, _ := regressGold(t)
	ctx := context.Background()
	y := append([]float64(nil), gold["y"][:30]...)
	if _, _, err := FitTangentRidge(ctx, train, y[:29], TangentRidgeOptions{}); err == nil ||
		!strings.Contains(err.Error(), "the number of targets is 29, but the number of matrices is 30") {
		t.Error(err)
	}
	if _, _, err := FitTangentRidge(ctx, train, y, TangentRidgeOptions{Ridge: -1}); err == nil {
		t.Error("a negative ridge")
	}
	testkit.Fails(t, testkit.ErrorOf(FitTangentSVR(ctx, train, y, TangentSVROptions{C: -1})), "a negative price")
	testkit.ErrorContains(t, testkit.ErrorOf(FitMatrixKNNRegression(train, y, "", 31)), "must be between 1 and 30")
	if m, err := FitTangentSVR(ctx, train, y, TangentSVROptions{MaxIter: 2}); m == nil || !rao.IsNotConverged(err) {
		t.Error(m, err)
	}
	y[3] = math.NaN()
	testkit.ErrorContains(t, testkit.ErrorOf(FitMatrixKNNRegression(train, y, "", 0)), "matrix 3")
}
