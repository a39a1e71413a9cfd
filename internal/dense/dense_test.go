package dense

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"rao/internal/testkit"
)

func random(r *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	return x
}

func TestGemmAgreesWithGonum(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	m, n, k := 13, 9, 21
	a, b, c := mat.NewDense(m, k, random(r, m*k)), mat.NewDense(k, n, random(r, k*n)), make([]float64, m*n)
	var want mat.Dense
	want.Mul(a, b)
	Gemm(false, false, m, n, k, 1, a.RawMatrix().Data, k, b.RawMatrix().Data, n, 0, c, n)
	testkit.Close(t, "AB", c, want.RawMatrix().Data, 1e-14)
}
