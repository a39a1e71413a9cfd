package nearest

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"rao/internal/linalg/vec"
	"rao/internal/testkit"
)

// others computes Within by its definition.
func others(x []float64, rows, n int, class []int, limit []float64, most int) [][]Other {
	out := make([][]Other, rows)
	for i := range rows {
		for j := range rows {
			if d := vec.SquaredDistance(x[i*n:(i+1)*n], x[j*n:(j+1)*n]); class[i] != class[j] && d < limit[i] {
				out[i] = append(out[i], Other{j, d})
			}
		}
		slices.SortFunc(out[i], func(a, b Other) int {
			return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.Row, b.Row))
		})
		out[i] = out[i][:min(most, len(out[i]))]
		slices.SortFunc(out[i], func(a, b Other) int { return a.Row - b.Row })
	}
	return out
}

// found calls Within without a limit.
func found(t testing.TB, x []float64, rows, n int, class []int, limit []float64, most int) [][]Other {
	t.Helper()
	return testkit.Must(Within(context.Background(), x, rows, n, class, limit, most))(t)
}

// mixture returns rows of four classes whose coordinates have very different scales, and a limit for each row. Some
// tens of rows are closer to the row than its limit.
func mixture(rows, n int, seed uint64, whole bool) (x []float64, class []int, limit []float64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	x, class, limit = make([]float64, rows*n), make([]int, rows), make([]float64, rows)
	scatter := 0.0
	for j := range n {
		scatter += 1 / float64(1+j)
	}
	for i := range rows {
		class[i] = rng.IntN(4)
		for j := range n {
			x[i*n+j] = rng.NormFloat64() / math.Sqrt(float64(1+j))
			if whole { // many ties
				x[i*n+j] = float64(rng.IntN(2))
			}
		}
		limit[i] = scatter * (0.3 + rng.Float64())
		if whole {
			limit[i] = float64(rng.IntN(1 + n/2))
		}
	}
	return x, class, limit
}

func TestWithinIsExact(t *testing.T) {
	for _, c := range []struct {
		rows, n, most int
		whole         bool
	}{{2, 1, 1, false}, {700, 3, 5, false}, {900, 40, 1000, false}, {900, 40, 7, false}, {600, 100, 20, false},
		{800, 6, 4, true}, {500, 50, 3, true}} {
		x, class, limit := mixture(c.rows, c.n, uint64(c.rows), c.whole)
		got, want := found(t, x, c.rows, c.n, class, limit, c.most), others(x, c.rows, c.n, class, limit, c.most)
		count := 0
		for i := range want {
			count += len(want[i])
			if !slices.Equal(got[i], want[i]) {
				t.Fatalf("%+v, row %d: %v, want %v", c, i, got[i], want[i])
			}
		}
		if count < c.rows && c.rows > 2 {
			t.Errorf("%+v: %d neighbors in all, the case says little", c, count)
		}
	}
}

// The result is exact even for rows far away and far from the origin, where single precision is useless.
func TestWithinOfRowsFarAway(t *testing.T) {
	const rows, n = 400, 40
	x, class, limit := mixture(rows, n, 3, false)
	for j := range n {
		x[7*n+j] = 1e9 * float64(j%3-1)
		x[8*n+j] = x[7*n+j]
	}
	class[7], class[8] = 0, 1
	x[8*n] += 0.25
	for _, shift := range []float64{0, 1e6, 1e25} {
		y := slices.Clone(x)
		for i := range y {
			y[i] += shift
		}
		if shift > 1e6 {
			copy(y, x)
			y[3*n], y[4*n] = shift, -shift
		}
		got, want := found(t, y, rows, n, class, limit, 50), others(y, rows, n, class, limit, 50)
		for i := range want {
			if !slices.Equal(got[i], want[i]) {
				t.Fatalf("shift %g: row %d: %v, want %v", shift, i, got[i], want[i])
			}
		}
	}
}

func TestWithinDoesNotDependOnTheNumberOfProcessors(t *testing.T) {
	x, class, limit := mixture(1500, 40, 4, false)
	var want [][]Other
	for _, procs := range []int{1, 2, 8} {
		old := runtime.GOMAXPROCS(procs)
		got := found(t, x, 1500, 40, class, limit, 9)
		runtime.GOMAXPROCS(old)
		if want == nil {
			want = got
		}
		for i := range want {
			if !slices.Equal(want[i], got[i]) {
				t.Fatalf("row %d differs with %d processors", i, procs)
			}
		}
	}
}

func BenchmarkWithin(b *testing.B) {
	const rows, n = 6000, 164
	x, class, limit := mixture(rows, n, 1, false)
	for i := range limit {
		limit[i] *= 0.75
	}
	for b.Loop() {
		found(b, x, rows, n, class, limit, 100)
	}
}
