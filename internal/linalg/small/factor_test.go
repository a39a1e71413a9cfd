package small

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"rao/internal/testkit"
)

func TestCholeskyAndInverse(t *testing.T) {
	onEveryPath(t, func(t *testing.T, w *Workspace) {
		for _, n := range orders {
			for _, count := range counts(n) {
				rng := rand.New(rand.NewPCG(uint64(n), uint64(count)))
				a, names := mixed(n, count, true, rng)
				in, l, li := copied(a), guarded(len(a)), guarded(len(a))
				spoilUpper(in.data(), n, count) // must not be read
				testkit.NoError(t, w.Cholesky(l.data(), in.data(), n, count), fmt.Sprintf("n=%d count=%d", n, count))
				w.InvertLower(li.data(), l.data(), n, count)
				l.intact(t, "Cholesky")
				li.intact(t, "InvertLower")
				for k := range count {
					checkFactor(t, label(n, count, k, names[k]), a[k*n*n:][:n*n], l.data()[k*n*n:][:n*n],
						li.data()[k*n*n:][:n*n], n)
				}
			}
		}
	})
}

func spoilUpper(a []float64, n, count int) {
	for k := range count {
		for i := range n {
			for j := i + 1; j < n; j++ {
				a[k*n*n+i*n+j] = math.NaN()
			}
		}
	}
}

// checkFactor verifies L L' = A, L⁻¹ L = I and the zeros above the diagonals.
func checkFactor(t *testing.T, what string, a, l, li []float64, n int) {
	t.Helper()
	tol := 1e-15 * float64(n+4)
	if d := apart(times(l, l, false, true, n), a); !(d <= tol) {
		t.Fatalf("%s: L L' is off by %g, tolerance %g", what, d, tol)
	}
	for i := range n {
		for j := i + 1; j < n; j++ {
			if l[i*n+j] != 0 || li[i*n+j] != 0 {
				t.Fatalf("%s: entry (%d,%d) above the diagonal is %g, of the inverse %g",
					what, i, j, l[i*n+j], li[i*n+j])
			}
		}
	}
	// The residual of a triangular inverse is bounded column by column by
	// |L⁻¹||L|, which may be large: compare elementwise.
	for i := range n {
		for j := range i + 1 {
			sum, size := 0.0, 0.0
			for k := j; k <= i; k++ {
				sum += li[i*n+k] * l[k*n+j]
				size += math.Abs(li[i*n+k] * l[k*n+j])
			}
			want := 0.0
			if i == j {
				want = 1
			}
			if !(math.Abs(sum-want) <= tol*math.Max(size, 1)) {
				t.Fatalf("%s: (L⁻¹L)(%d,%d) is off by %g, of terms of size %g", what, i, j, sum-want, size)
			}
		}
	}
}

func TestCholeskyNamesTheFirstBadMatrix(t *testing.T) {
	onEveryPath(t, func(t *testing.T, w *Workspace) {
		const n, count = 6, 21
		rng := rand.New(rand.NewPCG(7, 8))
		good, _ := mixed(n, count, true, rng)
		want := make([]float64, len(good))
		testkit.NoError(t, w.Cholesky(want, good, n, count))
		for _, c := range []struct {
			name   string
			entry  int
			value  float64
			reason Reason
		}{
			{"negative pivot", 2*n + 2, -3, NotPositiveDefinite},
			{"zero last pivot", 0, 0, NotPositiveDefinite},
			{"NaN below the diagonal", 5*n + 1, math.NaN(), NotFinite},
			{"infinity on the diagonal", 5*n + 5, math.Inf(1), NotFinite},
			{"infinity below the diagonal", 5*n + 4, math.Inf(-1), NotFinite},
		} {
			for _, bad := range []int{0, 3, 9, 20} {
				a := append([]float64(nil), good...)
				a[bad*n*n+c.entry] = c.value
				a[20*n*n+c.entry] = c.value // a second failure must not hide the first
				l := make([]float64, len(a))
				err := w.Cholesky(l, a, n, count)
				e := failed(t, err, bad, c.reason, c.name)
				if c.reason == NotPositiveDefinite && !(e.Value <= 0) {
					t.Errorf("%s: pivot reported as %g", c.name, e.Value)
				}
				checkLanes(t, c.name, l, want, n*n, bad, 20)
			}
		}
	})
}

// checkLanes verifies that results of the bad matrices are NaN and the other results equal want, bit for bit.
func checkLanes(t *testing.T, what string, got, want []float64, m int, bad ...int) {
	t.Helper()
	failed := map[int]bool{}
	for _, k := range bad {
		failed[k] = true
	}
	for i, v := range got {
		if failed[i/m] {
			if !math.IsNaN(v) {
				t.Fatalf("%s: result %d of failed matrix %d is %g, not NaN", what, i%m, i/m, v)
			}
		} else if math.Float64bits(v) != math.Float64bits(want[i]) {
			t.Fatalf("%s: result %d of matrix %d is %g beside a failed one, %g without", what, i%m, i/m, v, want[i])
		}
	}
}
