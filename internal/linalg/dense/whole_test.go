package dense

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"rao/internal/linalg/cpu"
	"rao/internal/testkit"
)

// pixels returns k rows of n integers from 0 to largest, each in a separate slice that ends with two NaNs, and a pivot.
func pixels(r *rand.Rand, k, n, largest int) (x [][]float32, pivot []float32) {
	for range k {
		row := make([]float32, n+2)
		row[n], row[n+1] = float32(math.NaN()), float32(math.NaN())
		for j := range n {
			row[j] = float32(r.IntN(largest + 1))
			if j%3 == 1 {
				row[j] = float32(largest)
			}
		}
		x = append(x, row)
	}
	for j := range n {
		pivot = append(pivot, float32(j*37%256*(j%2)))
	}
	return x, pivot
}

// Sums of products of bytes are exact with every kernel.
func TestCenteredBytesAreExact(t *testing.T) {
	eachPath(t, func(t *testing.T, path cpu.Path) {
		r := rand.New(rand.NewPCG(13, 1))
		for _, n := range []int{1, 7, 16, 33, 48, 50, 97} {
			for _, k := range []int{1, 3, 4, 257, 1023, 1024, 1025, 2050} {
				x, pivot := pixels(r, k, n, []int{1, 255}[k%2])
				checkSums(t, path, x, pivot, 0)
			}
		}
	})
}

// Values that are not bytes are found at any position, and their rows are multiplied as floating-point numbers.
func TestCenteredFindsValuesThatAreNotBytes(t *testing.T) {
	eachPath(t, func(t *testing.T, path cpu.Path) {
		r := rand.New(rand.NewPCG(13, 2))
		const n, k = 53, 2500
		for _, value := range []float32{-1, 256, 0.5, 1000} {
			for _, at := range [][2]int{{0, 0}, {1023, 47}, {1024, 48}, {2499, 52}} {
				x, pivot := pixels(r, k, n, 15)
				x[at[0]][at[1]] = value
				checkSums(t, path, x, pivot, 1e-6)
			}
		}
		x, pivot := pixels(r, k, n, 15)
		x[2048][50] = float32(math.NaN())
		var s Centered[float32]
		testkit.Equal(t, s.addOn(path, x, pivot, make([]float64, n), make([]float64, n*n), n), 2048,
			"NaN of row 2048 is found in row")
		pivot[1] = 0.25
		x[2048][50] = 3
		checkSums(t, path, x, pivot, 1e-6)
	})
}

// checkSums compares with sums in float64, which are exact for integers.
func checkSums(t *testing.T, path cpu.Path, x [][]float32, pivot []float32, tol float64) {
	t.Helper()
	n, k := len(pivot), len(x)
	var s Centered[float32]
	sum, c := make([]float64, n), make([]float64, n*n)
	sum[0], c[0] = 7, 11
	if bad := s.addOn(path, x, pivot, sum, c, n); bad >= 0 {
		t.Fatalf("n=%d, k=%d: row %d is bad", n, k, bad)
	}
	want, first := make([]float64, n*n), make([]float64, n)
	want[0], first[0] = 11, 7
	for _, row := range x {
		for i, p := range pivot {
			y := float64(row[i] - p)
			first[i] += y
			for j := i; j < n; j++ {
				want[i*n+j] += y * float64(row[j]-pivot[j])
			}
		}
	}
	for i := range n {
		if sum[i] != first[i] {
			t.Fatalf("n=%d, k=%d: sum %d is %v, want %v", n, k, i, sum[i], first[i])
		}
		for j := i; j < n; j++ {
			if w := want[i*n+j]; math.Abs(c[i*n+j]-w) > tol*math.Abs(w) {
				t.Fatalf("n=%d, k=%d: element %d,%d is %v, want %v", n, k, i, j, c[i*n+j], want[i*n+j])
			}
		}
	}
}

// Rows of bytes have the sums of the same values as float32.
func TestAddBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 3))
	for _, n := range []int{1, 15, 16, 17, 50, 97} {
		for _, k := range []int{1, 4, 6, 1023, 1025} {
			wide, pivot := pixels(r, k, n, 255)
			narrow := make([][]byte, k)
			for i, row := range wide {
				narrow[i] = make([]byte, n)
				for j := range n {
					narrow[i][j] = byte(row[j])
				}
			}
			var s, w Centered[float32]
			sum, c, wantSum, want := make([]float64, n), make([]float64, n*n), make([]float64, n), make([]float64, n*n)
			if !AddBytes(&s, narrow, pivot, sum, c, n) {
				t.Skip("this processor has no products of bytes")
			}
			w.Add(wide, pivot, wantSum, want, n)
			testkit.EqualSlices(t, sum, wantSum, "n", n, "k", k, "sums differ")
			for i := range n {
				if !slices.Equal(c[i*n+i:(i+1)*n], want[i*n+i:(i+1)*n]) {
					t.Fatalf("n=%d, k=%d: row %d of the products differs", n, k, i)
				}
			}
			pivot[0] = 0.5
			if AddBytes(&s, narrow, pivot, sum, c, n) {
				t.Error("a pivot that is no byte was taken")
			}
		}
	}
}
