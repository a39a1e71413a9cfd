package small

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/linalg/cpu"
	"rao/internal/testkit"
)

// operations are the public operations on a batch, for the tests that all operations must pass. Each result has m
// values per matrix.
var operations = []struct {
	name string
	size func(n int) int
	run  func(w *Workspace, dst, a, b, d []float64, n, count int)
}{
	{"Cholesky", square, func(w *Workspace, dst, a, _, _ []float64, n, count int) { _ = w.Cholesky(dst, a, n, count) }},
	{"InvertLower", square, func(w *Workspace, dst, _, b, _ []float64, n, count int) {
		w.InvertLower(dst, b, n, count)
	}},
	{"Mul", square, func(w *Workspace, dst, a, b, _ []float64, n, count int) {
		w.Mul(dst, a, b, false, true, n, count)
	}},
	{"Congruence", square, func(w *Workspace, dst, a, b, _ []float64, n, count int) {
		w.Congruence(dst, b, a, n, count, false)
	}},
	{"Rebuild", square, func(w *Workspace, dst, a, _, d []float64, n, count int) { w.Rebuild(dst, a, d, n, count) }},
	{"EigenValues", line, func(w *Workspace, dst, a, _, _ []float64, n, count int) {
		_ = w.EigenValues(dst, a, n, count)
	}},
	{"Eigen", both, func(w *Workspace, dst, a, _, _ []float64, n, count int) {
		_ = w.Eigen(dst[:n*count], dst[n*count:], a, n, count)
	}},
	{"Generalized", both, func(w *Workspace, dst, a, b, _ []float64, n, count int) {
		_ = w.Generalized(dst[:n*count], dst[n*count:], b, a, n, count)
	}},
	{"WhitenedEigen", both, func(w *Workspace, dst, a, b, _ []float64, n, count int) {
		_ = w.WhitenedEigen(dst[:n*count], dst[n*count:], b, a, n, count, false)
	}},
	{"LogSquaredDistances", func(int) int { return 1 }, func(w *Workspace, dst, a, _, _ []float64, n, count int) {
		_ = w.LogSquaredDistances(dst, identityOf[n], a, n, count)
	}},
	{"Function", square, func(w *Workspace, dst, a, _, _ []float64, n, count int) {
		_ = w.Function(dst, identityOf[n], a, n, count, each(math.Atan))
	}},
}

func square(n int) int { return n * n }
func line(n int) int   { return n }
func both(n int) int   { return n*n + n }

var identityOf = func() map[int][]float64 {
	m := map[int][]float64{}
	for _, n := range orders {
		m[n] = diagonal(n, func(int) float64 { return 1 })
	}
	return m
}()

// The result of a matrix has the same bits for any division into batches and with any other matrices in its batch.
func TestResultDoesNotDependOnTheBatch(t *testing.T) {
	test := func(t *testing.T, w *Workspace) {
		for _, n := range []int{1, 2, 3, 5, 10, 22, 33} {
			const count = 37
			rng := rand.New(rand.NewPCG(uint64(n), 77))
			a, _ := mixed(n, count, false, rng)
			b, d := testkit.Normals(rng, n*n*count), testkit.Normals(rng, n*count)
			for _, op := range operations {
				whole := make([]float64, op.size(n)*count)
				op.run(w, whole, a, b, d, n, count)
				for _, part := range []int{1, 3, 13} {
					for lo := 0; lo < count; lo += part {
						hi := min(lo+part, count)
						dst := make([]float64, op.size(n)*(hi-lo))
						op.run(w, dst, a[lo*n*n:hi*n*n], b[lo*n*n:hi*n*n], d[lo*n:hi*n], n, hi-lo)
						compareParts(t, fmt.Sprintf("%s n=%d in parts of %d", op.name, n, part), dst, whole, op.size(n),
							n, lo, hi, count)
					}
				}
			}
		}
	}
	onEveryPath(t, test)
	t.Run("narrow", func(t *testing.T) {
		w := &Workspace{Narrow: true}
		test(t, w)
		if w.engine.lanes() > 4 {
			t.Errorf("%d lanes", w.engine.lanes())
		}
	})
}

// compareParts compares the result of matrices lo..hi-1 with the result of the complete batch; results of size n*n+n
// contain all values, then all vectors.
func compareParts(t *testing.T, what string, part, whole []float64, size, n, lo, hi, count int) {
	t.Helper()
	same := func(x, y []float64) {
		t.Helper()
		testkit.EqualBits(t, x, y, what, "from matrix", lo)
	}
	if size != n*n+n || n == 0 {
		same(part, whole[lo*size:hi*size])
		return
	}
	same(part[:n*(hi-lo)], whole[lo*n:hi*n])
	same(part[n*(hi-lo):], whole[n*count+lo*n*n:n*count+hi*n*n])
}

func TestWarmWorkspaceDoesNotAllocate(t *testing.T) {
	onEveryPath(t, func(t *testing.T, w *Workspace) {
		if _, ok := w.engine.(blocked); ok {
			t.Skip("products of large matrices allocate a little")
		}
		const n, count = 10, 19
		rng := rand.New(rand.NewPCG(1, 1))
		a, _ := mixed(n, count, true, rng)
		b := testkit.Normals(rng, len(a))
		dst := make([]float64, both(n)*count)
		for _, op := range operations {
			op.run(w, dst, a, b, b, n, count)
			testkit.Equal(t, testing.AllocsPerRun(3, func() { op.run(w, dst, a, b, b, n, count) }), 0, op.name,
				"allocations a call")
		}
	})
}

func TestEmptyBatchesAndOrders(t *testing.T) {
	onEveryPath(t, func(t *testing.T, w *Workspace) {
		for _, op := range operations {
			op.run(w, nil, nil, nil, nil, 5, 0)
		}
		testkit.NoError(t, w.Eigen(nil, nil, nil, 0, 3), "order 0")
	})
}

func TestShortSlicesPanic(t *testing.T) {
	var w Workspace
	for _, op := range operations {
		x := make([]float64, 49)
		testkit.Equal(t, testkit.Panic(func() { op.run(&w, make([]float64, 200), x, x, x, 5, 2) }), any(mat.ErrShape),
			op.name)
	}
}

func TestZeroWorkspaceChoosesByOrder(t *testing.T) {
	var w Workspace
	testkit.Equal(t, w.use(MaxLanes+1).lanes(), 1, "lanes for order", MaxLanes+1)
	testkit.Equal(t, w.use(5), engineFor(cpu.Use()), "engine for order 5")
}

func ExampleWorkspace_Eigen() {
	a := []float64{
		2, 1, 1, 2, // a batch of two matrices of order 2
		5, 0, 0, 3,
	}
	var w Workspace
	values, vectors := make([]float64, 4), make([]float64, 8)
	if err := w.Eigen(values, vectors, a, 2, 2); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3f\n", values)
	// Output: [1.000 3.000 3.000 5.000]
}

func ExampleWorkspace_Cholesky() {
	a := []float64{
		4, 2, 2, 5,
		1, 2, 2, 1, // indefinite
	}
	var w Workspace
	err := w.Cholesky(make([]float64, 8), a, 2, 2)
	var e *Error
	fmt.Println(errors.As(err, &e), e.Index, e.Value)
	fmt.Println(err)
	// Output:
	// true 1 -3
	// matrix 1 is not positive definite: pivot or eigenvalue -3
}
