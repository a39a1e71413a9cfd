package classify

import (
	"context"
	"errors"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/testkit"
)

// Predictions from nearest neighbors stop when their context ends.
func TestNeighborsHearCancellation(t *testing.T) {
	const rows, n = 4000, 60
	x, labels := mat.NewDense(rows, n, nil), make([]int, rows)
	for i := range rows {
		labels[i] = i % 3
		for j := range n {
			x.Set(i, j, float64((i*j+i*i)%997))
		}
	}
	knn := testkit.Must(FitKNN(x, labels, []string{"a", "b", "c"}, KNNOptions{}))(t)
	for _, at := range []int64{1, 2, 3} {
		ctx := testkit.CancelAt(at)
		err := knn.LogPosterior(ctx, new(mat.Dense), x)
		if !errors.Is(err, context.Canceled) || ctx.Late() > testkit.Soon {
			t.Errorf("canceled at its question %d: %v after %v", at, err, ctx.Late())
		}
	}
}
