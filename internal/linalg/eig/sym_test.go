package eig

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"rao/internal/testkit"
)

// check verifies A V = V diag(values) relative to the Frobenius norm of A,
// V'V = I and the order of values.
func check(t *testing.T, what string, a, v, values []float64, n int) {
	t.Helper()
	norm := 0.0
	for _, x := range a {
		norm = math.Hypot(norm, x)
	}
	tol := 4e-15 * math.Sqrt(float64(n)+8)
	// A subnormal eigenvalue is rounded to a multiple of the least number.
	rounding := math.SmallestNonzeroFloat64 / math.Max(norm, 1e-320)
	for j := range n {
		if j > 0 && values[j] < values[j-1] {
			t.Fatalf("%s: eigenvalues %d and %d are not ascending", what, j-1, j)
		}
		for i := range n {
			var av, vv float64
			for k := range n {
				av += a[i*n+k] / math.Max(norm, 1e-320) * v[k*n+j]
				vv += v[k*n+i] * v[k*n+j]
			}
			want := 0.0
			if i == j {
				want = 1
			}
			if r := math.Abs(av - values[j]/math.Max(norm, 1e-320)*v[i*n+j]); !(r <= tol+rounding) && norm > 0 {
				t.Fatalf("%s: residual %g in row %d of vector %d, tolerance %g", what, r, i, j, tol)
			}
			if r := math.Abs(vv - want); !(r <= tol) {
				t.Fatalf("%s: vectors %d and %d are off orthonormal by %g, tolerance %g", what, i, j, r, tol)
			}
		}
	}
}

// cases returns matrices of order n that have broken eigen-solvers before.
func cases(n int, rng *rand.Rand) map[string][]float64 {
	spectrum := func(f func(i int) float64) []float64 { return testkit.WithSpectrum(rng, n, f) }
	scaled := func(a []float64, by float64) []float64 {
		b := make([]float64, len(a))
		for i := range a {
			b[i] = a[i] * by
		}
		return b
	}
	random := spectrum(func(int) float64 { return rng.NormFloat64() })
	diagonal, rankOne, zeroDiagonal := make([]float64, n*n), make([]float64, n*n), make([]float64, n*n)
	for i := range n {
		diagonal[i*n+i] = float64((i*7)%n) - 2
		for j := range n {
			rankOne[i*n+j] = float64(i+1) * float64(j+1)
			if i != j {
				zeroDiagonal[i*n+j] = 1
			}
		}
	}
	return map[string][]float64{
		"random":           random,
		"graded":           spectrum(func(i int) float64 { return math.Pow(10, -12*float64(i)/float64(n)) }),
		"clustered":        spectrum(func(i int) float64 { return 1 + 1e-13*float64(i%3) }),
		"repeated":         spectrum(func(i int) float64 { return float64(i % 2) }),
		"huge":             scaled(random, 1e306/float64(n)),
		"tiny":             scaled(random, 1e-300),
		"subnormal":        scaled(random, 1e-318),
		"zero":             make([]float64, n*n),
		"diagonal":         diagonal,
		"rank one":         rankOne,
		"zero diagonal":    zeroDiagonal,
		"nearly reducible": spectrum(func(i int) float64 { return 1e-160 * float64(i) }),
	}
}

func TestSymDecomposes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 3, 4, 5, 9, 10, 22, 33, 64, 65, 97, 130} {
		for name, a := range cases(n, rng) {
			v := append([]float64(nil), a...)
			for i := range n { // the upper triangle must not be read
				for j := i + 1; j < n; j++ {
					v[i*n+j] = math.NaN()
				}
			}
			values, only := make([]float64, n), make([]float64, n)
			work := make([]float64, WorkLen(n))
			for i := range work { // nor may what scratch holds matter
				work[i] = math.NaN()
			}
			testkit.NoError(t, Sym(values, v, n, true, work), fmt.Sprintf("n=%d %s", n, name))
			check(t, fmt.Sprintf("n=%d %s", n, name), a, v, values, n)
			testkit.NoError(t, Sym(only, append([]float64(nil), a...), n, false, work),
				fmt.Sprintf("n=%d %s without vectors", n, name))
			testkit.EqualSlices(t, only, values, "n =", n, name, "eigenvalues without vectors")
		}
	}
}

func TestSymAgreesWithKnownSpectrum(t *testing.T) {
	// The second difference matrix has eigenvalues 2 - 2 cos(kπ/(n+1)).
	const n = 40
	a := make([]float64, n*n)
	for i := range n {
		a[i*n+i] = 2
		if i > 0 {
			a[i*n+i-1], a[(i-1)*n+i] = -1, -1
		}
	}
	values := make([]float64, n)
	testkit.NoError(t, Sym(values, a, n, false, make([]float64, n)))
	for k := range n {
		want := 2 - 2*math.Cos(float64(k+1)*math.Pi/(n+1))
		testkit.Near(t, values[k], want, 2e-15, "eigenvalue", k)
	}
}

func TestSymDoesNotDependOnTheNumberOfProcessors(t *testing.T) {
	const n = 130
	rng := rand.New(rand.NewPCG(9, 9))
	src := testkit.WithSpectrum(rng, n, func(int) float64 { return rng.NormFloat64() })
	testkit.SameAtAnyProcs(t, func() []float64 {
		a, values := append([]float64(nil), src...), make([]float64, n)
		testkit.NoError(t, Sym(values, a, n, true, make([]float64, WorkLen(n))))
		return a
	}, "vectors")
}

func TestSymOfExtremeNumbers(t *testing.T) {
	for _, v := range []float64{math.MaxFloat64, 0x1p1023, 0x1p-1022, math.SmallestNonzeroFloat64} {
		a, values := []float64{v, 0, 0, v / 2}, make([]float64, 2)
		testkit.NoError(t, Sym(values, a, 2, true, make([]float64, 2)), v)
		if values[0] != v/2 || values[1] != v {
			t.Errorf("eigenvalues of diag(%g, %g) are %g", v, v/2, values)
		}
	}
}

func TestSymRefusesWhatIsNotFinite(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		a := []float64{1, 0, 0, 0, 1, 0, 0, bad, 1}
		err := Sym(make([]float64, 3), a, 3, true, make([]float64, 3))
		testkit.ErrorIs(t, err, ErrNotFinite, "entry", bad)
	}
	// Eigenvalues 0 and 2·MaxFloat64: the largest cannot be represented.
	m := math.MaxFloat64
	if err := Sym(make([]float64, 2), []float64{m, m, m, m}, 2, false, make([]float64, 2)); !errors.Is(err,
		ErrNotFinite) {
		t.Errorf("overflowing eigenvalue: error %v, want %v", err, ErrNotFinite)
	}
}

func TestSymPanicsOnShortSlices(t *testing.T) {
	testkit.Panics(t, func() { _ = Sym(make([]float64, 1), make([]float64, 4), 2, false, make([]float64, 2)) })
}

func TestSymDoesNotAllocate(t *testing.T) {
	const n = 10
	src := testkit.WithSpectrum(rand.New(rand.NewPCG(3, 4)), 10, func(i int) float64 { return float64(i + 1) })
	a, values, work := make([]float64, n*n), make([]float64, n), make([]float64, WorkLen(n))
	if got := testing.AllocsPerRun(10, func() {
		copy(a, src)
		if Sym(values, a, n, true, work) != nil {
			t.Fatal("failed")
		}
	}); got != 0 {
		t.Errorf("%g allocations a call", got)
	}
}

func ExampleSym() {
	a := []float64{
		2, 1,
		1, 2,
	}
	values := make([]float64, 2)
	if err := Sym(values, a, 2, true, make([]float64, WorkLen(2))); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3f\n", values)
	fmt.Printf("%.3f\n", math.Abs(a[0])) // first component of the first eigenvector
	// Output:
	// [1.000 3.000]
	// 0.707
}

func BenchmarkSym(b *testing.B) {
	for _, n := range []int{5, 10, 22, 33, 64, 100, 128, 256} {
		for _, vectors := range []bool{false, true} {
			b.Run(fmt.Sprintf("%d/vectors=%v", n, vectors), func(b *testing.B) {
				rng := rand.New(rand.NewPCG(5, 6))
				src := testkit.WithSpectrum(rng, n, func(int) float64 { return rng.Float64() })
				a, values, work := make([]float64, n*n), make([]float64, n), make([]float64, WorkLen(n))
				for range b.N {
					copy(a, src)
					_ = Sym(values, a, n, vectors, work)
				}
			})
		}
	}
}
