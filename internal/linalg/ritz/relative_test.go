package ritz

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/testkit"
)

// Solutions satisfy their equation and are W-orthogonal.
func TestRelative(t *testing.T) {
	const n, k = 40, 6
	r := rand.New(rand.NewPCG(4, 4))
	positive := func(rank int) []float64 {
		var out mat.Dense
		a := mat.NewDense(n, rank, testkit.Normals(r, n*rank))
		out.Mul(a, a.T())
		return out.RawMatrix().Data
	}
	b, w := positive(9), positive(2*n)
	x := testkit.Must(Relative(append([]float64(nil), b...), append([]float64(nil), w...), n, k))(t)
	last := math.Inf(1)
	for j := range k {
		v := mat.NewVecDense(n, nil)
		for i := range n {
			v.SetVec(i, x[i*k+j])
		}
		var bv, wv mat.VecDense
		bv.MulVec(mat.NewDense(n, n, b), v)
		wv.MulVec(mat.NewDense(n, n, w), v)
		lambda := mat.Dot(v, &bv) / mat.Dot(v, &wv)
		bv.AddScaledVec(&bv, -lambda, &wv)
		if norm := mat.Norm(&bv, 2); norm > 1e-5*lambda*mat.Norm(&wv, 2) {
			t.Errorf("solution %d misses by %g", j, norm)
		}
		if lambda > last || math.Abs(mat.Norm(v, 2)-1) > 1e-12 {
			t.Errorf("solution %d: λ %g after %g, norm %g", j, lambda, last, mat.Norm(v, 2))
		}
		last = lambda
	}
	testkit.Fails(t, testkit.ErrorOf(Relative(make([]float64, n*n), make([]float64, n*n), n, k)), "a singular W passes")
}
