package dense

import (
	"math"
	"math/rand/v2"
	"testing"

	"rao/internal/linalg/cpu"
	"rao/internal/testkit"
)

func TestCentered(t *testing.T) {
	eachPath(t, func(t *testing.T, path cpu.Path) {
		testCentered[float64](t, path, 1e-14)
		testCentered[float32](t, path, 2e-6)
	})
}

// scattered returns k rows of n values, each in a separate slice that ends with two NaNs, and a pivot.
func scattered[T float32 | float64](r *rand.Rand, k, n int) (x [][]T, pivot []T) {
	nan := T(math.NaN())
	for range k {
		row := make([]T, n+2)
		row[n], row[n+1] = nan, nan // beyond the columns
		for j := range n {
			row[j] = T(r.NormFloat64() + 3)
		}
		x = append(x, row)
	}
	for range n {
		pivot = append(pivot, T(3+r.NormFloat64()/10))
	}
	return x, pivot
}

func testCentered[T float32 | float64](t *testing.T, path cpu.Path, tol float64) {
	t.Helper()
	r := rand.New(rand.NewPCG(12, 1))
	var s Centered[T]
	for _, n := range []int{1, 5, 16, 24, 47, 48, 49, 100} {
		for _, k := range []int{1, 3, 256, 600} {
			x, pivot := scattered[T](r, k, n)
			sum, c := make([]float64, n), make([]float64, n*n)
			sum[0], c[0] = 7, 11
			if bad := s.addOn(path, x, pivot, sum, c, n); bad >= 0 {
				t.Fatalf("n=%d, k=%d: row %d is bad", n, k, bad)
			}
			sum[0], c[0] = sum[0]-7, c[0]-11
			for i := range n {
				want := 0.0
				for _, row := range x {
					want += float64(row[i] - pivot[i])
				}
				if math.Abs(sum[i]-want) > 1e-12*float64(k) {
					t.Fatalf("n=%d, k=%d: sum %d is %v, want %v", n, k, i, sum[i], want)
				}
				for j := i; j < n; j++ {
					want, size := 0.0, 0.0
					for _, row := range x {
						v := float64(row[i]-pivot[i]) * float64(row[j]-pivot[j])
						want, size = want+v, size+math.Abs(v)
					}
					if math.Abs(c[i*n+j]-want) > tol*(size+11) {
						t.Fatalf("n=%d, k=%d: element %d,%d is %v, want %v", n, k, i, j, c[i*n+j], want)
					}
				}
			}
		}
	}
}

// Values whose squares exceed the range of float32 are summed in float64, and values that are not finite are found.
func TestCenteredOutOfRange(t *testing.T) {
	eachPath(t, func(t *testing.T, path cpu.Path) {
		const n, k = 50, 600
		r := rand.New(rand.NewPCG(12, 2))
		for _, value := range []float32{1e30, 1e-30} {
			var s Centered[float32]
			x, pivot := scattered[float32](r, k, n)
			clear(pivot)
			for i := range x {
				x[i][3] = 0
			}
			x[300][3] = value
			sum, c := make([]float64, n), make([]float64, n*n)
			if bad := s.addOn(path, x, pivot, sum, c, n); bad >= 0 {
				t.Fatalf("row %d is bad", bad)
			}
			if want := float64(value) * float64(value); sum[3] != float64(value) ||
				math.Abs(c[3*n+3]-want) > 1e-15*want {
				t.Errorf("%v: sum %v, product %v", value, sum[3], c[3*n+3])
			}
			if want := float64(value) * float64(x[300][7]); math.Abs(c[3*n+7]-want) > 1e-15*math.Abs(want) {
				t.Errorf("%v: product with another column %v, want %v", value, c[3*n+7], want)
			}
		}
		for _, value := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e200} {
			var s Centered[float64]
			x, pivot := scattered[float64](r, k, n)
			x[431][49] = value
			testkit.Equal(t, s.addOn(path, x, pivot, make([]float64, n), make([]float64, n*n), n), 431, value,
				"found in row")
		}
	})
}

func TestCenteredSameBitsAtAnyGOMAXPROCS(t *testing.T) {
	const n, k = 130, 1024
	x, pivot := scattered[float32](rand.New(rand.NewPCG(12, 3)), k, n)
	testkit.SameAtAnyProcs(t, func() []float64 {
		var s Centered[float32]
		sum, c := make([]float64, n), make([]float64, n*n)
		s.Add(x, pivot, sum, c, n)
		Mirror(n, c, n)
		return append(c, sum...)
	})
}
