package orth

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/linalg/vec"
	"rao/internal/testkit"
)

// The remaining columns are orthonormal and span the original columns; dependent columns are left out.
func TestColumns(t *testing.T) {
	const n, k = 9, 5
	rng := rand.New(rand.NewPCG(1, 2))
	x := make([]float64, n*k)
	for i := range n {
		for j := range k {
			x[i*k+j] = rng.NormFloat64()
		}
		x[i*k+2] = 3*x[i*k] - x[i*k+1]
	}
	before := append([]float64(nil), x...)
	kept := Columns(x, n, k, k, 1e-9, nil)
	testkit.Equal(t, kept, k-1, "columns")
	rows, source := make([]float64, n*kept), make([]float64, n*k)
	vec.Transpose(rows, x[:n*kept], n, kept)
	vec.Transpose(source, before, n, k)
	for a := range kept {
		for b := range kept {
			want := 0.0
			if a == b {
				want = 1
			}
			testkit.Near(t, vec.Dot(rows[a*n:(a+1)*n], rows[b*n:(b+1)*n]), want, 1e-14, "product of columns", a, "and",
				b)
		}
	}
	for j := range k {
		c := source[j*n : (j+1)*n]
		for a := range kept {
			vec.Axpy(c, -vec.Dot(rows[a*n:(a+1)*n], c), rows[a*n:(a+1)*n])
		}
		if left := vec.Norm(c); left > 1e-13 {
			t.Errorf("%g of column %d is outside the span", left, j)
		}
	}
}

// Columns that vanish or are not finite are requested again, and no more are kept than requested.
func TestColumnsAgain(t *testing.T) {
	x := []float64{
		1, 2, math.NaN(), 0,
		0, 0, 1, 0,
		0, 0, 0, 0,
	}
	var asked []int
	kept := Columns(x, 3, 4, 2, 1e-9, func(j int, column []float64) bool {
		asked = append(asked, j)
		clear(column)
		column[j] = 2
		return j == 2
	})
	if kept != 2 || len(asked) != 2 || asked[0] != 1 || asked[1] != 2 {
		t.Fatalf("%d columns, asked for %v", kept, asked)
	}
	for i, want := range []float64{1, 0, 0, 0, 0, 1} {
		testkit.Equal(t, x[i], want, "value", i)
	}
}

// Range finds the rank of dependent columns, and no basis of zeros or of values that are not finite.
func TestRange(t *testing.T) {
	x := mat.NewDense(4, 3, []float64{1, 2, 3, 0, 1, 1, 1, 0, 1, 2, 1, 3})
	basis, ok := Range(x, 3, 1e-9)
	if !ok || basis == nil {
		t.Fatal("no basis")
	}
	if rows, rank := basis.Dims(); rows != 4 || rank != 2 {
		t.Fatalf("%d×%d", rows, rank)
	}
	var product, rest mat.Dense
	product.Mul(basis.T(), x)
	rest.Mul(basis, &product)
	rest.Sub(&rest, x)
	if mat.Max(&rest) > 1e-12 || mat.Min(&rest) < -1e-12 {
		t.Errorf("the basis does not span the columns: %v", mat.Formatted(&rest))
	}
	if basis, _ := Range(x, 1, 1e-9); basis.RawMatrix().Cols != 1 {
		t.Error("more columns than asked for")
	}
	if basis, ok := Range(mat.NewDense(2, 2, nil), 2, 1e-9); basis != nil || !ok {
		t.Error("zeros have a basis")
	}
}
