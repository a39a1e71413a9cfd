package dense

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"rao/internal/hugepages"
	"rao/internal/linalg/cpu"
	"rao/internal/testkit"
)

// symmetric returns c symmetric matrices of order n with normal values, and zeros in the rows and columns in holes.
func symmetric(r *rand.Rand, c, n int, holes []span) []float64 {
	x := hugepages.Make[float64](c * n * n)
	empty := make([]bool, n)
	for _, h := range holes {
		for i := h.lo; i < h.hi; i++ {
			empty[i] = true
		}
	}
	for i := range c {
		for a := range n {
			for b := a; b < n; b++ {
				if v := r.NormFloat64(); !empty[a] && !empty[b] {
					x[(i*n+a)*n+b], x[(i*n+b)*n+a] = v, v
				}
			}
		}
	}
	return x
}

// onTriangles computes the products of a stack from upper triangles, for any size. After the stack is made, values that
// must not be read become NaN: everything below the diagonals and, in rows and columns of holes, everything a block or
// more inside.
func onTriangles(path cpu.Path, c, n, m int, phi []float64, holes []span, f, dst matrix) {
	s := newStackOn(path, c, n, phi)
	const lane = triangleLane
	for i := range c {
		a := phi[i*n*n : (i+1)*n*n]
		for r := range n {
			for q := range r {
				a[r*n+q] = math.NaN()
			}
		}
		for _, h := range holes {
			for r := h.lo + lane; r < h.hi-lane && h.hi-h.lo >= shortestGap; r++ {
				for q := range n {
					a[r*n+q], a[q*n+r] = math.NaN(), math.NaN()
				}
			}
		}
	}
	newBlocking(s).project(s, m, f.data, f.ld, dst.data, dst.ld)
}

func eachTrianglePath(t *testing.T, f func(t *testing.T, path cpu.Path)) {
	eachPath(t, func(t *testing.T, path cpu.Path) {
		if len(rowKernelsOf(path).triangle) == 0 {
			t.Skip("reads both triangles")
		}
		f(t, path)
	})
}

// Products from upper triangles equal those of a plain loop, with rows of zeros anywhere and in bands, and the bits are
// the same for any number of goroutines. Nothing else is read or written.
func TestTrianglesGiveTheProductsOfWholeMatrices(t *testing.T) {
	orders := []int{96, 127, 192, 213, 320}
	for n := 1; n <= 70; n++ {
		orders = append(orders, n)
	}
	eachTrianglePath(t, func(t *testing.T, path cpu.Path) {
		r := rand.New(rand.NewPCG(9, 1))
		for _, n := range orders {
			var holes []span
			for at := r.IntN(40); at < n && r.IntN(4) > 0; at += 40 + r.IntN(40) {
				holes = append(holes, span{at, min(n, at+1+r.IntN(50))})
			}
			if r.IntN(20) == 0 {
				holes = []span{{0, n}}
			}
			c, m := 1+r.IntN(5), 1+r.IntN(30)
			phi := symmetric(r, c, n, holes)
			f, dst := newMatrix(r, n, m, r.IntN(3)), newMatrix(r, n, c*m, r.IntN(3))
			what := fmt.Sprintf("n=%d m=%d c=%d, zeros in %v", n, m, c, holes)
			var first matrix
			for _, procs := range []int{1, 2, 5} {
				old := runtime.GOMAXPROCS(procs)
				got := dst.clone()
				onTriangles(path, c, n, m, append([]float64(nil), phi...), holes, f, got)
				runtime.GOMAXPROCS(old)
				if procs == 1 {
					first = got
					compare(t, what, got, dst, 4e-15, func(i, j int) (float64, float64) {
						a := matrix{n, n, n, phi[j/m*n*n : (j/m+1)*n*n]}
						return oracle(false, false, n, 1, a, f, 0, dst, i, j%m)
					})
				}
				testkit.EqualBits(t, got.data, first.data, what, "with", procs, "processors, as with one")
			}
		}
	})
}

// Large stacks are projected from their upper triangles if the processor has kernels for this, and small stacks are
// not.
func TestLargeStacksAreReadByTriangles(t *testing.T) {
	const n, m = 140, 5
	eachPath(t, func(t *testing.T, path cpu.Path) {
		for _, c := range []int{2, 14} {
			r := rand.New(rand.NewPCG(9, 2))
			phi, f := symmetric(r, c, n, []span{{3, 40}}), testkit.Normals(r, n*m)
			s := newStackOn(path, c, n, phi)
			want, got := make([]float64, n*c*m), make([]float64, n*c*m)
			s.projectRows(m, f, m, want, c*m)
			for i := range c {
				for a := range n {
					for b := range a {
						phi[(i*n+a)*n+b] = math.NaN()
					}
				}
			}
			s.Project(m, f, m, got, c*m)
			upper := c == 14 && len(rowKernelsOf(path).triangle) > 0
			for i, v := range want {
				if upper && !(math.Abs(got[i]-v) <= 1e-13*n) {
					t.Fatalf("value %d of %d matrices is %v, want %v", i, c, got[i], v)
				}
			}
			if !upper && !math.IsNaN(got[n*c*m-1]) {
				t.Errorf("%d matrices: the lower triangles were not read", c)
			}
		}
	})
}

// Benchmarks both triangles and the upper one, from memory and, for small stacks, from the cache. Stack chooses the
// faster one.
func BenchmarkStack(b *testing.B) {
	for _, x := range [][2]int{{10, 20}, {10, 60}, {10, 120}, {10, 256}, {2, 784}, {10, 784}} {
		c, n := x[0], x[1]
		r := rand.New(rand.NewPCG(1, 3))
		phi := symmetric(r, c, n, nil)
		for _, path := range cpu.Available() {
			s, g := newStackOn(path, c, n, phi), rowKernelsOf(path)
			upper := newBlocking(s)
			for _, m := range []int{1, 4, 9, 16, 24} {
				f, dst := testkit.Normals(r, n*m), make([]float64, n*c*m)
				name := fmt.Sprintf("%dx%d/%d/%v/", c, n, m, path)
				b.Run(name+"both", func(b *testing.B) {
					for b.Loop() {
						s.projectRows(m, f, m, dst, c*m)
					}
				})
				if len(g.triangle) == 0 {
					continue
				}
				b.Run(name+"upper", func(b *testing.B) {
					for b.Loop() {
						upper.project(s, m, f, m, dst, c*m)
					}
				})
			}
		}
	}
}
