package cluster

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/testkit"
	"rao/spd"
)

// sameUpToSign compares the columns of two embeddings.
func sameUpToSign(t *testing.T, got *mat.Dense, want []float64, tol float64) {
	t.Helper()
	n, c := got.Dims()
	for j := range c {
		plus, minus := 0.0, 0.0
		for i := range n {
			plus = math.Max(plus, math.Abs(got.At(i, j)-want[i*c+j]))
			minus = math.Max(minus, math.Abs(got.At(i, j)+want[i*c+j]))
		}
		if min(plus, minus) > tol {
			t.Errorf("coordinate %d is off by %.3g", j, min(plus, minus))
		}
	}
}

// The embeddings agree with pyRiemann 0.12 (see testdata/embed.py).
func TestEmbeddingsAgreeWithPyRiemann(t *testing.T) {
	var gold map[string][]float64
	testkit.ReadJSON(t, "testdata/embed.json", &gold)
	x := spd.StackOf(24, 3, gold["x"])
	ctx := context.Background()
	var e, l mat.Dense
	testkit.NoError(t, SpectralEmbedding(ctx, &e, x, EmbedOptions{Components: 3}))
	sameUpToSign(t, &e, gold["spectral"], 1e-7)
	sum := testkit.Must(LocallyLinearEmbedding(ctx, &l, x, EmbedOptions{Neighbors: 6}))(t)
	sameUpToSign(t, &l, gold["lle"], 1e-6)
	var le mat.Dense
	testkit.Must(LocallyLinearEmbedding(ctx, &le, x, EmbedOptions{Neighbors: 6, Metric: spd.LogEuclid}))(t)
	sameUpToSign(t, &le, gold["lle logeuclid"], 1e-6)
	testkit.Near(t, sum, gold["lle error"][0], 1e-9, "error")
}

// Two distant groups are at opposite ends of the first coordinate.
func TestEmbeddingTellsGroups(t *testing.T) {
	x := spd.NewStack(12, 2)
	for k := range 12 {
		s := 1 + float64(k)/50
		if k%2 == 1 {
			s *= 30
		}
		copy(x.At(k), []float64{s, 0.1, 0.1, 2})
	}
	var e mat.Dense
	testkit.NoError(t, SpectralEmbedding(context.Background(), &e, x, EmbedOptions{}))
	for k := range 12 {
		if (e.At(k, 0) > 0) != (e.At(k%2, 0) > 0) || math.Abs(e.At(k, 0)) < 0.5 {
			t.Errorf("matrix %d lies at %g", k, e.At(k, 0))
		}
	}
}

func TestEmbeddingRefuses(t *testing.T) {
	x := spd.NewStack(6, 2)
	for k := range 6 {
		copy(x.At(k), []float64{2, 0, 0, 1})
	}
	ctx := context.Background()
	var e mat.Dense
	testkit.ErrorContains(t, SpectralEmbedding(ctx, &e, x, EmbedOptions{Metric: spd.Euclid}), "are identical")
	testkit.Fails(t, SpectralEmbedding(ctx, &e, x, EmbedOptions{Components: 6}), "as many coordinates as matrices")
	testkit.Fails(t, testkit.ErrorOf(LocallyLinearEmbedding(ctx, &e, x, EmbedOptions{Neighbors: 6})),
		"as many neighbors as matrices")
}
