package dataset

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/format/cifar"
	"rao/internal/testkit"
)

// images writes IDX files of n images of 3×2 bytes and their labels, and a CIFAR-10 file.
func images(t *testing.T, n int) (paths []string) {
	t.Helper()
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if strings.HasSuffix(name, ".gz") {
			var b bytes.Buffer
			z := gzip.NewWriter(&b)
			_, _ = z.Write(data)
			_ = z.Close()
			data = b.Bytes()
		}
		testkit.NoError(t, os.WriteFile(path, data, 0o600))
		return path
	}
	head := func(shape ...uint32) []byte {
		b := []byte{0, 0, 8, byte(len(shape))}
		for _, d := range shape {
			b = binary.BigEndian.AppendUint32(b, d)
		}
		return b
	}
	rng := rand.New(rand.NewPCG(1, uint64(n))) // what compresses well may not be trusted with memory
	x, y, z := head(uint32(n), 3, 2), head(uint32(n)), []byte(nil)
	for i := range n {
		y = append(y, byte(i%4+3))
		for range 6 {
			x = append(x, byte(rng.Uint32()))
		}
		if i%9 == 0 {
			z = append(append(z, byte(i%10)), bytes.Repeat([]byte{byte(i)}, cifar.Pixels)...)
		}
	}
	for _, end := range []string{"", ".gz"} {
		paths = append(paths, write("a-images-idx3-ubyte"+end, x))
		write("a-labels-idx1-ubyte"+end, y)
	}
	return append(paths, write("a.bin", z))
}

// The rows that arrive during reading are the rows that Open returns.
func TestOpenWithReadsWhatOpenReads(t *testing.T) {
	for _, n := range []int{1, 100, arriving, arriving + 1, 5000} {
		paths := images(t, n)
		for _, path := range paths {
			want := testkit.Must(Open(context.Background(), path, OpenOptions{RequireLabels: true}))(t)
			seen := 0
			var early *Data
			got := testkit.Must(OpenWith(context.Background(), path, OpenOptions{RequireLabels: true},
				func(d *Data) (func(lo, hi int) error, error) {
					early = d
					return func(lo, hi int) error {
						if lo != seen || hi <= lo || !mat.Equal(d.X.Rows(lo, hi), want.X.Rows(lo, hi)) {
							t.Errorf("%s: rows %d to %d after %d", path, lo, hi, seen)
						}
						seen = hi
						return nil
					}, nil
				}))(t)
			same := mat.Equal(got.X, want.X)
			got.X, want.X = nil, nil // which may hold them as another type
			if got != early || seen != n && path != paths[2] || !same || !reflect.DeepEqual(got, want) {
				t.Errorf("%s of %d rows: %d arrived, and the data differ from those of Open", path, n, seen)
			}
		}
	}
}

func TestOpenWithPassesErrorsOn(t *testing.T) {
	wrong := errors.New("wrong")
	paths := images(t, 9000)
	open := func(path string, opt OpenOptions, begin, later error) error {
		_, err := OpenWith(context.Background(), path, opt, func(*Data) (func(lo, hi int) error, error) {
			return func(lo, _ int) error {
				if lo > 0 {
					return later
				}
				return nil
			}, begin
		})
		return err
	}
	testkit.Equal(t, open(paths[0], OpenOptions{}, wrong, nil), wrong, "begin's error comes as")
	if err := open(paths[0], OpenOptions{}, nil, wrong); !errors.Is(err, wrong) ||
		!strings.HasPrefix(err.Error(), paths[0]) {
		t.Errorf("an error of the user comes as %v", err)
	}
	testkit.ErrorContains(t, open(paths[0], OpenOptions{Labels: labelsBeside(images(t, 5)[0])}, nil, nil),
		"9000 rows but 5 labels", "too few labels")
	packed := testkit.Must(os.ReadFile(paths[1]))(t)
	packed[len(packed)-6] ^= 1 // in the checksum
	testkit.NoError(t, os.WriteFile(paths[1], packed, 0o600))
	testkit.ErrorContains(t, open(paths[1], OpenOptions{}, nil, nil), "corrupt", "a wrong checksum")
	testkit.NoError(t, os.WriteFile(paths[1], packed[:len(packed)/2], 0o600))
	testkit.ErrorContains(t, open(paths[1], OpenOptions{}, nil, nil), "truncated", "half a file")
}

func labelsBeside(path string) string { return strings.Replace(path, "images-idx3", "labels-idx1", 1) }

// Files of bytes are read as bytes, at once and in blocks, and have the same values as float32.
func TestBytesStayBytes(t *testing.T) {
	paths := images(t, 50)
	array := writeFile(t, filepath.Join(t.TempDir(), "x.npy"), append([]byte("\x93NUMPY\x01\x00\x46\x00"+
		"{'descr': '|u1', 'fortran_order': False, 'shape': (4, 3), }          \n"),
		0, 255, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12))
	for _, path := range []string{paths[0], paths[1], array} {
		whole := testkit.Must(Open(t.Context(), path, OpenOptions{}))(t)
		first := 0
		testkit.NoError(t, Stream(t.Context(), path, OpenOptions{}, 3, func(x *Table, _ []int, _ []string) error {
			n, _ := x.Dims()
			if data, _, _, _ := x.RawRows(); data == nil {
				t.Errorf("%s: rows %d to %d are no bytes", path, first, first+n)
			}
			if !mat.Equal(x, whole.X.Rows(first, first+n)) {
				t.Errorf("%s: rows %d to %d are others", path, first, first+n)
			}
			first += n
			return nil
		}))
		testkit.Equal(t, first, whole.N(), path, "rows")
	}
	d := testkit.Must(OpenWith(t.Context(), paths[1], OpenOptions{},
		func(*Data) (func(lo, hi int) error, error) { return nil, nil }))(t)
	if data, _, _, _ := d.X.RawRows(); data == nil {
		t.Error("images that are read whole are no bytes")
	}
}
