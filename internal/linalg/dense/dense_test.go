package dense

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"rao/internal/linalg/cpu"
	"rao/internal/testkit"
)

// matrix returns a rows×cols matrix with NaN padding between rows and after the last, so any use of the padding is
// visible.
type matrix struct {
	rows, cols, ld int
	data           []float64
}

func newMatrix(r *rand.Rand, rows, cols, pad int) matrix {
	m := matrix{rows, cols, cols + pad, nil}
	m.data = make([]float64, max(0, rows*m.ld-pad))
	for i := range m.data {
		m.data[i] = math.NaN()
		if m.ld > 0 && i%m.ld < cols {
			m.data[i] = r.NormFloat64()
		}
	}
	return m
}

func (m matrix) at(i, j int) float64 { return m.data[i*m.ld+j] }

func (m matrix) clone() matrix {
	m.data = slices.Clone(m.data)
	return m
}

// narrow returns the matrix in float32, and rounds m to it.
func (m matrix) narrow() []float32 {
	out := testkit.Singles(m.data)
	for i, v := range out {
		m.data[i] = float64(v)
	}
	return out
}

// op returns element (i,j) of m or of its transpose.
func op(m matrix, trans bool, i, j int) float64 {
	if trans {
		return m.at(j, i)
	}
	return m.at(i, j)
}

// oracle returns alpha op(A) op(B) + beta C, and the sum of the magnitudes, which bounds the rounding error.
func oracle(transA, transB bool, k int, alpha float64, a, b matrix, beta float64, c matrix, i,
	j int) (want, size float64) {
	for p := range k {
		v := alpha * op(a, transA, i, p) * op(b, transB, p, j)
		want += v
		size += math.Abs(v)
	}
	if beta != 0 {
		want += beta * c.at(i, j)
		size += math.Abs(beta * c.at(i, j))
	}
	return want, size
}

// compare checks got against the oracle and its padding against before.
func compare(t *testing.T, what string, got, before matrix, tol float64, want func(i, j int) (float64, float64)) {
	t.Helper()
	for at, v := range got.data {
		i, j := at/got.ld, at%got.ld
		if j >= got.cols {
			if !math.IsNaN(v) {
				t.Fatalf("%s: padding at row %d, column %d was written", what, i, j)
			}
			continue
		}
		w, size := want(i, j)
		if !(math.Abs(v-w) <= tol*size) {
			t.Fatalf("%s: element %d,%d of %d×%d is %v, want %v (was %v)",
				what, i, j, got.rows, got.cols, v, w, before.data[at])
		}
	}
}

// sizes are not multiples of the tiles' rows and columns: below, at and above the size of every tile.
var sizes = []int{1, 2, 3, 5, 8, 12, 13, 23, 24, 25, 47, 49, 97, 100}

func eachPath(t *testing.T, f func(t *testing.T, path cpu.Path)) {
	for _, path := range cpu.Available() {
		t.Run(path.String(), func(t *testing.T) { f(t, path) })
	}
}

func TestGemm(t *testing.T) {
	eachPath(t, func(t *testing.T, path cpu.Path) {
		r := rand.New(rand.NewPCG(1, 1))
		for range 120 {
			m, n, k := sizes[r.IntN(len(sizes))], sizes[r.IntN(len(sizes))], sizes[r.IntN(len(sizes))]
			if r.IntN(20) == 0 {
				k = 300
			}
			transA, transB := r.IntN(2) == 1, r.IntN(2) == 1
			alpha, beta := []float64{1, -0.5, 0}[r.IntN(3)], []float64{0, 1, 2.5}[r.IntN(3)]
			pad := r.IntN(3)
			a, b := newMatrix(r, m, k, pad), newMatrix(r, k, n, pad)
			if transA {
				a = newMatrix(r, k, m, pad)
			}
			if transB {
				b = newMatrix(r, n, k, pad)
			}
			c := newMatrix(r, m, n, pad)
			got := c.clone()
			if beta == 0 {
				for i := range got.data {
					got.data[i] = math.NaN()
				}
			}
			gemmOn(path, transA, transB, m, n, k, alpha, a.data, a.ld, b.data, b.ld, beta, got.data, got.ld)
			what := fmt.Sprintf("gemm %v %v m=%d n=%d k=%d alpha=%v beta=%v", transA, transB, m, n, k, alpha, beta)
			compare(t, what, got, c, 4e-15, func(i, j int) (float64, float64) {
				return oracle(transA, transB, k, alpha, a, b, beta, c, i, j)
			})
			a32, b32 := a.narrow(), b.narrow()
			got = c.clone()
			gemm32On(path, transA, transB, m, n, k, a32, a.ld, b32, b.ld, got.data, got.ld)
			compare(t, what+" float32", got, c, 2e-6, func(i, j int) (float64, float64) {
				return oracle(transA, transB, k, 1, a, b, 1, c, i, j)
			})
		}
	})
}

// A product with a matrix in pieces equals the product with the complete matrix.
func TestTimesPieces(t *testing.T) {
	eachPath(t, func(t *testing.T, path cpu.Path) {
		r := rand.New(rand.NewPCG(1, 6))
		for range 60 {
			m, n, k := sizes[r.IntN(len(sizes))], sizes[r.IntN(len(sizes))], sizes[r.IntN(len(sizes))]
			a, b, c := newMatrix(r, m, k, 1), newMatrix(r, k, n, 2), newMatrix(r, m, n, 1)
			var pieces []Piece
			for at := 0; at < k; {
				piece := Piece{Data: a.data[at:], Cols: r.IntN(k - at + 1), LD: a.ld}
				pieces = append(pieces, piece)
				at += piece.Cols
			}
			got := c.clone()
			timesPiecesOn(path, m, n, pieces, b.data, b.ld, got.data, got.ld)
			compare(t, fmt.Sprintf("m=%d n=%d k=%d in %d pieces", m, n, k, len(pieces)), got, c, 4e-15,
				func(i, j int) (float64, float64) { return oracle(false, false, k, 1, a, b, 1, c, i, j) })
		}
	})
}

func TestSyrk(t *testing.T) {
	eachPath(t, func(t *testing.T, path cpu.Path) {
		r := rand.New(rand.NewPCG(2, 1))
		for range 60 {
			n, k := sizes[r.IntN(len(sizes))], sizes[r.IntN(len(sizes))]
			if r.IntN(20) == 0 {
				n, k = 111, 530
			}
			alpha, beta := []float64{1, -0.5, 0}[r.IntN(3)], []float64{0, 1, 2.5}[r.IntN(3)]
			pad := r.IntN(3)
			a, c := newMatrix(r, k, n, pad), newMatrix(r, n, n, pad)
			got := c.clone()
			for i := range n {
				for j := range n {
					if j < i || beta == 0 { // not read
						got.data[i*got.ld+j] = math.NaN()
					}
				}
			}
			rest := got.clone()
			syrkOn(path, n, k, alpha, a.data, a.ld, beta, got.data, got.ld)
			want := func(alpha, beta float64) func(i, j int) (float64, float64) {
				return func(i, j int) (float64, float64) {
					return oracle(true, false, k, alpha, a, a, beta, c, min(i, j), max(i, j))
				}
			}
			what := fmt.Sprintf("syrk n=%d k=%d alpha=%v beta=%v", n, k, alpha, beta)
			compare(t, what, got, rest, 4e-15, want(alpha, beta))
			a32 := a.narrow()
			got = c.clone()
			syrk(kernels32(path), n, k, 1, a32, a.ld, got.data, got.ld)
			Mirror(n, got.data, got.ld)
			compare(t, what+" float32", got, c, 2e-6, want(1, 1))
		}
	})
}

func TestProject(t *testing.T) {
	eachPath(t, func(t *testing.T, path cpu.Path) {
		r := rand.New(rand.NewPCG(3, 1))
		for range 80 {
			n, m := sizes[r.IntN(len(sizes))], sizes[r.IntN(len(sizes))]
			if r.IntN(20) == 0 {
				n = 300
			}
			pad := r.IntN(3)
			phi, f, dst := newMatrix(r, n, n, pad), newMatrix(r, n, m, pad), newMatrix(r, n, m, pad)
			want := func(i, j int) (float64, float64) {
				return oracle(false, false, n, 1, phi, f, 0, dst, i, j)
			}
			got := dst.clone()
			projectOn(path, n, m, phi.data, phi.ld, f.data, f.ld, got.data, got.ld)
			what := fmt.Sprintf("project n=%d m=%d", n, m)
			compare(t, what, got, dst, 4e-15, want)
			phi32 := phi.narrow()
			got = dst.clone()
			project32On(path, n, m, phi32, phi.ld, f.data, f.ld, got.data, got.ld)
			compare(t, what+" float32", got, dst, 4e-15, want)
		}
	})
}

func TestTimes32(t *testing.T) {
	eachPath(t, func(t *testing.T, path cpu.Path) {
		r := rand.New(rand.NewPCG(3, 4))
		for range 40 {
			rows, n, m, pad := r.IntN(70), r.IntN(300), r.IntN(30), r.IntN(3)
			a, f, dst := newMatrix(r, rows, n, pad), newMatrix(r, n, m, pad), newMatrix(r, rows, m, pad)
			a32, got := a.narrow(), dst.clone()
			times32On(path, rows, n, m, a32, a.ld, f.data, f.ld, got.data, got.ld)
			compare(t, fmt.Sprintf("%d×%d times %d columns", rows, n, m), got, dst, 4e-15,
				func(i, j int) (float64, float64) { return oracle(false, false, n, 1, a, f, 1, dst, i, j) })
		}
	})
}

// Projections of large matrices are correct for orders and numbers of columns that are not multiples of the tiles.
func TestProjectLarge(t *testing.T) {
	eachPath(t, func(t *testing.T, path cpu.Path) {
		r := rand.New(rand.NewPCG(3, 2))
		for i, n := range []int{191, 192, 193, 199, 200, 207, 221, 256, 333} {
			for _, m := range []int{1 + i, 10 + i, 19 + 2*i} {
				phi, f, dst := newMatrix(r, n, n, i%3), newMatrix(r, n, m, i%2), newMatrix(r, n, m, i%3)
				got := dst.clone()
				projectOn(path, n, m, phi.data, phi.ld, f.data, f.ld, got.data, got.ld)
				compare(t, fmt.Sprintf("project n=%d m=%d", n, m), got, dst, 4e-15, func(i, j int) (float64, float64) {
					return oracle(false, false, n, 1, phi, f, 0, dst, i, j)
				})
			}
		}
	})
}

// The products of a stack equal the products of each matrix. Rows of zeros may be at the ends, in long and short runs
// inside, everywhere or nowhere. Adjacent memory does not change, and the bits are the same for any number of
// goroutines.
func TestStackProjectsEachMatrixSideBySide(t *testing.T) {
	const n = 75
	holes := [][]span{nil, {{0, 9}}, {{50, n}}, {{0, 1}, {20, 27}, {n - 1, n}}, {{8, 16}, {17, 18}, {30, 60}}, {{0, n}},
		{{1, n}}}
	c := len(holes)
	eachPath(t, func(t *testing.T, path cpu.Path) {
		r := rand.New(rand.NewPCG(4, 1))
		for _, m := range []int{1, 7, 9, 30} {
			phi, f := testkit.Normals(r, c*n*n), newMatrix(r, n, m, 2)
			for i, list := range holes {
				for _, hole := range list {
					for a := hole.lo; a < hole.hi; a++ {
						for b := range n {
							phi[(i*n+a)*n+b], phi[(i*n+b)*n+a] = 0, 0
						}
					}
				}
			}
			got := newMatrix(r, n, c*m, 3)
			want, again := got.clone(), got.clone()
			stack := newStackOn(path, c, n, phi)
			stack.Project(m, f.data, f.ld, got.data, got.ld)
			old := runtime.GOMAXPROCS(1)
			stack.Project(m, f.data, f.ld, again.data, again.ld)
			runtime.GOMAXPROCS(old)
			for i := range c {
				projectOn(path, n, m, phi[i*n*n:], n, f.data, f.ld, want.data[i*m:], want.ld)
			}
			for i, v := range want.data {
				if g := got.data[i]; math.Abs(g-v) > 1e-14*n || math.IsNaN(g) != math.IsNaN(v) {
					t.Fatalf("m=%d: value %d is %v, want %v", m, i, g, v)
				}
			}
			testkit.EqualBits(t, again.data, got.data, "m =", m, "on one processor, as on many")
		}
	})
}

// A row with only a nonzero diagonal, or only one other nonzero value, is not a row of zeros.
func TestStackKeepsRowsWithOneValue(t *testing.T) {
	const n = 40
	phi := make([]float64, 2*n*n)
	phi[20*n+20] = 3
	phi[n*n+5*n+30], phi[n*n+30*n+5] = 2, 2
	f, got := make([]float64, n), make([]float64, 2*n)
	for i := range f {
		f[i] = float64(i + 1)
	}
	NewStack(2, n, phi).Project(1, f, 1, got, 2)
	for i := range n {
		first, second := 0.0, 0.0
		switch i {
		case 20:
			first = 63
		case 5:
			second = 62
		case 30:
			second = 12
		}
		testkit.Equal(t, got[2*i], first, "row", i)
		testkit.Equal(t, got[2*i+1], second, "row", i)
	}
}

// Values near the ends of the range, including denormals, are neither flushed nor lost.
func TestDenormals(t *testing.T) {
	eachPath(t, func(t *testing.T, path cpu.Path) {
		const n, k = 30, 7
		a := slices.Repeat([]float64{math.Ldexp(1, -530)}, k*n)
		c := make([]float64, n*n)
		syrkOn(path, n, k, 1, a, n, 0, c, n)
		f := slices.Repeat([]float64{math.Ldexp(1, -530)}, k)
		dst := make([]float64, 1)
		gemmOn(path, false, false, 1, 1, k, 1, a, n, f, 1, 0, dst, 1)
		want := float64(k) * math.Ldexp(1, -1060)
		if c[0] != want || c[n*n-1] != want || dst[0] != want {
			t.Errorf("got %v, %v and %v, want %v", c[0], c[n*n-1], dst[0], want)
		}
		single := make([]float32, k*n)
		for i := range single {
			single[i] = float32(math.Ldexp(1, -74))
		}
		clear(c)
		syrk(kernels32(path), n, k, 1, single, n, c, n)
		testkit.Equal(t, c[1], float64(k)*math.Ldexp(1, -148), "float32: got")
	})
}

// NaN and infinities affect only the elements that depend on them.
func TestNotFiniteStaysInItsPlace(t *testing.T) {
	eachPath(t, func(t *testing.T, path cpu.Path) {
		const n, k, bad = 50, 20, 31
		r := rand.New(rand.NewPCG(5, 1))
		a, c := testkit.Normals(r, k*n), make([]float64, n*n)
		a[3*n+bad] = math.NaN()
		syrkOn(path, n, k, 1, a, n, 0, c, n)
		for i, v := range c {
			if got, want := math.IsNaN(v), i/n == bad || i%n == bad; got != want {
				t.Fatalf("element %d,%d: NaN %v, want %v", i/n, i%n, got, want)
			}
		}
	})
}

func TestSingleIsExactForPixels(t *testing.T) {
	eachPath(t, func(t *testing.T, path cpu.Path) {
		const n, k = 53, 1000
		r := rand.New(rand.NewPCG(6, 1))
		a := make([]float32, k*n)
		for i := range a {
			a[i] = float32(255 - r.IntN(2))
		}
		c := make([]float64, n*n)
		syrk(kernels32(path), n, k, 1, a, n, c, n)
		for i := range n {
			for j := i; j < n; j++ {
				want := 0.0
				for p := range k {
					want += float64(a[p*n+i]) * float64(a[p*n+j])
				}
				if c[i*n+j] != want {
					t.Fatalf("element %d,%d is %v, want %v", i, j, c[i*n+j], want)
				}
			}
		}
	})
}

func TestSameBitsForAnyWorkers(t *testing.T) {
	eachPath(t, func(t *testing.T, path cpu.Path) {
		const n, m, k = 231, 37, 313
		r := rand.New(rand.NewPCG(7, 1))
		a, b := testkit.Normals(r, k*n), testkit.Normals(r, n*n)
		a32, b32 := testkit.Singles(a), testkit.Singles(b)
		testkit.SameAtAnyProcs(t, func() []float64 {
			got := make([]float64, 2*n*n+2*n*m+k*n+k*m+k*9)
			rest := got
			next := func(size int) []float64 {
				part := rest[:size]
				rest = rest[size:]
				return part
			}
			syrkOn(path, n, k, 1, a, n, 0, next(n*n), n)
			syrk(kernels32(path), n, k, 1, a32, n, next(n*n), n)
			projectOn(path, n, m, b, n, a, m, next(n*m), m)
			project32On(path, n, m, b32, n, a, m, next(n*m), m)
			gemmOn(path, false, true, k, n, n, 1, a, n, b, n, 0, next(k*n), n)
			gemmOn(path, false, false, k, 9, n, 1, a, n, b, n, 0, next(k*m), m)
			timesPiecesOn(path, k, 9, []Piece{{a, 100, n}, {a[100:], n - 100, n}}, b, n, next(k*9), 9)
			return got
		})
	})
}

func TestEmptyShapes(t *testing.T) {
	c := []float64{1, 2, 3, 4}
	Gemm(false, false, 2, 2, 0, 1, nil, 1, nil, 2, 2, c, 2)
	testkit.EqualSlices(t, c, []float64{2, 4, 6, 8}, "k = 0")
	Syrk(2, 0, 1, nil, 2, 0, c, 2)
	testkit.EqualSlices(t, c, make([]float64, 4), "syrk with k = 0")
	Gemm(false, false, 0, 0, 3, 1, nil, 3, nil, 1, 0, nil, 1)
	Project(0, 3, nil, 1, nil, 3, nil, 3)
	Project(2, 0, c, 2, nil, 1, nil, 1)
}

func TestWrongShapesPanic(t *testing.T) {
	x := make([]float64, 12)
	for what, f := range map[string]func(){
		"dense: A is too short": func() {
			Gemm(false, false, 4, 2, 4, 1, x, 4, x, 2, 0, x, 2)
		},
		"dense: leading dimension of B below its columns": func() {
			Gemm(false, false, 3, 4, 3, 1, x, 3, x, 3, 0, x, 4)
		},
		"dense: C is too short":     func() { Syrk(4, 2, 1, x, 4, 0, x, 4) },
		"dense: negative size of A": func() { Syrk(-1, 2, 1, x, 4, 0, x, 4) },
		"dense: dst is too short":   func() { Project(3, 5, x, 3, make([]float64, 15), 5, x, 5) },
	} {
		testkit.Equal(t, testkit.Panic(f), any(what), "panic")
	}
}

func TestNoAllocationPerCallInSteadyState(t *testing.T) {
	old := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(old)
	const n, k = 60, 40
	r := rand.New(rand.NewPCG(8, 1))
	a, c := testkit.Normals(r, n*k), make([]float64, n*n)
	if got := testing.AllocsPerRun(50, func() { Syrk(n, k, 1, a, n, 0, c, n) }); got > 8 {
		t.Errorf("%v allocations a call, want a handful for its few closures", got)
	}
}

// project32On is [Project] for a Phi stored in float32.
func project32On(path cpu.Path, n, m int, phi []float32, ldphi int, f []float64, ldf int, dst []float64, lddst int) {
	check("Phi", len(phi), n, n, ldphi)
	projectBlocks(path, 1, n, m, f, ldf, dst, lddst, func(p *projection, _, b, worker int) {
		p.block32(b, n, phi, ldphi, dst, lddst, worker)
	})
}
