package dense

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"rao/internal/linalg/cpu"
	"rao/internal/testkit"
)

// bordered returns k rows of n bytes that vary only in some columns, and a pivot with the values of the other columns.
func bordered(r *rand.Rand, k, n int, varies func(row, column int) bool) (x [][]byte, pivot []float32) {
	for j := range n {
		pivot = append(pivot, float32(j*37%256*(j%2)))
	}
	for i := range k {
		row := make([]byte, n)
		for j, p := range pivot {
			row[j] = byte(p)
			if varies(i, j) {
				row[j] = byte(r.IntN(256))
			}
		}
		x = append(x, row)
	}
	return x, pivot
}

// Constant columns, and columns that vary in only a few rows, are left out of the products. The results do not change.
func TestAddBytesWithConstantColumns(t *testing.T) {
	g := kernels32(cpu.Use()).whole
	if g == nil || g.compress == nil {
		t.Skip("this processor has no compression of bytes")
	}
	r := rand.New(rand.NewPCG(14, 1))
	for _, n := range []int{64, 65, 100, 127, 128, 191, 200} {
		for _, k := range []int{128, 129, 1024, 2051} {
			for name, varies := range map[string]func(i, j int) bool{
				"none":   func(_, _ int) bool { return false },
				"ends":   func(_, j int) bool { return j == 0 || j == n-1 },
				"runs":   func(_, j int) bool { return j%28 > 20 },
				"every":  func(_, j int) bool { return j%2 == 0 },
				"last":   func(i, j int) bool { return j < 40 || i == k-1 && j == 63 },
				"most":   func(_, j int) bool { return j > 0 },
				"rare":   func(i, j int) bool { return j%4 == 0 || j%4 == 1 && i%300 == j },
				"last 2": func(i, j int) bool { return j < 30 || i == k-1 && j > n-3 },
			} {
				t.Run(fmt.Sprintf("%s, %d columns, %d rows", name, n, k), func(t *testing.T) {
					x, pivot := bordered(r, k, n, varies)
					checkVarying(t, g, x, pivot)
				})
			}
		}
	}
}

// checkVarying compares with the products of all columns.
func checkVarying(t *testing.T, g *wholeKernels, x [][]byte, pivot []float32) {
	t.Helper()
	n := len(pivot)
	var s, all Centered[float32]
	sum, c, wantSum, want := make([]float64, n), make([]float64, n*n), make([]float64, n), make([]float64, n*n)
	for _, v := range [][]float64{sum, c, wantSum, want} {
		v[0] = 7
	}
	if !AddBytes(&s, x, pivot, sum, c, n) {
		t.Fatal("the rows were not added")
	}
	addWhole(&all, g, x, pivot, wantSum, want, n)
	testkit.EqualSlices(t, sum, wantSum, "sums differ")
	for i := range n {
		testkit.EqualSlices(t, c[i*n+i:(i+1)*n], want[i*n+i:(i+1)*n], "row", i, "of the products differs")
	}
}

// Rows with few columns, few rows, and rows that vary everywhere are multiplied in full.
func TestVaryingFindsWhatSaves(t *testing.T) {
	g := kernels32(cpu.Use()).whole
	if g == nil || g.compress == nil {
		t.Skip("this processor has no compression of bytes")
	}
	r := rand.New(rand.NewPCG(14, 2))
	half := func(_, j int) bool { return j%2 == 0 }
	for _, c := range []struct {
		k, n   int
		varies func(i, j int) bool
		found  int // columns; -1 where looking is no use
	}{
		{200, 100, half, 50},
		{200, 63, half, -1},
		{127, 100, half, -1},
		{200, 100, func(_, _ int) bool { return true }, -1},
		{200, 100, func(i, _ int) bool { return i > 100 }, -1},
		{200, 100, func(i, j int) bool { return i == 199 && j == 99 }, 1},
	} {
		x, pivot := bordered(r, c.k, c.n, c.varies)
		var v varying
		found := -1
		if v.find(g, x, pivot) {
			v.multiply(new(Centered[float32]), g, x, pivot)
			found = len(v.all.place)
		}
		testkit.Equal(t, found, c.found, c.k, "rows of", c.n, "columns: columns are found to vary")
	}
}

// Rows that differ in columns in which few other rows differ are multiplied separately.
func TestRareRowsAreMultipliedBesideTheRest(t *testing.T) {
	g := kernels32(cpu.Use()).whole
	if g == nil || g.compress == nil {
		t.Skip("this processor has no compression of bytes")
	}
	const n, k = 150, 64 * 20
	x, pivot := bordered(rand.New(rand.NewPCG(14, 4)), k, n, func(_, j int) bool { return j%3 == 0 })
	for j := 1; j < 60; j += 3 {
		x[70][j]++
	}
	x[k-1][n-1]++
	var v varying
	if !v.find(g, x, pivot) {
		t.Fatal("no columns are found")
	}
	v.multiply(new(Centered[float32]), g, x, pivot)
	if len(v.all.place) != n/3+21 || len(v.common.place) != n/3 || len(v.outside) != 2 {
		t.Errorf("%d columns, %d common ones and %d rows beside the rest, want %d, %d and 2", len(v.all.place),
			len(v.common.place), len(v.outside), n/3+21, n/3)
	}
	checkVarying(t, g, x, pivot)
}

// All of the covariance is written, whatever its memory contained: zeros in constant columns.
func TestCenterBytes(t *testing.T) {
	const n, k, ld = 150, 700, 153
	x, pivot := bordered(rand.New(rand.NewPCG(14, 5)), k, n, func(_, j int) bool { return j%5 > 1 && j > 20 })
	var s Centered[float32]
	first, products := make([]float64, n), make([]float64, n*n)
	if !AddBytes(&s, x, pivot, first, products, n) {
		t.Skip("this processor does not multiply bytes")
	}
	Mirror(n, products, n)
	sum, c := make([]float64, n), make([]float64, n*ld)
	for i := range c {
		c[i] = math.NaN()
	}
	if !CenterBytes(&s, x, pivot, sum, k-1, c, ld) {
		t.Skip("this processor has no compression of bytes")
	}
	testkit.EqualSlices(t, sum, first, "the sums are not those of AddBytes")
	for i := range n {
		for j := range n {
			want := (products[i*n+j] - first[min(i, j)]*(first[max(i, j)]/k)) / (k - 1)
			if got := c[i*ld+j]; got != want {
				t.Fatalf("covariance of columns %d and %d is %v, want %v", i, j, got, want)
			}
		}
		for j := n; j < ld; j++ {
			if !math.IsNaN(c[i*ld+j]) {
				t.Fatal("a value beyond the columns was written")
			}
		}
	}
}

func TestVaryingSameBitsAtAnyGOMAXPROCS(t *testing.T) {
	const n, k = 300, 3000
	x, pivot := bordered(rand.New(rand.NewPCG(14, 3)), k, n, func(_, j int) bool { return j%28 > 8 })
	testkit.SameAtAnyProcs(t, func() []float64 {
		var s Centered[float32]
		sum, c := make([]float64, n), make([]float64, n*n)
		AddBytes(&s, x, pivot, sum, c, n)
		Mirror(n, c, n)
		return append(c, sum...)
	})
}
