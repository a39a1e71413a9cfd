package rowhash

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cespare/xxhash/v2"
	"github.com/dchest/siphash"

	"rao/internal/testkit"
)

// hashOf hashes one row.
func hashOf[T Value](key *Key, row []T) uint64 {
	var h [1]uint64
	Rows(h[:], key, row, 0, len(row))
	return h[0]
}

// The hash is computed from the values in the narrowest type that represents them, by XXH64 or SipHash.
func TestHashesAreThoseOfTheBytes(t *testing.T) {
	key := Key{0x0706050403020100, 0x0f0e0d0c0b0a0908}
	whole, half, third := []float64{0, 255, 7}, []float64{1.5, -2, 0}, []float64{1. / 3, 1}
	var single, double []byte
	for _, v := range half {
		single = binary.LittleEndian.AppendUint32(single, math.Float32bits(float32(v)))
	}
	for _, v := range third {
		double = binary.LittleEndian.AppendUint64(double, math.Float64bits(v))
	}
	for _, c := range []struct {
		row  []float64
		want []byte
	}{{whole, []byte{0, 255, 7}}, {half, single}, {third, double}} {
		testkit.Equal(t, hashOf(nil, c.row), xxhash.Sum64(c.want), c.row, "without a key")
		testkit.Equal(t, hashOf(&key, c.row), siphash.Hash(key[0], key[1], c.want), c.row, "with a key")
	}
	if hashOf(nil, whole) == hashOf(&key, whole) || hashOf(&key, whole) == hashOf(&Key{1, 2}, whole) {
		t.Error("the key does not matter")
	}
}

// Equal numbers have equal hashes in all types, and different numbers have different hashes. The stride between rows
// does not matter.
func TestRowsOfAllTypes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	zero, nan := math.Copysign(0, -1), math.NaN()
	special := []float64{zero, 1, nan, math.Inf(-1), 256, -1, 0.5}
	for dim := 1; dim < 20; dim++ {
		stride, n := dim+dim%4, 5
		bytes, narrow, wide := make([]byte, n*stride), make([]float32, n*stride), make([]float64, n*stride)
		for i := range wide {
			bytes[i] = byte(r.Uint32())
			narrow[i], wide[i] = float32(bytes[i]), float64(bytes[i])
		}
		var got [3][5]uint64
		Rows(got[0][:], nil, bytes, stride, dim)
		Rows(got[1][:], nil, narrow, stride, dim)
		Rows(got[2][:], nil, wide, stride, dim)
		if got[0] != got[1] || got[0] != got[2] || got[0][1] != hashOf(nil, wide[stride:stride+dim]) {
			t.Errorf("%d values: hashes %x differ", dim, got)
		}
		for _, v := range special {
			j := r.IntN(dim)
			narrow[j], wide[j] = float32(v), v
			if v == 0 {
				bytes[j] = 0
				testkit.Equal(t, hashOf(nil, bytes[:dim]), hashOf(nil, wide[:dim]), dim, "values: -0 is not 0")
			}
			testkit.Equal(t, hashOf(nil, narrow[:dim]), hashOf(nil, wide[:dim]), dim, "values with", v,
				"float32 and float64 differ")
		}
		for j := range dim { // the last bit of any value
			before := hashOf(nil, wide[:dim])
			wide[j] = math.Float64frombits(math.Float64bits(wide[j]) ^ 1)
			if hashOf(nil, wide[:dim]) == before && wide[j] == wide[j] {
				t.Errorf("%d values: value %d does not matter", dim, j)
			}
		}
	}
	testkit.Equal(t, hashOf(nil, []float64{nan}),
		hashOf(nil, []float64{math.Float64frombits(math.Float64bits(nan) ^ 6)}), "a NaN is not as any other")
}

func TestShortDataPanic(t *testing.T) {
	testkit.Panics(t, func() { Rows(make([]uint64, 24), nil, make([]byte, 24*8-1), 8, 8) }, "rows beyond the data")
}

func BenchmarkRows(b *testing.B) {
	for _, dim := range []int{16, 784} {
		benchmark[byte](b, dim)
		benchmark[float32](b, dim)
		benchmark[float64](b, dim)
	}
}

func benchmark[T Value](b *testing.B, dim int) {
	const n = 4000
	x, dst := make([]T, n*dim), make([]uint64, n)
	for i := range x {
		x[i] = T(math.Sqrt(float64(i % 251)))
	}
	for name, key := range map[string]*Key{"plain": nil, "keyed": {1, 2}} {
		b.Run(fmt.Sprintf("%T/%d/%s", x[0], dim, name), func(b *testing.B) {
			for b.Loop() {
				Rows(dst, key, x, dim, dim)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n*dim), "ns/value")
		})
	}
}
