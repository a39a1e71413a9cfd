package spd

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/testkit"
)

// The kernel is exp(−γd²) of the distances, symmetric, and its errors name the matrix.
func TestGaussianKernelIsThatOfTheDistances(t *testing.T) {
	x, y := randomSPD(rand.New(rand.NewPCG(1, 1)), 150, 4), randomSPD(rand.New(rand.NewPCG(2, 1)), 9, 4)
	for _, m := range []Metric{LogEuclid, Euclid, Chol, LogChol, Harmonic} {
		for _, other := range []*Stack{nil, y} {
			var k, d mat.Dense
			testkit.NoError(t, errors.Join(GaussianKernel(context.Background(), &k, m, x, other, 0.7),
				Distances(t.Context(), &d, m, x, other)))
			rows, cols := k.Dims()
			for i := range rows {
				for j := range cols {
					if want := math.Exp(-0.7 * d.At(i, j) * d.At(i, j)); math.Abs(k.At(i, j)-want) > 1e-14 ||
						other == nil && k.At(i, j) != k.At(j, i) {
						t.Fatalf("%s: entry (%d,%d) is %g, want %g", m, i, j, k.At(i, j), want)
					}
				}
			}
		}
	}
	x.At(140)[0] = -3
	var k mat.Dense
	testkit.ErrorContains(t, GaussianKernel(context.Background(), &k, LogEuclid, x, nil, 1),
		"matrix 140 is not positive definite", "does not name matrix 140")
}

func TestGaussianKernelHearsCancellation(t *testing.T) {
	x := randomSPD(rand.New(rand.NewPCG(3, 1)), 4000, 8)
	for _, at := range []int64{1, 2, 5} {
		ctx := testkit.CancelAt(at)
		err := GaussianKernel(ctx, new(mat.Dense), LogEuclid, x, nil, 1)
		if late := ctx.Late(); !errors.Is(err, context.Canceled) || late > testkit.Soon {
			t.Errorf("told to end at its question %d: %v after %v", at, err, late)
		}
	}
}

// The width of a kernel and tangent vectors are also computed in loops that check the context.
func TestWidthsAndTangentVectorsHearCancellation(t *testing.T) {
	x := randomSPD(rand.New(rand.NewPCG(3, 1)), 9000, 8)
	for name, work := range map[string]func(context.Context) error{
		"gamma":   func(ctx context.Context) error { _, err := MedianGamma(ctx, x, Riemann); return err },
		"tangent": func(ctx context.Context) error { return TangentVectors(ctx, new(mat.Dense), x, x.Sym(0)) },
		"log":     func(ctx context.Context) error { return LogEuclid.Flat().Rows(ctx, new(mat.Dense), x) },
	} {
		for _, at := range []int64{1, 2, 3} {
			ctx := testkit.CancelAt(at)
			if err := work(ctx); !errors.Is(err, context.Canceled) || ctx.Late() > testkit.Soon {
				t.Errorf("%s, told to end at its question %d: %v after %v", name, at, err, ctx.Late())
			}
		}
	}
}

// The error names a matrix by its index in the stack, also beyond the first block of distances and if matrices are
// skipped.
func TestMedianGammaNamesTheMatrix(t *testing.T) {
	for _, count := range []int{50, 1000} {
		x := randomSPD(rand.New(rand.NewPCG(5, 1)), count, 2)
		x.At(44)[0] = -1
		testkit.ErrorContains(t, testkit.ErrorOf(MedianGamma(context.Background(), x, LogEuclid)),
			"matrix 44 is not positive definite")
	}
}

func TestMedianGamma(t *testing.T) {
	x := StackFrom(mat.NewSymDense(1, []float64{1}), mat.NewSymDense(1, []float64{math.E}),
		mat.NewSymDense(1, []float64{math.Exp(3)}))
	g, err := MedianGamma(context.Background(), x, LogEuclid) // distances 1, 2 and 3
	if err != nil || math.Abs(g-0.25) > 1e-12 {
		t.Errorf("gamma %v, error %v; want 1/4", g, err)
	}
	for _, few := range [][]int{{0}, {0, 0, 0}} {
		testkit.ErrorContains(t, testkit.ErrorOf(MedianGamma(context.Background(), x.Select(few), LogEuclid)),
			"set gamma", "matrices", few)
	}
}
