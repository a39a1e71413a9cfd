package npy

import (
	"archive/zip"
	"bytes"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"rao/internal/format/ndarray"
	"rao/internal/testkit"
)

// want returns element k of the arrays that testdata/make.py writes.
func want(kind string, k int) float64 {
	v := float64((7 * k) % 5)
	switch {
	case kind == "bool":
		return float64(int(v) % 2)
	case !strings.Contains(kind, "u"):
		v -= 2
	}
	return v
}

func TestNumpyTypesAndOrders(t *testing.T) {
	for _, name := range strings.Fields("f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 bool fortran fortran_f4 v1 v2 v3 " +
		"big_f2 big_f4 big_f8 big_i2 big_i4 big_i8 big_u2 big_u4 big_u8") {
		a := testkit.Must(ReadFile(filepath.Join("testdata", name+".npy")))(t)
		if !slices.Equal(a.Shape, []int{3, 4, 2}) || a.Fortran != strings.HasPrefix(name, "fortran") {
			t.Errorf("%s: shape %v, fortran %v", name, a.Shape, a.Fortran)
		}
		c := ndarray.Contiguous(a)
		testkit.NoError(t, ndarray.Check(c))
		kind := strings.TrimPrefix(name, "big_")
		for k := range 24 {
			if c.Value(k) != want(kind, k) {
				t.Fatalf("%s: element %d is %g, want %g", name, k, c.Value(k), want(kind, k))
			}
		}
		narrow := slices.Contains(strings.Fields("f2 f4 i1 i2 u1 u2 bool fortran_f4"), kind)
		testkit.Equal(t, narrow, a.Float32 != nil, name, "stored as float32")
		streams(t, name, kind)
	}
}

// streams reads a file in pieces as float32 and float64.
func streams(t *testing.T, name, kind string) {
	t.Helper()
	for _, single := range []bool{false, true} {
		f, err := Open(filepath.Join("testdata", name+".npy"))
		testkit.NoError(t, err)
		if single && !f.Type.Narrow() || f.Fortran {
			f.Close()
			continue
		}
		at := 0
		for _, m := range []int{1, 0, 10, 13} {
			d32, d64 := make([]float32, m), make([]float64, m)
			if single {
				err = f.Float32(d32)
				for i, v := range d32 {
					d64[i] = float64(v)
				}
			} else {
				err = f.Float64(d64)
			}
			testkit.NoError(t, err)
			for i, v := range d64 {
				testkit.Equal(t, v, want(kind, at+i), name, "in pieces: element", at+i)
			}
			at += m
		}
		testkit.Fails(t, f.Float64(make([]float64, 1)), name, "read beyond the end")
		f.Close()
	}
}

func TestNumpyOddities(t *testing.T) {
	read := func(name string) *ndarray.Array {
		t.Helper()
		a := testkit.Must(ReadFile(filepath.Join("testdata", name)))(t)
		testkit.NoError(t, ndarray.Check(a))
		return a
	}
	testkit.EqualSlices(t, read("empty.npy").Shape, []int{0, 5}, "empty")
	testkit.EqualSlices(t, read("empty1.npy").Shape, []int{0}, "empty1")
	if a := read("scalar.npy"); len(a.Shape) != 0 || a.Float64[0] != 2.5 {
		t.Errorf("scalar: %v", a)
	}
	testkit.EqualSlices(t, read("text.npy").Strings, []string{"left", "right", "µ-rhythm", ""}, "text")
	testkit.EqualSlices(t, read("bytes.npy").Strings, []string{"ab", "c", ""}, "bytes")
	halves := read("halves.npy").Float32
	inf := float32(math.Inf(1))
	for i, w := range []float32{0, 1, -1, 1.0 / (1 << 24), 65504, inf, -inf, 0, 0.333251953125, 1.0 / (1 << 14),
		-1.0 / (1 << 15)} {
		if i == 7 && halves[i] == halves[i] || i != 7 && halves[i] != w {
			t.Errorf("half %d is %g, want %g", i, halves[i], w)
		}
	}
	if a := read("u8_large.npy"); !slices.Equal(a.Float64, []float64{1, 1<<63 + 2048}) {
		t.Errorf("large unsigned: %+v", a)
	}
}

func TestNumpyRefused(t *testing.T) {
	for name, want := range map[string]string{
		"object.npy":     "pickled Python object; save a plain numeric",
		"complex.npy":    "is complex; save its real part or absolute value",
		"record.npy":     "has records",
		"longdouble.npy": "is not supported",
		"date.npy":       "is a date or a time span",
	} {
		path := filepath.Join("testdata", name)
		_, err := ReadFile(path)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), path+": ") {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

func TestNpz(t *testing.T) {
	for _, file := range []string{"stored.npz", "packed.npz"} {
		z := testkit.Must(OpenZip(filepath.Join("testdata", file)))(t)
		testkit.EqualSlices(t, z.Names(), []string{"X", "y"}, file)
		x := testkit.Must(z.Read("X"))(t)
		for k := range 12 {
			testkit.Equal(t, x.Value(k), want("f4", 2*k), file, "element", k)
		}
		y := testkit.Must(z.Read("y"))(t)
		testkit.Equal(t, y.Len(), 3, file, y)
		testkit.ErrorContains(t, testkit.ErrorOf(z.Read("Z")), `no array "Z"; its arrays are X, y`, "absent array")
		z.Close()
	}
}

// header returns an npy file of version 1 with this dictionary and data.
func header(dict string, data ...byte) []byte {
	b := []byte(magic + "\x01\x00")
	b = append(b, byte(len(dict)), byte(len(dict)>>8))
	return append(append(b, dict...), data...)
}

func TestBadHeaders(t *testing.T) {
	for _, c := range []struct {
		what, want string
		data       []byte
	}{
		{"empty", "ends inside the npy header", nil},
		{"other", "not an npy file", []byte("PK\x03\x04 and more")},
		{"version", "version 9.0 is not supported", []byte(magic + "\x09\x00\x01\x00")},
		{"cut", "ends inside the npy header", header("{'descr': '<f8'")[:14]},
		{"long", "header is longer", []byte(magic + "\x02\x00\xff\xff\xff\xff")},
		{"no dict", `'{' is missing`, header("[1, 2]")},
		{"missing key", "is missing", header("{'descr': '<f8', 'shape': (1,)}")},
		{"extra key", `unexpected key "x"`, header("{'x': '<f8'}")},
		{"negative", "negative length -1", header("{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}")},
		{"overflow", "too large for the memory of this machine",
			header("{'descr': '<f8', 'fortran_order': False, 'shape': (9223372036854775807, 2)}")},
		{"overflow product", "too large for the memory of this machine",
			header("{'descr': '|u1', 'fortran_order': False, 'shape': (2147483647, 2147483647, 2147483647)}")},
		{"zero and huge", "too large for the memory of this machine",
			header("{'descr': '|u1', 'fortran_order': False, 'shape': (0, 2147483647, 2147483647, 2147483647)}")},
		{"shape", "a length of the shape is missing",
			header("{'descr': '<f8', 'fortran_order': False, 'shape': (a,)}")},
		{"bool", "True or False is missing", header("{'descr': '<f8', 'fortran_order': 1, 'shape': (1,)}")},
		{"type", "not known", header("{'descr': 'f', 'fortran_order': False, 'shape': (1,)}")},
		{"quote", "a quote is not closed", header("{'descr: <f8}")},
		{"truncated", "truncated", header("{'descr': '<f8', 'fortran_order': False, 'shape': (2,)}", 1, 2, 3)},
	} {
		r, err := NewReader(bytes.NewReader(c.data), int64(len(c.data)))
		if err == nil {
			_, err = r.Array()
		}
		testkit.ErrorContains(t, err, c.want, c.what)
	}
}

func TestPythonTwoShape(t *testing.T) {
	r, err := NewReader(bytes.NewReader(header("{'descr': '<f8', 'fortran_order': False, 'shape': (3L, 4L), }")), 0)
	testkit.NoError(t, err)
	testkit.EqualSlices(t, r.Shape, []int{3, 4}, r)
}

// allocated returns the bytes that f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestLyingHeaderCostsNoMemory(t *testing.T) {
	// 100 million doubles promised and 8 bytes there.
	lie := header("{'descr': '<f8', 'fortran_order': False, 'shape': (100000000,)}", 0, 0, 0, 0, 0, 0, 0, 0)
	got := allocated(func() {
		r := testkit.Must(NewReader(bytes.NewReader(lie), int64(len(lie))))(t)
		if _, err := r.Array(); err != ndarray.ErrTruncated {
			t.Errorf("error %v", err)
		}
	})
	if got > 8<<20 {
		t.Errorf("%d bytes allocated for a file of %d", got, len(lie))
	}
	path := testkit.TempFile(t, "lie.npy", lie)
	testkit.ErrorContains(t, testkit.ErrorOf(Open(path)), "the header declares 800000000 bytes, but the file has",
		"lying file")
}

func TestLyingDirectoryCostsNoMemory(t *testing.T) {
	const promised = 100000000
	lie := header("{'descr': '<f8', 'fortran_order': False, 'shape': (100000000,)}", 0, 0, 0, 0, 0, 0, 0, 0)
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		w := testkit.Must(z.CreateRaw(&zip.FileHeader{Name: "X.npy", Method: method,
			CompressedSize64:   8*promised + 1000,
			UncompressedSize64: 8*promised + 1000}))(t)
		_, _ = w.Write(lie)
		testkit.NoError(t, z.Close())
		var got error
		if n := allocated(func() { got = readZip(b.Bytes()) }); got == nil || n > 16<<20 {
			t.Errorf("method %d: %d bytes allocated for a file of %d, error %v", method, n, b.Len(), got)
		}
	}
}

func TestCorruptNpz(t *testing.T) {
	good := testkit.Must(os.ReadFile("testdata/packed.npz"))(t)
	failures := 0
	for at := range good {
		bad := bytes.Clone(good)
		bad[at] ^= 0xff
		if err := readZip(bad); err != nil {
			failures++
			if !strings.HasPrefix(err.Error(), "f.npz: ") {
				t.Errorf("byte %d: error without the file's name: %v", at, err)
			}
		}
	}
	// Only bytes that mean nothing (dates, for example) may change unseen.
	if failures < len(good)/2 {
		t.Errorf("only %d of %d damaged bytes were noticed", failures, len(good))
	}
	for _, n := range []int{0, 10, len(good) / 2, len(good) - 1} {
		testkit.ErrorContains(t, readZip(good[:n]), "truncated", "cut to", n, "bytes")
	}
}

// readZip reads all arrays of an archive.
func readZip(data []byte) error {
	z, err := NewZip(bytes.NewReader(data), int64(len(data)), "f.npz")
	if err != nil {
		return err
	}
	for _, name := range z.Names() {
		a, err := z.Read(name)
		if err != nil {
			return err
		}
		if err := ndarray.Check(a); err != nil {
			panic(err)
		}
	}
	return nil
}

func TestWriteIsWhatNumpyWrites(t *testing.T) {
	for _, name := range []string{"f8", "f4", "i8", "text", "scalar", "fortran", "empty"} {
		path := filepath.Join("testdata", name+".npy")
		a := testkit.Must(ReadFile(path))(t)
		var b bytes.Buffer
		testkit.NoError(t, Write(&b, a))
		theirs, _ := os.ReadFile(path)
		testkit.EqualSlices(t, b.Bytes(), theirs, name, "bytes differ from numpy's")
	}
}

func TestWriteRoundTrip(t *testing.T) {
	for _, a := range []*ndarray.Array{
		{Shape: []int{0, 3}, Float32: []float32{}},
		{Shape: []int{2, 1}, Int64: []int64{math.MinInt64, math.MaxInt64}},
		{Shape: []int{1}, Strings: []string{""}},
		{Shape: []int{1}, Strings: []string{strings.Repeat("x", 2<<20)}}, // as long as a recipe of learned filters
		{Shape: []int{70000}, Float64: make([]float64, 70000)},
		{Shape: []int{2, 2}, Fortran: true, Float64: []float64{1, 2, 3, 4}},
	} {
		var b bytes.Buffer
		testkit.NoError(t, Write(&b, a))
		r := testkit.Must(NewReader(&b, 0))(t)
		back := testkit.Must(r.Array())(t)
		back.Type = ""
		if !reflect.DeepEqual(a, back) {
			t.Errorf("%v came back as %v", a, back)
		}
	}
	bad := &ndarray.Array{Name: "n", Shape: []int{1}, Strings: []string{"a\xff"}}
	testkit.ErrorContains(t, Write(&bytes.Buffer{}, bad), "string 0 is not valid text", "bad text")
}

func FuzzNpy(f *testing.F) {
	testkit.Seeds(f, "f8.npy", "text.npy", "bytes.npy", "bool.npy", "fortran.npy", "empty.npy", "object.npy", "v3.npy",
		"big_f2.npy")
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		a, err := r.Array()
		if err != nil {
			return
		}
		testkit.NoError(t, ndarray.Check(ndarray.Contiguous(a)))
		var b bytes.Buffer
		if err := Write(&b, a); err != nil && a.Strings == nil {
			t.Fatal(err)
		}
	})
}

func FuzzNpz(f *testing.F) {
	for _, name := range []string{"stored.npz", "packed.npz"} {
		b := testkit.Must(os.ReadFile(filepath.Join("testdata", name)))(f)
		f.Add(b)
		f.Add(testkit.Reseal(b))
	}
	f.Fuzz(func(t *testing.T, data []byte) { _, _ = readZip(data), readZip(testkit.Reseal(data)) })
}
