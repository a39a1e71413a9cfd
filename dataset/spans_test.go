package dataset

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"rao/internal/format/npy"
	"rao/internal/testkit"
)

// tableText returns a table with a row of about 20 bytes for each i.
func tableText(head string, rows int) []byte {
	var b bytes.Buffer
	b.WriteString(head)
	for i := range rows {
		if i%7 == 3 {
			b.WriteString("# a remark, 1, 2\n\n")
		}
		fmt.Fprintf(&b, "%d.25,%d,\"c%d\"\n", i*i, i, i%3)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// The spans of a file have its rows, each once and in order, whatever their size.
func TestSpansAreTheWhole(t *testing.T) {
	dir := t.TempDir()
	array := filepath.Join(dir, "x.npy")
	values, names := make([]float64, 90), make([]string, 45)
	for i := range values {
		values[i], names[i/2] = float64(i*i)/4, fmt.Sprint("k", i%5)
	}
	var b bytes.Buffer
	z, err := npy.NewFloats(&b, 45, 2)
	if err == nil {
		err = errors.Join(z.Write(values), z.Close())
	}
	testkit.NoError(t, err)
	writeFile(t, array, b.Bytes())
	labels := writeFile(t, filepath.Join(dir, "y.txt"), []byte(strings.Join(names, "\n")))
	for _, c := range []struct {
		path string
		opt  OpenOptions
	}{
		{writeFile(t, filepath.Join(dir, "a.csv"), tableText("a,b,label\n", 40)), OpenOptions{}},
		{writeFile(t, filepath.Join(dir, "b.csv"), tableText("\xef\xbb\xbf# what\n\n# it is\na,b,label\n", 40)),
			OpenOptions{}},
		{writeFile(t, filepath.Join(dir, "c.csv"), tableText("", 30)), OpenOptions{Y: "2"}},
		{writeFile(t, filepath.Join(dir, "quoted.csv"), append(tableText("a,b,label\n", 20), "\n7,8,\"a\n9,9,9\"\n"+
			"6,5,\"b\n\nc\"\n3,4,x\n"...)), OpenOptions{}},
		{writeFile(t, filepath.Join(dir, "d.tsv"), bytes.ReplaceAll(tableText("a,b,y\n", 30), []byte(","),
			[]byte("\t"))), OpenOptions{}},
		{array, OpenOptions{Labels: labels}},
	} {
		if c.path != array {
			c.opt.Table.Drop = []string{"none"} // short parts would each decide for themselves
		}
		x, y, classes := collect(t, c.path, c.opt, 5)
		for _, size := range []int64{1, 7, 30, 100, 333, 1 << 20} {
			spans := testkit.Must(Spans(c.path, size))(t)
			testkit.Equal(t, len(spans) == 1, (size == 1<<20), c.path, len(spans), "spans of", size, "bytes")
			var gotX [][]float64
			var gotY []string
			for _, s := range spans {
				opt := c.opt
				opt.Span = s
				err := Stream(context.Background(), c.path, opt, 4, func(x *Table, labels []int,
					classes []string) error {
					for i := range labels {
						row := make([]float64, 2)
						x.Row(row, i)
						gotX, gotY = append(gotX, row), append(gotY, classes[labels[i]])
					}
					return nil
				})
				if err != nil && !errors.Is(err, ErrNoRows) {
					t.Fatalf("%s, %v: %v", c.path, s, err)
				}
			}
			var wantY []string
			for _, l := range y {
				wantY = append(wantY, classes[l])
			}
			if !reflect.DeepEqual(gotX, x) || !slices.Equal(gotY, wantY) {
				t.Errorf("%s in %d spans: %d rows, want %d", c.path, len(spans), len(gotX), len(x))
			}
		}
	}
}

func TestSpansThatCannotBe(t *testing.T) {
	dir := t.TempDir()
	plain := writeFile(t, filepath.Join(dir, "a.csv"), tableText("a,b,label\n", 40))
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(tableText("a,b,label\n", 40))
	z.Close()
	packed := writeFile(t, filepath.Join(dir, "z.csv.gz"), b.Bytes())
	npz := filepath.Join(dir, "d.npz")
	testkit.NoError(t, WriteFile(npz, &Data{X: NewTable(2, 1, []float64{1, 2})}))
	for _, path := range []string{packed, npz} {
		if spans, err := Spans(path, 10); err != nil || len(spans) != 1 || spans[0] != [2]int64{} {
			t.Errorf("%s: %v, %v", path, spans, err)
		}
	}
	for _, c := range []struct {
		spec, labels, want string
		span               [2]int64
	}{
		{packed, "", "decompress it", [2]int64{0, 10}},
		{npz, "", "npz cannot be read in parts", [2]int64{0, 1}},
		{plain + "," + packed, "", "single file", [2]int64{0, 10}},
		{plain, plain, "option labels names the labels of all rows", [2]int64{0, 10}},
		{plain, "", "no rows", [2]int64{1 << 20, 1 << 21}},
	} {
		opt := OpenOptions{Span: c.span, Labels: c.labels}
		err := Stream(context.Background(), c.spec, opt, 0, func(*Table, []int, []string) error { return nil })
		testkit.ErrorContains(t, err, c.want, c.spec, c.span)
	}
	testkit.Fails(t, testkit.ErrorOf(Open(context.Background(), plain, OpenOptions{Span: [2]int64{0, 10}})),
		"Open takes a part")
}

// An error in a part names the start of the part.
func TestFaultsInSpans(t *testing.T) {
	text := append(tableText("a,b,label\n", 40), "\n1,x,c1\n"...)
	path := writeFile(t, filepath.Join(t.TempDir(), "a.csv"), text)
	at := int64(bytes.Index(text, []byte("1000")) + 1)
	opt := OpenOptions{Span: [2]int64{at, int64(len(text))}}
	err := Stream(context.Background(), path, opt, 0, func(*Table, []int, []string) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "from byte") || !strings.Contains(err.Error(), "\"x\"") {
		t.Error(err)
	}
}
