package classify

import (
	"context"
	"errors"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/testkit"
	"rao/spd"
)

// Predictions by neighbors, and tangent vectors, hear that the work is to end.
func TestNeighborsAndTangentVectorsHearCancellation(t *testing.T) {
	const rows, n = 4000, 60
	x, labels := mat.NewDense(rows, n, nil), make([]int, rows)
	for i := range rows {
		labels[i] = i % 3
		for j := range n {
			x.Set(i, j, float64((i*j+i*i)%997))
		}
	}
	knn, err := FitKNN(x, labels, threeClasses, KNNOptions{})
	if err != nil {
		t.Fatal(err)
	}
	stack, _ := clusters(40, 600, 6, 2, 1)
	space, err := FitTangentSpace(context.Background(), stack, spd.Riemann, spd.MeanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for name, work := range map[string]func(context.Context) error{
		"knn":     func(ctx context.Context) error { return knn.LogPosterior(ctx, new(mat.Dense), x) },
		"tangent": func(ctx context.Context) error { return space.Vectors(ctx, new(mat.Dense), stack) },
	} {
		for _, at := range []int64{1, 2, 3} {
			ctx := testkit.CancelAt(at)
			if err := work(ctx); !errors.Is(err, context.Canceled) || ctx.Late() > testkit.Soon {
				t.Errorf("%s, told to end at its question %d: %v after %v", name, at, err, ctx.Late())
			}
		}
	}
}
