package nearest

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"rao/internal/linalg/vec"
	"rao/internal/testkit"
)

// brute finds the nearest neighbors by their definition.
func brute(q, x []float64, rows, n, k, skip int) (index []int, distance []float64) {
	all := make([]candidate, 0, rows)
	for i := range rows {
		d := vec.SquaredDistance(q[:n], x[i*n:(i+1)*n])
		if i != skip {
			all = append(all, candidate{i, d})
		}
	}
	sort.SliceStable(all, func(a, b int) bool { return all[a].d < all[b].d })
	for _, c := range all[:k] {
		index, distance = append(index, c.index), append(distance, c.d)
	}
	return index, distance
}

func points(rows, n int, seed uint64, whole bool, offset float64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 0))
	x := make([]float64, rows*n)
	for i := range x {
		x[i] = offset + rng.NormFloat64()
		if whole { // many ties
			x[i] = offset + float64(rng.IntN(3))
		}
	}
	return x
}

func TestSearchIsExact(t *testing.T) {
	for _, c := range []struct {
		rows, n, k, queries int
		whole               bool
		offset              float64
	}{{5, 1, 1, 3, false, 0}, {3000, 4, 5, 300, false, 0}, {2500, 3, 7, 270, true, 0}, {400, 6, 3, 40, false, 1e9},
		{700, 2, 1, 20, true, 1e6}, {9, 2, 9, 4, false, 0},
		{1000, 40, 3, 300, false, 0}, {600, 90, 5, 257, true, 0}, {700, 40, 4, 260, false, 1e9},
		{300, 33, 300, 256, true, 1e6}, {2500, 3, 69, 2, true, 0}, {700, 40, 4, 1, false, 1e9}} {
		x := points(c.rows, c.n, 1, c.whole, c.offset)
		q := points(c.queries, c.n, 2, c.whole, c.offset)
		r := New(x, c.rows, c.n)
		index, distance := make([]int, c.queries*c.k), make([]float64, c.queries*c.k)
		_ = r.Search(context.Background(), q, c.queries, c.k, false, index, distance)
		for i := range c.queries {
			wi, wd := brute(q[i*c.n:(i+1)*c.n], x, c.rows, c.n, c.k, -1)
			if !slices.Equal(index[i*c.k:(i+1)*c.k], wi) || !slices.Equal(distance[i*c.k:(i+1)*c.k], wd) {
				t.Fatalf("%+v query %d: %v %v, want %v %v", c, i, index[i*c.k:(i+1)*c.k], distance[i*c.k:(i+1)*c.k], wi,
					wd)
			}
		}
	}
}

func TestSelfIsNotANeighbor(t *testing.T) {
	for _, rows := range []int{600, 3} {
		const n, k = 3, 2
		x := points(rows, n, 5, true, 0)
		index, distance := make([]int, rows*k), make([]float64, rows*k)
		_ = New(x, rows, n).Search(context.Background(), x, rows, k, true, index, distance)
		for i := range rows {
			wi, _ := brute(x[i*n:(i+1)*n], x, rows, n, k, i)
			testkit.EqualSlices(t, index[i*k:(i+1)*k], wi, "row", i)
		}
	}
}

func TestSameResultForAnyNumberOfProcessors(t *testing.T) {
	x := points(1000, 5, 8, false, 0)
	testkit.SameAtAnyProcs(t, func() []float64 {
		index, distance := make([]int, 3000), make([]float64, 3000)
		testkit.NoError(t, New(x, 1000, 5).Search(context.Background(), x, 1000, 3, true, index, distance))
		return distance
	})
}

func TestTooManyNeighborsPanics(t *testing.T) {
	testkit.Panics(t, func() {
		_ = New(make([]float64, 3), 3, 1).Search(context.Background(), make([]float64, 3), 3, 3, true, make([]int, 9),
			make([]float64, 9))
	})
}

func BenchmarkSearch(b *testing.B) {
	const rows, n, q = 60000, 9, 256
	x, y := points(rows, n, 1, false, 0), points(q, n, 2, false, 0)
	r := New(x, rows, n)
	index, distance := make([]int, q*5), make([]float64, q*5)
	for b.Loop() {
		_ = r.Search(context.Background(), y, q, 5, false, index, distance)
	}
}

func BenchmarkSearchOfManyDimensions(b *testing.B) {
	const rows, n, q = 10000, 164, 1024
	x, _, _ := mixture(rows, n, 1, false)
	r := New(x, rows, n)
	index, distance := make([]int, q*3), make([]float64, q*3)
	for b.Loop() {
		_ = r.Search(context.Background(), x[:q*n], q, 3, true, index, distance)
	}
}

// A search checks for cancellation between blocks of pairs, with and without screening.
func TestSearchHearsCancellation(t *testing.T) {
	for _, dim := range []int{4, 100} {
		const count, k = 5000, 3
		x := make([]float64, count*dim)
		for i := range x {
			x[i] = float64(i * i % 10007)
		}
		for at := int64(1); at <= 4; at++ {
			ctx := testkit.CancelAt(at)
			err := New(x, count, dim).Search(ctx, x, count, k, true, make([]int, count*k), make([]float64, count*k))
			if late := ctx.Late(); !errors.Is(err, context.Canceled) || late > testkit.Soon {
				t.Errorf("dimension %d, told to end at question %d: %v after %v", dim, at, err, late)
			}
		}
	}
}
