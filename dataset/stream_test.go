package dataset

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"rao/internal/format/archive"
	"rao/internal/testkit"
)

// collect streams a source and puts the blocks together.
func collect(t *testing.T, spec string, opt OpenOptions, block int) (x [][]float64, labels []int, classes []string) {
	t.Helper()
	err := Stream(context.Background(), spec, opt, block, func(b *Table, l []int, c []string) error {
		rows, cols := b.Dims()
		if rows < 1 || rows > block {
			return fmt.Errorf("block of %d rows", rows)
		}
		for i := range rows {
			row := make([]float64, cols)
			b.Row(row, i)
			x = append(x, row)
		}
		labels = append(labels, l...)
		classes = c
		return nil
	})
	testkit.NoError(t, err, spec)
	return x, labels, classes
}

// gz compresses a file next to itself.
func gz(t *testing.T, path string) string {
	t.Helper()
	data := testkit.Must(os.ReadFile(path))(t)
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(data)
	_ = z.Close()
	writeFile(t, path+".gz", b.Bytes())
	return path + ".gz"
}

func writeFile(t *testing.T, path string, data []byte) string {
	t.Helper()
	testkit.WriteFile(t, path, data)
	return path
}

func writePNG(t *testing.T, path string, m image.Image) {
	t.Helper()
	var b bytes.Buffer
	testkit.NoError(t, png.Encode(&b, m))
	writeFile(t, path, b.Bytes())
}

// sources writes the same kind of small data in every form that can be streamed.
func sources(t *testing.T) map[string]OpenOptions {
	t.Helper()
	dir := t.TempDir()
	const n = 23
	x32 := make([]float32, n*4)
	x64 := make([]float64, n*4)
	names := make([]string, n)
	flag := make([]int64, n)
	var text, idxX, cifarX bytes.Buffer
	idxX.Write([]byte{0, 0, 8, 3, 0, 0, 0, n, 0, 0, 0, 2, 0, 0, 0, 2})
	idxY := []byte{0, 0, 8, 1, 0, 0, 0, n}
	for i := range n {
		names[i] = []string{"10", "9", "-1"}[i%3]
		flag[i] = int64(i % 2)
		idxY = append(idxY, byte(i%3))
		record := make([]byte, 3073)
		record[0] = byte(i % 10)
		for j := range 4 {
			v := byte(i*7 + j)
			x32[i*4+j], x64[i*4+j] = float32(v), float64(v)+0.5
			idxX.WriteByte(v)
			record[1+j*900] = v
			fmt.Fprintf(&text, "%d,", v)
		}
		fmt.Fprintf(&text, "%d,%s\n", flag[i], names[i])
		cifarX.Write(record)
		m := image.NewGray(image.Rect(0, 0, 3, 2))
		m.Pix[i%6] = byte(10 * i)
		writePNG(t, filepath.Join(dir, "images", names[i], fmt.Sprintf("%02d.png", i)), m)
	}
	path := func(name string) string { return filepath.Join(dir, name) }
	labels := writeFile(t, path("labels.txt"), []byte(strings.Join(names, "\n")))
	for name, arrays := range map[string][]Array{
		"f4.npz": {{Name: "X", Shape: []int{n, 4}, Float32: x32}, {Name: "y", Shape: []int{n}, Strings: names},
			{Name: "flag", Shape: []int{n, 1}, Int64: flag}},
		"f8.npz": {{Name: "X", Shape: []int{n, 4}, Float64: x64}, {Name: "y", Shape: []int{n}, Strings: names},
			{Name: "flag", Shape: []int{n}, Int64: flag}},
		"fortran": {{Name: "X", Shape: []int{n, 4}, Fortran: true, Float64: x64}},
		"images.npz": {{Name: "images", Shape: []int{n, 2, 2, 1}, Float32: x32},
			{Name: "label", Shape: []int{n}, Int64: flag}},
	} {
		testkit.NoError(t, archive.Write(path(name), nil, arrays))
	}
	writeFile(t, path("a-images-idx3-ubyte"), idxX.Bytes())
	writeFile(t, path("a-labels-idx1-ubyte"), idxY)
	writeFile(t, path("t.csv"), text.Bytes())
	writeFile(t, path("c.bin"), cifarX.Bytes())
	writeFile(t, path("images.mat"), matImages(n, 2, 2, 3))
	return map[string]OpenOptions{
		path("images.mat"):                       {Where: []string{"y=1"}},
		path("f4.npz"):                           {Where: []string{"flag=1"}},
		path("f8.npz"):                           {},
		path("fortran"):                          {Labels: labels},
		path("images.npz"):                       {},
		path("a-images-idx3-ubyte"):              {},
		gz(t, path("a-images-idx3-ubyte")):       {Labels: labels},
		path("t.csv"):                            {Where: []string{"4=0"}},
		gz(t, path("t.csv")):                     {Y: "none"},
		path("c.bin"):                            {},
		gz(t, path("c.bin")):                     {Labels: labels},
		path("images"):                           {},
		filepath.Join("digits:test"):             {},
		filepath.FromSlash(path("images") + "/"): {Labels: labels},
	}
}

// matImages returns a compressed MAT-file with n images of the given shape, in the order of MATLAB: value 100 i + 36 a
// + 6 b + c, modulo 256, at rows a, columns b and channels c of image i, with the label i modulo 3.
func matImages(n int, shape ...int) []byte {
	x := testkit.MatVar{Name: "X", Shape: append(slices.Clone(shape), n)}
	y := testkit.MatVar{Name: "y", Shape: []int{n, 1}}
	for i := range n {
		for c := range append(shape, 1)[2] {
			for b := range shape[1] {
				for a := range shape[0] {
					x.Bytes = append(x.Bytes, byte(100*i+36*a+6*b+c))
				}
			}
		}
		y.Bytes = append(y.Bytes, byte(i%3))
	}
	return testkit.MatFile(x, y)
}

// Images of MAT-files, which are counted by the last axis, are read in blocks. The error for a damaged file names its
// variable.
func TestMatImagesAreStreamed(t *testing.T) {
	dir := t.TempDir()
	for name, shape := range map[string][]int{"gray": {4, 5}, "color": {4, 5, 3}} {
		path := writeFile(t, filepath.Join(dir, name+".mat"), matImages(23, shape...))
		s, err := openRows(context.Background(), path, &OpenOptions{})
		if s == nil || err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		s.close()
		x, labels, _ := collect(t, path, OpenOptions{}, 5)
		channels := append(shape, 1)[2]
		for i, row := range x {
			for at, v := range row {
				a, b, c := at/channels/5, at/channels%5, at%channels
				if want := byte(100*i + 36*a + 6*b + c); byte(v) != want || labels[i] != i%3 {
					t.Fatalf("%s: image %d of class %d at row %d, column %d, channel %d: %v, want %d", name, i,
						labels[i], a, b, c, v, want)
				}
			}
		}
		if d := open(t, path, OpenOptions{}); len(x) != 23 || d.Image != [3]int{4, 5, channels} {
			t.Errorf("%s: %d images of %v", name, len(x), d.Image)
		}
	}
	damaged := matImages(4000, 9, 9)
	damaged[len(damaged)/2] ^= 0x10
	path := writeFile(t, filepath.Join(dir, "damaged.mat"), damaged)
	err := Stream(context.Background(), path, OpenOptions{}, 100, func(*Table, []int, []string) error { return nil })
	if err == nil || !strings.HasPrefix(err.Error(), path+": ") || !strings.Contains(err.Error(), `variable "`) {
		t.Errorf("a damaged file: %v", err)
	}
}

func TestStreamEqualsOpen(t *testing.T) {
	for spec, opt := range sources(t) {
		d := open(t, spec, opt)
		for _, block := range []int{1, 5, 23, 1000} {
			x, labels, classes := collect(t, spec, opt, block)
			rows, cols := d.X.Dims()
			if len(x) != rows {
				t.Fatalf("%s, block %d: %d rows, want %d", spec, block, len(x), rows)
			}
			want := make([]float64, cols)
			for i := range x {
				if d.X.Row(want, i); !reflect.DeepEqual(x[i], want) {
					t.Fatalf("%s, block %d: row %d is %v, want %v", spec, block, i, x[i], want)
				}
			}
			if d.Labels == nil && labels != nil || d.Labels != nil && !reflect.DeepEqual(labels, d.Labels) ||
				!reflect.DeepEqual(classes, d.Classes) {
				t.Errorf("%s, block %d: labels %v of %v, want %v of %v",
					spec, block, labels, classes, d.Labels, d.Classes)
			}
		}
	}
}

func TestStreamStopsOnErrorAndCancel(t *testing.T) {
	boom := errors.New("boom")
	for spec, opt := range sources(t) {
		calls := 0
		err := Stream(context.Background(), spec, opt, 3, func(*Table, []int, []string) error {
			calls++
			return boom
		})
		if err != boom || calls != 1 {
			t.Errorf("%s: %v after %d calls", spec, err, calls)
		}
		ctx, cancel := context.WithCancel(context.Background())
		err = Stream(ctx, spec, opt, 3, func(*Table, []int, []string) error {
			cancel()
			return nil
		})
		testkit.ErrorIs(t, err, context.Canceled, spec)
		cancel()
	}
}

func TestStreamOfBrokenFiles(t *testing.T) {
	none := func(*Table, []int, []string) error { return nil }
	big := filepath.Join(t.TempDir(), "big.npz")
	writeBigNpz(t, big, 3000, 1000)
	packed := testkit.Must(os.ReadFile(big))(t)
	packed[len(packed)/2] ^= 0xff
	broken := writeFile(t, filepath.Join(t.TempDir(), "broken.npz"), packed)
	csv := textFile(t, "b.csv", "1,2,0\n1,2,0\n1,oops,0\n")
	idx := writeFile(t, filepath.Join(t.TempDir(), "i-idx2"),
		append([]byte{0, 0, 8, 2, 0, 0, 0x40, 0, 0, 0, 0, 2}, make([]byte, 1<<15)...))
	data, _ := os.ReadFile(gz(t, idx))
	data[len(data)-5] ^= 1
	sum := writeFile(t, filepath.Join(t.TempDir(), "sum-idx2.gz"), data)
	for path, want := range map[string]string{
		broken: broken + ": after row ",
		csv:    csv + ": line 3, column \"1\": \"oops\" is not a number",
		sum:    sum + ": after row 16384: the compressed bytes are corrupt",
	} {
		if err := Stream(context.Background(), path, OpenOptions{}, 2, none); err == nil ||
			!strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestStreamHoldsOneBlock(t *testing.T) {
	// 64 million bytes, which compress to a few kilobytes and would be 256 MB as float32.
	const rows, cols = 1 << 16, 1 << 10
	dir := t.TempDir()
	var head bytes.Buffer
	head.Write([]byte{0, 0, 8, 2, 0, 1, 0, 0, 0, 0, 4, 0})
	idxPath := filepath.Join(dir, "big-idx2.gz")
	packZeros(t, idxPath, head.Bytes(), rows*cols)
	npzPath := filepath.Join(dir, "big.npz")
	writeBigNpz(t, npzPath, rows, cols)
	for _, path := range []string{idxPath, npzPath} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		n := 0
		err := Stream(context.Background(), path, OpenOptions{}, 256, func(x *Table, _ []int, _ []string) error {
			r, _ := x.Dims()
			n += r
			return nil
		})
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; err != nil || n != rows || used > 8<<20 {
			t.Errorf("%s: %d rows, %d bytes allocated, %v", path, n, used, err)
		}
	}
}

// packZeros writes head and n zero bytes, compressed.
func packZeros(t *testing.T, path string, head []byte, n int) {
	t.Helper()
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	_, _ = z.Write(head)
	_, _ = io.CopyN(z, zeros{}, int64(n))
	_ = z.Close()
	writeFile(t, path, b.Bytes())
}

// writeBigNpz writes a compressed npz with an array of rows×cols zero bytes.
func writeBigNpz(t *testing.T, path string, rows, cols int) {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestSpeed)
	})
	e, _ := z.Create("X.npy")
	dict := fmt.Sprintf("{'descr': '|u1', 'fortran_order': False, 'shape': (%d, %d), }\n", rows, cols)
	_, _ = fmt.Fprintf(e, "\x93NUMPY\x01\x00%c\x00%s", len(dict), dict)
	_, _ = io.CopyN(e, zeros{}, int64(rows*cols))
	testkit.NoError(t, z.Close())
	writeFile(t, path, b.Bytes())
}

// zeros is an endless stream of zero bytes.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func BenchmarkOpenMnist(b *testing.B) {
	path := testkit.External(b, "data", "mnist", "train-images-idx3-ubyte.gz")
	b.SetBytes(60000 * 784)
	for b.Loop() {
		testkit.Must(Open(context.Background(), path, OpenOptions{}))(b)
	}
}

func BenchmarkStreamMnist(b *testing.B) {
	path := testkit.External(b, "data", "mnist", "train-images-idx3-ubyte.gz")
	b.SetBytes(60000 * 784)
	for b.Loop() {
		testkit.NoError(b, Stream(context.Background(), path, OpenOptions{}, 4096, func(*Table, []int, []string) error {
			return nil
		}))
	}
}
