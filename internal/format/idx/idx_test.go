package idx

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rao/internal/format/ndarray"
	"rao/internal/testkit"
)

// file makes an IDX file.
func file(code byte, shape []uint32, values any) []byte {
	b := bytes.NewBuffer([]byte{0, 0, code, byte(len(shape))})
	_ = binary.Write(b, binary.BigEndian, shape)
	_ = binary.Write(b, binary.BigEndian, values)
	return b.Bytes()
}

func write(t *testing.T, data []byte, packed bool) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "f-idx")
	if packed {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = z.Write(data)
		_ = z.Close()
		data = b.Bytes()
	}
	testkit.NoError(t, os.WriteFile(path, data, 0o600))
	return path
}

func TestTypes(t *testing.T) {
	for _, c := range []struct {
		code   byte
		values any
		want   []float64
	}{
		{0x08, []uint8{0, 1, 200, 255}, []float64{0, 1, 200, 255}},
		{0x09, []int8{0, 1, -128, 127}, []float64{0, 1, -128, 127}},
		{0x0b, []int16{0, 1, -32768, 258}, []float64{0, 1, -32768, 258}},
		{0x0c, []int32{0, 1, -1 << 31, 16909060}, []float64{0, 1, -1 << 31, 16909060}},
		{0x0d, []float32{0, 1, -0.5, float32(math.Inf(1))}, []float64{0, 1, -0.5, math.Inf(1)}},
		{0x0e, []float64{0, 1, -0.1, 1e300}, []float64{0, 1, -0.1, 1e300}},
	} {
		for _, packed := range []bool{false, true} {
			a := testkit.Must(ReadFile(write(t, file(c.code, []uint32{2, 2}, c.values), packed)))(t)
			got, _ := a.ToFloat64()
			if !slices.Equal(got, c.want) || !slices.Equal(a.Shape, []int{2, 2}) {
				t.Errorf("type %#x, packed %v: %v of shape %v", c.code, packed, got, a.Shape)
			}
		}
	}
}

func TestBadFiles(t *testing.T) {
	good := file(0x08, []uint32{2, 2}, []uint8{1, 2, 3, 4})
	for _, c := range []struct {
		what, want string
		data       []byte
	}{
		{"empty", "ends inside the IDX header", nil},
		{"cut header", "ends inside the IDX header", good[:7]},
		{"other", "does not start with two zero bytes", []byte("hello")},
		{"type", "type 0x0a is unknown", []byte{0, 0, 0x0a, 1, 0, 0, 0, 1, 1}},
		{"axes", "IDX file has 0 axes", []byte{0, 0, 8, 0}},
		{"length", "is 4294967295; the header is corrupt", file(0x08, []uint32{1<<32 - 1}, []uint8{1})},
		{"product", "too large for the memory of this machine",
			file(0x08, []uint32{1 << 30, 1 << 30, 1 << 30}, []uint8{1})},
		{"truncated", "truncated", good[:len(good)-1]},
		{"lying", "the header declares 1000000 bytes, but the file has 9", file(0x08, []uint32{1000000}, []uint8{1})},
	} {
		path := write(t, c.data, false)
		_, err := ReadFile(path)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), path) {
			t.Errorf("%s: %v, want %q", c.what, err, c.want)
		}
	}
	packed, _ := os.ReadFile(write(t, good, true))
	for at, want := range map[int]string{len(packed) - 1: "truncated", len(packed) / 2: "truncated"} {
		testkit.ErrorContains(t, testkit.ErrorOf(ReadFile(write(t, packed[:at], false))), want, "gzip cut to", at,
			"bytes")
	}
	packed[len(packed)-6] ^= 1 // in the checksum
	// The elements come before the checksum is known to be wrong.
	testkit.ErrorContains(t, testkit.ErrorOf(ReadFile(write(t, packed, false))), "corrupt",
		"gzip with a wrong checksum")
	testkit.ErrorContains(t, testkit.ErrorOf(ReadFile(write(t, file(0x08, []uint32{1000000}, []uint8{1}), true))),
		"truncated", "lying compressed file")
}

func TestMnistLabels(t *testing.T) {
	a := testkit.Must(ReadFile(testkit.External(t, "data", "mnist", "t10k-labels-idx1-ubyte.gz")))(t)
	if want := []float32{7, 2, 1, 0, 4}; a.Len() != 10000 || !slices.Equal(a.Float32[:5], want) {
		t.Errorf("%d labels, the first %v, want %v", a.Len(), a.Float32[:5], want)
	}
}

func FuzzIdx(f *testing.F) {
	f.Add(file(0x08, []uint32{2, 2}, []uint8{1, 2, 3, 4}))
	f.Add(file(0x0e, []uint32{1}, []float64{1}))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		if a, err := r.Array(); err == nil {
			testkit.NoError(t, ndarray.Check(a))
		}
	})
}

func BenchmarkMnist(b *testing.B) {
	path := testkit.External(b, "data", "mnist", "train-images-idx3-ubyte.gz")
	b.SetBytes(60000 * 784)
	for b.Loop() {
		testkit.Must(ReadFile(path))(b)
	}
}
