package dataset

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/format/ndarray"
	"rao/internal/format/npy"
	"rao/internal/testkit"
)

// numberedTable writes a table of two classes whose rows contain their numbers.
func numberedTable(t *testing.T, name string, from, rows int) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("a,b,label\n")
	for i := from; i < from+rows; i++ {
		fmt.Fprintf(&b, "%d,%d.5,%s\n", i, i%7, [2]string{"even", "odd"}[i%2])
	}
	return writeFile(t, filepath.Join(t.TempDir(), name), []byte(b.String()))
}

// epochOf returns the numbers of the rows of an epoch in their order.
func epochOf(t *testing.T, d *OnDisk, seed uint64, epoch, size int) []int {
	t.Helper()
	var order []int
	testkit.NoError(t, d.Batches(t.Context(), seed, epoch, size, func(x mat.Matrix, labels []int) error {
		if n, cols := x.Dims(); n != size || cols != 2 || len(labels) != size {
			t.Fatalf("a batch of %d×%d and %d labels", n, cols, len(labels))
		}
		for i, l := range labels {
			v := int(x.At(i, 0))
			testkit.Equal(t, l, v%2, "row", v, "has label")
			testkit.Equal(t, x.At(i, 1), float64(v%7)+0.5, "row", v, "has label")
			order = append(order, v)
		}
		return nil
	}))
	return order
}

func look(t *testing.T, spec string, opt OpenOptions) *OnDisk {
	t.Helper()
	d, err := OpenOnDisk(t.Context(), spec, opt)
	if err != nil || d == nil {
		t.Fatalf("%v, %v", d, err)
	}
	return d
}

// An epoch contains every row once except for a remainder, in an order that depends only on the seed and the epoch, not
// on the blocks of the reader or the number of processors.
func TestBatchesAreAnOrderOfAllRows(t *testing.T) {
	const rows, size = 150_000, 64
	a, b := numberedTable(t, "a.csv", 0, 100_000), numberedTable(t, "b.csv", 100_000, 50_000)
	for _, spec := range []string{a, a + "," + b} {
		want := rows
		if spec == a {
			want = 100_000
		}
		d := look(t, spec, OpenOptions{})
		if n, cols := d.Data.X.Dims(); n != want || cols != 2 ||
			!slices.Equal(d.Data.Classes, []string{"even", "odd"}) {
			t.Fatalf("%d×%d, %v", n, cols, d.Data.Classes)
		}
		if len(d.blocks) < 2 {
			t.Fatalf("%d blocks", len(d.blocks))
		}
		first := epochOf(t, d, 1, 0, size)
		sorted := slices.Sorted(slices.Values(first))
		if len(first) != want/size*size || len(slices.Compact(sorted)) != len(first) {
			t.Errorf("%d rows, %d of them different", len(first), len(slices.Compact(sorted)))
		}
		if slices.IsSorted(first) || slices.Equal(first, epochOf(t, d, 1, 1, size)) ||
			slices.Equal(first, epochOf(t, d, 2, 0, size)) {
			t.Error("the order is not that of the seed and the epoch")
		}
		for _, reader := range []int{1000, 7} {
			d.reader = reader
			before := runtime.GOMAXPROCS(1 + reader%3)
			again := epochOf(t, d, 1, 0, size)
			runtime.GOMAXPROCS(before)
			testkit.EqualSlices(t, first, again, "another order by", reader, "rows at a time")
		}
	}
}

// All rows pass through a buffer smaller than the data, mixed with nearby rows.
func TestMixerKeepsAllRows(t *testing.T) {
	m := &mixer{rng: rand.New(rand.NewPCG(1, 2)), buffer: newRowBlock(NewTable(10, 1, make([]float64, 10)))}
	var seen []int
	out := &rowBlock{x: NewTable(4, 1, make([]float64, 4)), labels: make([]int, 4), size: 4}
	m.out = out
	m.full = func() bool {
		seen = append(seen, out.labels[:out.filled]...)
		out.filled = 0
		return true
	}
	for i := range 98 {
		if !m.put(NewTable(1, 1, []float64{float64(i)}), 0, i) {
			t.Fatal("no more rows are wanted")
		}
	}
	m.rest()
	seen = append(seen, out.labels[:out.filled]...)
	if sorted := slices.Compact(slices.Sorted(slices.Values(seen))); len(sorted) != 98 || slices.IsSorted(seen) {
		t.Errorf("%d rows: %v", len(sorted), seen)
	}
}

// Labels in a separate npy file are read from any position, and conditions apply, even if a part of the data matches
// none.
func TestBatchesHeedLabelsAndConditions(t *testing.T) {
	dir := t.TempDir()
	const rows = 300_000
	x, y := make([]float32, 0, 2*rows), make([]int64, rows)
	for i := range rows {
		x = append(x, float32(i), float32(i%7)+0.5)
		y[i] = int64(i % 2)
	}
	xs, ys := filepath.Join(dir, "x.npy"), filepath.Join(dir, "y.npy")
	for path, a := range map[string]*ndarray.Array{
		xs: {Type: "f4", Shape: []int{rows, 2}, Float32: x}, ys: {Type: "i8", Shape: []int{rows}, Int64: y}} {
		var b bytes.Buffer
		testkit.NoError(t, npy.Write(&b, a))
		writeFile(t, path, b.Bytes())
	}
	d := look(t, xs, OpenOptions{Labels: ys})
	if len(d.blocks) < 3 || d.Data.X.kind == float64s {
		t.Fatalf("%d blocks", len(d.blocks))
	}
	testkit.Equal(t, len(epochOf(t, d, 1, 0, 100)), rows, "rows")
	d = look(t, numberedTable(t, "c.csv", 0, 200_000), OpenOptions{Where: []string{"b=3.5"}})
	if err := d.Batches(t.Context(), 1, 0, 10, func(x mat.Matrix, _ []int) error {
		if v := x.At(0, 0); int(v)%7 != 3 {
			return fmt.Errorf("row %g", v)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}

func TestBatchesStop(t *testing.T) {
	d := look(t, numberedTable(t, "a.csv", 0, 50_000), OpenOptions{})
	enough := errors.New("enough")
	testkit.Equal(t, d.Batches(t.Context(), 1, 0, 10, func(mat.Matrix, []int) error { return enough }), enough,
		"an error of the reader of batches")
	ctx, cancel := context.WithCancel(t.Context())
	err := d.Batches(ctx, 1, 0, 10, func(mat.Matrix, []int) error { cancel(); return nil })
	if err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	testkit.Fails(t, testkit.ErrorOf(OpenOnDisk(t.Context(), npz(t, xArray), OpenOptions{})),
		"data without labels pass")
}
