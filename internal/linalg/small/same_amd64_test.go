package small

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"rao/internal/linalg/cpu"
	"rao/internal/testkit"
)

// A matrix gives the same bits in four lanes as in eight, with AVX2 as with AVX-512.
func TestSameBitsOnEveryPath(t *testing.T) {
	if !slices.Contains(cpu.Available(), cpu.AVX512) {
		t.Skip("this processor lacks AVX-512")
	}
	narrow, wide := workspaceFor(cpu.AVX2), workspaceFor(cpu.AVX512)
	for _, n := range append(orders, 11, 12, 14, 15, 18, 19, 20, 21, 23, 31, 32, 47) {
		if n > MaxLanes {
			continue
		}
		count := min(37, 1+1000/n)
		rng := rand.New(rand.NewPCG(uint64(n), 78))
		a, _ := mixed(n, count, false, rng)
		b, d := testkit.Normals(rng, n*n*count), testkit.Normals(rng, n*count)
		for i := range b { // lower triangular
			if i%n > i/n%n {
				b[i] = 0
			}
		}
		same := func(what string, size int, run func(w *Workspace, dst []float64)) {
			t.Helper()
			x, y := make([]float64, size), make([]float64, size)
			run(narrow, x)
			run(wide, y)
			testkit.EqualBits(t, x, y, what, "of order", n, "with AVX2, as with AVX-512")
		}
		identityOf[n] = diagonal(n, func(int) float64 { return 1 })
		for _, op := range operations {
			same(op.name, op.size(n)*count, func(w *Workspace, dst []float64) { op.run(w, dst, a, b, d, n, count) })
		}
		same("Congruence with one factor", n*n*count, func(w *Workspace, dst []float64) {
			w.Congruence(dst, b, a, n, count, true)
		})
		good, _ := mixed(n, count, true, rng)
		for _, part := range []int{1, 3, 4, 5, 8, 9, 17, 37} {
			part := min(part, count)
			for _, weights := range [][]float64{nil, d} {
				same(fmt.Sprintf("AddLogarithms of %d", part), n*n, func(w *Workspace, dst []float64) {
					testkit.NoError(t, w.AddLogarithms(dst, weights, nil, nil, good, n, part, func(int, []float64,
						float64) {
					}))
				})
			}
		}
	}
}
