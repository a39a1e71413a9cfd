package rowhash

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// reference is the definition.
func reference[T Value](row []T) uint64 {
	h := Mix(uint64(len(row))^mix1, mix2)
	for _, v := range row {
		w := math.Float64bits(float64(v))
		if v == 0 {
			w = 0
		}
		h = Mix(h^w, mix1)
	}
	return h
}

// Hashes are in files. These were written down when rows were hashed one value after the other.
func TestHashesNeverChange(t *testing.T) {
	row := []float64{0, 1, math.Copysign(0, -1), 255, -1.5, 1e300, math.Inf(1), math.SmallestNonzeroFloat64, math.Pi}
	var h [1]uint64
	Rows(h[:], row, 0, len(row))
	a, b := Spread(h[0])
	const want = "4b7f2279465c2c9b a56b688692015f6a 7cfd1a76074f5592"
	if got := fmt.Sprintf("%016x %016x %016x", h[0], a, b); got != want {
		t.Errorf("the hash is %s, want %s", got, want)
	}
}

// Rows agree with the definition for all types, numbers of rows and of values, and distances of rows.
// Nothing beside dst is written.
func TestRows(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	zero, nan := math.Copysign(0, -1), math.NaN()
	special := []float64{0, zero, 1, nan, math.Inf(-1), math.MaxFloat64, math.SmallestNonzeroFloat64}
	for dim := range 131 {
		stride := dim + dim%4*5
		for _, n := range []int{0, 1, 3, 4, 5, 23, 24, 25, 31, 47, 48, 49, 70} {
			size := max(0, (n-1)*stride+dim)
			bytes, narrow, wide := make([]byte, size), make([]float32, size), make([]float64, size)
			for i := range wide {
				bytes[i], wide[i] = byte(r.Uint32()), r.NormFloat64()
				if r.IntN(4) == 0 {
					wide[i] = special[r.IntN(len(special))]
				}
				narrow[i] = float32(wide[i])
			}
			check(t, bytes, n, stride, dim)
			check(t, narrow, n, stride, dim)
			check(t, wide, n, stride, dim)
		}
	}
}

func check[T Value](t *testing.T, x []T, n, stride, dim int) {
	t.Helper()
	for name, rows := range map[string]func([]uint64, []T, int, int){"": Rows[T], " portable": portable[T]} {
		dst := make([]uint64, n+1)
		dst[n] = 42
		rows(dst[:n], x, stride, dim)
		for i := range n {
			if want := reference(x[i*stride : i*stride+dim]); dst[i] != want {
				t.Fatalf("%T%s, %d rows of %d: row %d is %x, want %x", x, name, n, dim, i, dst[i], want)
			}
		}
		if dst[n] != 42 {
			t.Fatalf("%T%s, %d rows of %d: wrote beyond the end", x, name, n, dim)
		}
	}
}

// Every byte, and bits of every kind in the state.
func TestManyRows(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const n, dim = 24 * 40, 256
	x := make([]byte, n*dim)
	for i := range n {
		for j, v := range r.Perm(dim) {
			x[i*dim+j] = byte(v)
		}
	}
	check(t, x, n, dim, dim)
}

func TestShortDataPanic(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("rows beyond the data are hashed")
		}
	}()
	Rows(make([]uint64, 24), make([]byte, 24*8-1), 8, 8)
}

func BenchmarkRows(b *testing.B) {
	for _, dim := range []int{16, 20, 512, 784, 1000} {
		benchmark[byte](b, dim)
		benchmark[float32](b, dim)
		benchmark[float64](b, dim)
	}
}

func benchmark[T Value](b *testing.B, dim int) {
	const n = 4000
	x, dst := make([]T, n*dim), make([]uint64, n)
	for i := range x {
		x[i] = T(i % 251)
	}
	b.Run(fmt.Sprintf("%T/%d", x[0], dim), func(b *testing.B) {
		for b.Loop() {
			Rows(dst, x, dim, dim)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n*dim), "ns/value")
	})
}
