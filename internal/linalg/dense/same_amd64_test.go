package dense

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"rao/internal/linalg/cpu"
	"rao/internal/testkit"
)

// sameOnBoth runs f on AVX2 and on AVX-512 and reports the first of size values that differs. It skips
// the test where the processor lacks AVX-512.
func sameOnBoth(t *testing.T, what string, size int, f func(path cpu.Path, out []float64)) {
	t.Helper()
	if !slices.Contains(cpu.Available(), cpu.AVX512) {
		t.Skip("this processor lacks AVX-512")
	}
	narrow, wide := make([]float64, size), make([]float64, size)
	f(cpu.AVX2, narrow)
	f(cpu.AVX512, wide)
	testkit.EqualBits(t, narrow, wide, what, "with AVX2, as with AVX-512")
}

// everySize contains sizes, and more values near the lengths of vectors and rounds.
var everySize = append(
	[]int{4, 6, 7, 9, 10, 11, 14, 15, 16, 17, 18, 19, 20, 21, 22, 26, 31, 32, 33, 129, 257}, sizes...)

// Products of large matrices have the same bits with AVX2 as with AVX-512.
func TestProductsHaveTheSameBitsOnEveryPath(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 1))
	size := func() int { return everySize[r.IntN(len(everySize))] }
	for range 400 {
		m, n, k := size(), size(), size()
		if r.IntN(20) == 0 {
			k = 600
		}
		alpha, beta := []float64{1, -1, -0.3}[r.IntN(3)], []float64{0, 1, 2.7}[r.IntN(3)]
		a, b, c := testkit.Normals(r, m*k), testkit.Normals(r, k*n), testkit.Normals(r, m*n)
		a32, b32 := testkit.Singles(a), testkit.Singles(b)
		for trans := range 4 {
			transA, transB := trans&1 != 0, trans&2 != 0
			lda, ldb := k, n
			if transA {
				lda = m
			}
			if transB {
				ldb = k
			}
			what := fmt.Sprintf("m=%d n=%d k=%d alpha=%v beta=%v %v %v", m, n, k, alpha, beta, transA, transB)
			sameOnBoth(t, "gemm "+what, m*n, func(path cpu.Path, out []float64) {
				copy(out, c)
				gemmOn(path, transA, transB, m, n, k, alpha, a, lda, b, ldb, beta, out, n)
			})
			sameOnBoth(t, "gemm32 "+what, m*n, func(path cpu.Path, out []float64) {
				copy(out, c)
				gemm32On(path, transA, transB, m, n, k, a32, lda, b32, ldb, out, n)
			})
		}
		what := fmt.Sprintf("n=%d k=%d alpha=%v beta=%v", n, k, alpha, beta)
		square := testkit.Normals(r, n*n)
		sameOnBoth(t, "syrk "+what, n*n, func(path cpu.Path, out []float64) {
			copy(out, square)
			syrkOn(path, n, k, alpha, b, n, beta, out, n)
		})
		sameOnBoth(t, "syrk32 "+what, n*n, func(path cpu.Path, out []float64) {
			copy(out, square)
			syrk(kernels32(path), n, k, 1, b32, n, out, n)
			Mirror(n, out, n)
		})
	}
}

// pixelRows returns k rows of n integers, with a fraction more in some rows.
func pixelRows(r *rand.Rand, k, n int, fraction func(i int) bool) [][]float32 {
	var x [][]float32
	for i := range k {
		row := make([]float32, n)
		for j := range row {
			if row[j] = float32(r.IntN(256)); fraction(i) {
				row[j] += 0.37
			}
		}
		x = append(x, row)
	}
	return x
}

// Statistics have the same bits with AVX2 and AVX-512, even if rows of bytes, which have separate kernels, are mixed
// with others, and if values exceed the range of float32.
func TestStatisticsHaveTheSameBitsOnEveryPath(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 2))
	for _, n := range []int{1, 7, 16, 47, 49, 100} {
		for _, k := range []int{1, 255, 700, 3000, 5000} {
			x64, pivot64 := scattered[float64](r, k, n)
			x32, pivot32 := scattered[float32](r, k, n)
			size := n + n*n
			sameOnBoth(t, fmt.Sprintf("%d×%d float64", k, n), size, func(path cpu.Path, out []float64) {
				new(Centered[float64]).addOn(path, x64, pivot64, out[:n], out[n:], n)
				Mirror(n, out[n:], n)
			})
			pivot := make([]float32, n)
			for j := range pivot {
				pivot[j] = float32(100 + r.IntN(50))
			}
			for what, x := range map[string][][]float32{
				"float32": x32,
				"bytes":   pixelRows(r, k, n, func(int) bool { return false }),
				"mixed":   pixelRows(r, k, n, func(i int) bool { return i/1024 == 1 || i == 3100 }),
				"first":   pixelRows(r, k, n, func(i int) bool { return i == 0 }),
			} {
				about := pivot
				if what == "float32" {
					about = pivot32
				}
				for _, huge := range []bool{false, true} {
					if huge {
						x[k/2][n/2], x[k/3][0] = 1e25, 3e24
					}
					sameOnBoth(t, fmt.Sprintf("%d×%d %s, out of range: %v", k, n, what, huge), size,
						func(path cpu.Path, out []float64) {
							var s Centered[float32]
							s.addOn(path, x, about, out[:n], out[n:], n)
							s.addOn(path, x[:k/2], about, out[:n], out[n:], n)
							Mirror(n, out[n:], n)
						})
				}
			}
		}
	}
}

// Single rows have the same bits with AVX2 as with AVX-512.
func TestRowsHaveTheSameBitsOnEveryPath(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 3))
	for n := range 100 {
		x, pivot, sum := testkit.Normals(r, n), testkit.Normals(r, n), testkit.Normals(r, n)
		x32, pivot32 := testkit.Singles(x), testkit.Singles(pivot)
		sameOnBoth(t, fmt.Sprintf("%d float64", n), 2*n+1, func(path cpu.Path, out []float64) {
			copy(out, sum)
			out[2*n] = centerRow(vectors64(path), x, pivot, out[n:2*n], out[:n], nil)
		})
		sameOnBoth(t, fmt.Sprintf("%d float32", n), 4*n+1, func(path cpu.Path, out []float64) {
			y, largest := make([]float32, n), make([]float32, n)
			copy(out, sum)
			out[4*n] = centerRow(vectors32(path), x32, pivot32, y, out[:n], largest)
			for j := range n {
				out[n+j], out[2*n+j] = float64(y[j]), float64(largest[j])
			}
			addScaled(vectors32(path), out[3*n:4*n], 0.3, y)
		})
	}
}

// Products with few columns have the same bits with AVX2 as with AVX-512: of one matrix, in one piece
// or several, in double and in single precision, and of a stack, by its rows and by its triangles.
func TestProjectionsHaveTheSameBitsOnEveryPath(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 4))
	for m := 1; m <= 50; m++ {
		for _, n := range []int{1 + r.IntN(30), 30 + r.IntN(100), 128 + r.IntN(150)} {
			rows := 1 + r.IntN(40)
			what := fmt.Sprintf("n=%d m=%d rows=%d", n, m, rows)
			f, a := testkit.Normals(r, n*m), testkit.Normals(r, rows*n)
			a32, cut := testkit.Singles(a), r.IntN(n+1)
			sameOnBoth(t, "pieces "+what, rows*m, func(path cpu.Path, out []float64) {
				timesPiecesOn(path, rows, m, []Piece{{a, cut, n}, {a[min(cut, n-1):], n - cut, n}}, f, m, out, m)
			})
			sameOnBoth(t, "times32 "+what, rows*m, func(path cpu.Path, out []float64) {
				times32On(path, rows, n, m, a32, n, f, m, out, m)
			})
			var holes []span
			if lo := r.IntN(n); r.IntN(2) == 0 {
				holes = []span{{lo, lo + r.IntN(n-lo)}}
			}
			const c = 3
			phi := symmetric(r, c, n, holes)
			phi32 := testkit.Singles(phi)
			sameOnBoth(t, "project "+what, n*m, func(path cpu.Path, out []float64) {
				projectOn(path, n, m, phi, n, f, m, out, m)
			})
			sameOnBoth(t, "project32 "+what, n*m, func(path cpu.Path, out []float64) {
				project32On(path, n, m, phi32, n, f, m, out, m)
			})
			sameOnBoth(t, fmt.Sprintf("rows of a stack with zeros in %v %s", holes, what), n*c*m,
				func(path cpu.Path, out []float64) { newStackOn(path, c, n, phi).projectRows(m, f, m, out, c*m) })
			sameOnBoth(t, fmt.Sprintf("triangles with zeros in %v %s", holes, what), n*c*m,
				func(path cpu.Path, out []float64) {
					s := newStackOn(path, c, n, phi)
					newBlocking(s).project(s, m, f, m, out, c*m)
				})
		}
	}
	const c, n = 5, 250
	phi := symmetric(r, c, n, []span{{100, 130}})
	for m := range 16 {
		f := testkit.Normals(r, n*m)
		sameOnBoth(t, fmt.Sprintf("a large stack and %d columns", m), n*c*m, func(path cpu.Path, out []float64) {
			newStackOn(path, c, n, phi).Project(m, f, m, out, c*m)
		})
	}
}
