package dataset

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"rao/internal/testkit"
)

// parts writes one table to three files. The columns of the last file are in another order.
func parts(t *testing.T) (dir, whole string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "parts")
	head, rows := "n,a,b,kind\n", make([]string, 60)
	other := make([]string, 60)
	for i := range rows {
		class := []string{"cat", "ape", "9"}[i*i%5%3]
		rows[i] = fmt.Sprintf("%d,%d.5,%d,%s\n", i%20, i, i*i, class)
		other[i] = fmt.Sprintf("%d.5,%s,%d,%d\n", i, class, i*i, i%20)
	}
	writeFile(t, filepath.Join(dir, "part-0.csv"), []byte(head+strings.Join(rows[:20], "")))
	writeFile(t, filepath.Join(dir, "part-1.csv"), []byte(head+strings.Join(rows[20:40], "")))
	writeFile(t, filepath.Join(dir, "part-2.csv"), []byte("a,kind,b,n\n"+strings.Join(other[40:], "")))
	writeFile(t, filepath.Join(dir, "_SUCCESS"), nil)
	whole = writeFile(t, filepath.Join(t.TempDir(), "whole.csv"), []byte(head+strings.Join(rows, "")))
	return dir, whole
}

func TestManyFilesAreOne(t *testing.T) {
	dir, whole := parts(t)
	list := writeFile(t, filepath.Join(t.TempDir(), "list.txt"),
		[]byte(filepath.Join(dir, "part-1.csv")+"\n\n"+filepath.Join(dir, "part-[02].csv")+"\n"))
	want := testkit.Must(Open(context.Background(), whole,
		OpenOptions{Table: TableOptions{Variables: []string{"n"}}}))(t)
	for _, spec := range []string{dir, filepath.Join(dir, "part-*.csv"), "@" + list,
		filepath.Join(dir, "part-2.csv") + "," + filepath.Join(dir, "part-[01].csv")} {
		var said *Reading
		opt := OpenOptions{Table: TableOptions{Variables: []string{"n"}}, OnReading: func(r *Reading) { said = r }}
		got := testkit.Must(Open(context.Background(), spec, opt))(t, spec)
		if !reflect.DeepEqual(got.X, want.X) || !slices.Equal(got.Labels, want.Labels) ||
			!slices.Equal(got.Classes, want.Classes) ||
			!slices.Equal(got.Vars["n"].Strings, want.Vars["n"].Strings) {
			t.Errorf("%s: %v %v", spec, got, want)
		}
		if said == nil || len(said.Files) != 3 ||
			!strings.Contains(said.String(), "3 files in the order of their names, part-0.csv to part-2.csv") ||
			said.Rows != 60 {
			t.Errorf("%s: %v", spec, said)
		}
		x, labels, classes := collect(t, spec, OpenOptions{Table: opt.Table}, 7)
		if len(x) != 60 || !slices.Equal(labels, want.Labels) || !slices.Equal(classes, want.Classes) ||
			x[59][0] != 59.5 || x[59][1] != 59*59 {
			t.Errorf("%s: streamed %d rows, last %v, classes %v", spec, len(x), x[len(x)-1], classes)
		}
	}
}

func TestArraysInManyFiles(t *testing.T) {
	dir := t.TempDir()
	for i, d := range []*Data{
		{X: NewTable(2, 2, []float32{1, 2, 3, 4}), Labels: []int{0, 1}, Classes: []string{"a", "b"}},
		{X: NewTable(1, 2, []float64{5, 6.1}), Labels: []int{0}, Classes: []string{"c"}},
	} {
		testkit.NoError(t, WriteFile(filepath.Join(dir, fmt.Sprintf("p%d.npz", i)), d))
	}
	x, labels, classes := collect(t, dir, OpenOptions{}, 10)
	want := [][]float64{{1, 2}, {3, 4}, {5, 6.1}}
	if !reflect.DeepEqual(x, want) || !slices.Equal(labels, []int{0, 1, 2}) ||
		!slices.Equal(classes, []string{"a", "b", "c"}) {
		t.Errorf("%v %v %v", x, labels, classes)
	}
	d, err := Open(context.Background(), dir, OpenOptions{})
	if err != nil || d.X.At(2, 1) != 6.1 || !slices.Equal(d.Labels, labels) {
		t.Errorf("%v %v", d, err)
	}
}

func TestFilesThatDoNotGoTogether(t *testing.T) {
	dir, whole := parts(t)
	other := t.TempDir()
	writeFile(t, filepath.Join(other, "a.csv"), []byte("a,kind\n1,x\n2,y\n"))
	writeFile(t, filepath.Join(other, "b.csv"), []byte("z,kind\n1,x\n2,y\n"))
	mixed := t.TempDir()
	writeFile(t, filepath.Join(mixed, "a.csv"), []byte("a,kind\n1,x\n"))
	writeFile(t, filepath.Join(mixed, "b.tsv"), []byte("a\tkind\n1\tx\n"))
	writeFile(t, filepath.Join(mixed, "c.npz"), []byte("PK\x03\x04"))
	for spec, want := range map[string]string{
		filepath.Join(dir, "*.npy"):                 "no such file",
		filepath.Join(dir, "part-0.csv") + ",":      "no such file",
		whole + "," + whole:                         "twice",
		filepath.Join(other, "*.csv"):               `column "a" is only in the first`,
		whole + "," + filepath.Join(other, "a.csv"): "3 columns, but the second has 1",
		mixed:                                        "files of two kinds",
		"@" + filepath.Join(dir, "_SUCCESS"):         "the list is empty",
		"@" + filepath.Join(dir, "nothing"):          "no such file",
		filepath.Join(dir, "part-[.csv"):             "patterns can contain",
		filepath.Join(dir, "part-*.csv") + "#labels": "no such file",
	} {
		opt := OpenOptions{}
		if strings.HasSuffix(spec, "#labels") {
			spec, opt.Labels, want = strings.TrimSuffix(spec, "#labels"), whole, "works with only one file"
		}
		_, err := Open(context.Background(), spec, opt)
		errs := []error{err, Stream(context.Background(), spec, opt, 0, func(*Table, []int, []string) error {
			return nil
		})}
		for _, err := range errs {
			testkit.ErrorContains(t, err, want, spec)
		}
	}
}
