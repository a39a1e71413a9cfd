package ritz

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/linalg/eig"
	"rao/internal/testkit"
)

// The leading pairs of matrices of every rank equal those of a full decomposition.
func TestLeading(t *testing.T) {
	for _, c := range []struct{ n, k, rank int }{{60, 5, 60}, {60, 5, 3}, {12, 12, 12}, {7, 1, 7}, {200, 40, 200}} {
		rng := rand.New(rand.NewPCG(7, uint64(c.n)))
		a, b := make([]float64, c.n*c.n), make([]float64, c.rank*c.n)
		for i := range b {
			b[i] = rng.NormFloat64() / float64(1+i/c.n)
		}
		for i := range c.n {
			for j := range c.n {
				for r := range c.rank {
					a[i*c.n+j] += b[r*c.n+i] * b[r*c.n+j]
				}
			}
		}
		vectors, values := testkit.Must2(Leading(a, c.n, c.k))(t, c)
		all := make([]float64, c.n)
		testkit.NoError(t, eig.Sym(all, append([]float64(nil), a...), c.n, false,
			make([]float64, eig.WorkLen(c.n))))
		for j, v := range values {
			testkit.Near(t, v, all[c.n-1-j], 1e-9*all[c.n-1], c, "eigenvalue", j)
			var residual, largest float64
			for i := range c.n {
				s := -v * vectors[i*c.k+j]
				for h := range c.n {
					s += a[i*c.n+h] * vectors[h*c.k+j]
				}
				residual += s * s
				if x := vectors[i*c.k+j]; math.Abs(x) > math.Abs(largest) {
					largest = x
				}
			}
			if math.Sqrt(residual) > 1e-4*all[c.n-1] || largest < 0 {
				t.Errorf("%v: eigenvector %d has residual %g and largest entry %g", c, j, math.Sqrt(residual), largest)
			}
		}
	}
}

// BenchmarkLeading finds a few eigenvectors of small matrices.
func BenchmarkLeading(b *testing.B) {
	for _, n := range []int{16, 24, 32, 48, 64} {
		r := rand.New(rand.NewPCG(1, 2))
		x, a := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
		for i := range n {
			for j := range n {
				x.Set(i, j, r.NormFloat64()*math.Pow(float64(j+1), -0.7))
			}
		}
		a.Mul(x.T(), x)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				testkit.Must2(LeadingTo(a.RawMatrix().Data, n, 9, 1e-2))(b)
			}
		})
	}
}
