package dataset

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/format/archive"
	"rao/internal/format/npy"
	"rao/internal/testkit"
	"rao/spd"
)

// open opens a source, and fails the test if this is an error.
func open(t testing.TB, spec string, opt OpenOptions) *Data {
	t.Helper()
	return testkit.Must(Open(context.Background(), spec, opt))(t)
}

// npz writes arrays to a new file.
func npz(t *testing.T, arrays ...Array) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "d.npz")
	testkit.NoError(t, archive.Write(path, nil, arrays))
	return path
}

// Labels that NumPy pickled are named as the reason why the data have no labels.
func TestPickledLabels(t *testing.T) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w := testkit.Must(z.Create("X.npy"))(t)
	testkit.NoError(t, npy.Write(w, &Array{Name: "X", Shape: []int{2, 1}, Float64: []float64{1, 2}}))
	w = testkit.Must(z.Create("y.npy"))(t)
	header := fmt.Sprintf("%-117s\n", "{'descr': '|O', 'fortran_order': False, 'shape': (2,), }")
	testkit.Must(io.WriteString(w, "\x93NUMPY\x01\x00\x76\x00"+header+"pickle"))(t)
	testkit.NoError(t, z.Close())
	path := writeFile(t, filepath.Join(t.TempDir(), "d.npz"), b.Bytes())
	_, err := Open(t.Context(), path, OpenOptions{RequireLabels: true})
	testkit.ErrorContains(t, err, `the data have no labels (array "y": npy element type "|O" is a pickled Python obj`)
	open(t, path, OpenOptions{})
}

func npyFile(t *testing.T, a Array) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.npy")
	testkit.NoError(t, archive.WriteFile(path, func(w io.Writer) error { return npy.Write(w, &a) }))
	return path
}

func textFile(t *testing.T, name, content string) string {
	t.Helper()
	return writeFile(t, filepath.Join(t.TempDir(), name), []byte(content))
}

// refused checks that opening fails with an error that contains every part of want; | separates the parts.
func refused(t *testing.T, what, spec string, opt OpenOptions, want string) {
	t.Helper()
	d, err := Open(context.Background(), spec, opt)
	if err == nil {
		t.Errorf("%s: opened %d observations, want an error with %q", what, d.N(), want)
		return
	}
	for part := range strings.SplitSeq(want, "|") {
		testkit.Contains(t, err.Error(), part, what)
	}
}

var (
	xArray = Array{Name: "X", Shape: []int{4, 2}, Float64: []float64{1, 2, 3, 4, 5, 6, 7, 8}}
	yArray = Array{Name: "y", Shape: []int{4}, Int64: []int64{10, 9, 10, -1}}
)

func TestNpzNamesAndClasses(t *testing.T) {
	d := open(t, npz(t, xArray, yArray), OpenOptions{})
	if !slices.Equal(d.Classes, []string{"-1", "9", "10"}) || !slices.Equal(d.Labels, []int{2, 1, 2, 0}) {
		t.Errorf("classes %q, labels %v: numbers must stand in numeric order", d.Classes, d.Labels)
	}
	if d.X.At(3, 1) != 8 || d.X.kind != float64s || d.Stack != nil {
		t.Errorf("%+v", d)
	}
	testkit.EqualSlices(t, d.Counts(), []int{1, 1, 2}, "counts")
	features := xArray
	features.Name = "features"
	names := Array{Name: "who", Shape: []int{4, 1}, Strings: []string{"b", "a", " b ", "10"}}
	d = open(t, npz(t, features, names), OpenOptions{Y: "who"})
	if !slices.Equal(d.Classes, []string{"10", "a", "b"}) || !slices.Equal(d.Labels, []int{2, 1, 2, 0}) {
		t.Errorf("classes %q, labels %v", d.Classes, d.Labels)
	}
	d = open(t, npz(t, xArray), OpenOptions{})
	if d.Labels != nil || d.Classes != nil {
		t.Errorf("labels %v of %v without any in the file", d.Labels, d.Classes)
	}
	d = open(t, npz(t, Array{Name: "X", Shape: []int{4}, Float32: []float32{1, 2, 3, 4}}), OpenOptions{})
	if r, c := d.X.Dims(); r != 4 || c != 1 || d.X.kind == float64s {
		t.Errorf("one axis became %d×%d", r, c)
	}
}

func TestWhere(t *testing.T) {
	path := npz(t, xArray, yArray,
		Array{Name: "fold", Shape: []int{4, 1}, Int64: []int64{0, 1, 0, 1}},
		Array{Name: "site", Shape: []int{4}, Strings: []string{"a", "b", "b", "b"}},
		Array{Name: "channels", Shape: []int{2}, Strings: []string{"C3", "C4"}})
	d := open(t, path, OpenOptions{Where: []string{"fold=1", "site=b"}})
	if d.N() != 2 || d.X.At(0, 0) != 3 || d.X.At(1, 0) != 7 || !slices.Equal(d.Classes, []string{"-1", "9"}) {
		t.Errorf("rows %v, classes %v", mat.Formatted(d.X), d.Classes)
	}
	if !slices.Equal(d.Vars["fold"].Int64, []int64{1, 1}) || !slices.Equal(d.Vars["fold"].Shape, []int{2}) ||
		d.Vars["channels"].Strings[1] != "C4" {
		t.Errorf("variables %v", d.Vars)
	}
	testkit.Equal(t, open(t, path, OpenOptions{Where: []string{"y=10.0"}}).N(), 2, "rows with label 10")
	testkit.Equal(t, open(t, path, OpenOptions{Where: []string{"fold=true"}}).N(), 2, "rows with fold true")
	refused(t, "unknown", path, OpenOptions{Where: []string{"test=1"}},
		path+"|no variable \"test\"; they have channels, fold, site, y")
	refused(t, "none left", path, OpenOptions{Where: []string{"fold=2"}},
		"where=fold=2|no rows are left; \"fold\" has the values 0, 1")
	refused(t, "other length", path, OpenOptions{Where: []string{"channels=C3"}},
		"the number of values is 2, but the number of observations is 4")
	refused(t, "no value", path, OpenOptions{Where: []string{"fold"}}, `the condition must be NAME=VALUE`)
	refused(t, "text with number", path, OpenOptions{Where: []string{"site=1"}}, "no rows are left")
}

func TestBadNpz(t *testing.T) {
	short := yArray
	short.Shape, short.Int64 = []int{3}, []int64{1, 2, 3}
	refused(t, "labels too few", npz(t, xArray, short), OpenOptions{},
		"d.npz|4 rows but 3 labels; every row needs one label")
	wide := Array{Name: "X", Shape: []int{2, 4}, Float64: xArray.Float64}
	refused(t, "transposed", npz(t, wide, yArray), OpenOptions{}, "2 rows but 4 labels|save the transpose")
	table := Array{Name: "y", Shape: []int{4, 2}, Int64: make([]int64, 8)}
	refused(t, "label table", npz(t, xArray, table), OpenOptions{Y: "y"}, "shape 4×2; it must have one axis")
	nan := Array{Name: "y", Shape: []int{4}, Float64: []float64{1, 1, math.NaN(), 0}}
	refused(t, "NaN label", npz(t, xArray, nan), OpenOptions{}, "the label of row 2 is NaN")
	refused(t, "absent", npz(t, xArray), OpenOptions{X: "Z"}, `no array "Z"; its arrays are X`)
	refused(t, "absent y", npz(t, xArray), OpenOptions{Y: "Z"}, `no array "Z"`)
	refused(t, "same", npz(t, xArray), OpenOptions{X: "X", Y: "X"}, "both as observations and as labels")
	a, b := xArray, xArray
	a.Name, b.Name = "a", "b"
	refused(t, "two candidates", npz(t, a, b), OpenOptions{}, "name one with option x: a (4×2), b (4×2)")
	refused(t, "none", npz(t, yArray), OpenOptions{}, "the file has no array of observations (it has y (4)); "+
		"save the rows as one array X, or the columns as a csv or Parquet table")
	refused(t, "complex", complexNpz(t), OpenOptions{},
		`X (|"<c16" is complex; save its real part or absolute value`)
	names := Array{Name: "X", Shape: []int{2, 2}, Strings: []string{"a", "b", "c", "d"}}
	refused(t, "text", npz(t, names), OpenOptions{X: "X"}, "are text")
	refused(t, "no labels", npz(t, xArray), OpenOptions{RequireLabels: true},
		"the data have no labels; give them with labels=FILE")
	empty := Array{Name: "X", Shape: []int{0, 2}, Float64: []float64{}}
	refused(t, "empty", npz(t, empty), OpenOptions{}, "the data have no observations")
	narrow := Array{Name: "X", Shape: []int{1 << 20, 0}, Float64: []float64{}}
	refused(t, "no columns", npz(t, narrow), OpenOptions{}, "observations have no values")
	none := func(*Table, []int, []string) error { return nil }
	testkit.ErrorContains(t, Stream(context.Background(), npz(t, narrow), OpenOptions{}, 0, none),
		"observations have no values", "stream without columns")
	testkit.ErrorContains(t, Stream(context.Background(), npz(t, empty), OpenOptions{}, 0, none),
		"the data have no observations", "stream without rows")
}

// An Excel workbook is a zip archive, as is an npz file. The error explains how to export it.
func TestExcelWorkbooks(t *testing.T) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	_ = testkit.Must(z.Create("xl/workbook.xml"))(t)
	testkit.NoError(t, z.Close())
	path := filepath.Join(t.TempDir(), "t.xlsx")
	writeFile(t, path, b.Bytes())
	_, err := Open(t.Context(), path, OpenOptions{})
	testkit.ErrorContains(t, err, "t.xlsx: the file is an Excel workbook; save the sheet as csv")
}

func TestLabelFiles(t *testing.T) {
	x := npyFile(t, Array{Shape: []int{3, 2}, Float32: []float32{1, 2, 3, 4, 5, 6}})
	for what, labels := range map[string]string{
		"npy":         npyFile(t, Array{Shape: []int{3}, Float64: []float64{2, 7, 2}}),
		"idx":         writeFile(t, filepath.Join(t.TempDir(), "l"), []byte{0, 0, 8, 1, 0, 0, 0, 3, 2, 7, 2}),
		"text":        textFile(t, "l.csv", "2\n7\n2\n"),
		"text header": textFile(t, "l.txt", "label\n2.0\n7\n2\n"),
	} {
		d := open(t, x, OpenOptions{Labels: labels})
		testkit.EqualSlices(t, d.Classes, []string{"2", "7"}, what)
		testkit.EqualSlices(t, d.Labels, []int{0, 1, 0}, what)
	}
	testkit.EqualSlices(t, open(t, x, OpenOptions{Labels: textFile(t, "l.csv", "cat\ndog\ncat\n")}).Classes,
		[]string{"cat", "dog"}, "classes")
	refused(t, "length", x, OpenOptions{Labels: textFile(t, "l.csv", "1\n2\n")}, "3 rows but 2 labels in |l.csv")
	refused(t, "columns", x, OpenOptions{Labels: textFile(t, "l.csv", "1,2\n2,3\n")},
		"a file of labels must have one column, but this file has 2")
	refused(t, "kind", x, OpenOptions{Labels: npz(t, yArray)}, "give an IDX file, an npy file, or text")
	refused(t, "absent", x, OpenOptions{Labels: "absent.csv"}, "absent.csv: no such file")
}

func TestTables(t *testing.T) {
	iris := "length,width,class\n5.1,3.5,setosa\n4.9,3.0,virginica\n4.7,3.2,setosa\n"
	d := open(t, textFile(t, "iris.csv", iris), OpenOptions{})
	if !slices.Equal(d.Classes, []string{"setosa", "virginica"}) || !slices.Equal(d.Labels, []int{0, 1, 0}) ||
		d.X.At(1, 0) != 4.9 {
		t.Errorf("%+v", d)
	}
	if c := d.Vars["columns"]; c == nil || !slices.Equal(c.Strings, []string{"length", "width"}) {
		t.Errorf("names of the features: %v", c)
	}
	first := "kind\tfold\ta\tb\nx\t0\t1\t2\ny\t1\t3\t4\nx\t1\t5\t6\n"
	path := textFile(t, "first.tsv", first)
	for _, column := range []string{"kind", "0", "-4"} {
		d = open(t, path, OpenOptions{Y: column, Where: []string{"fold=1"}})
		if r, c := d.X.Dims(); r != 2 || c != 2 || d.X.At(1, 1) != 6 || !slices.Equal(d.Classes, []string{"x", "y"}) {
			t.Errorf("label column %s: %d×%d, classes %q", column, r, c, d.Classes)
		}
	}
	// A last column with fractions is a measurement, not a label, unless named.
	measured := textFile(t, "m.csv", "1,2,0.5\n3,4,0.25\n")
	if d = open(t, measured, OpenOptions{}); d.Labels != nil || d.X.At(1, 2) != 0.25 {
		t.Errorf("labels %v of measurements", d.Labels)
	}
	if d = open(t, measured, OpenOptions{Y: "-1"}); len(d.Classes) != 2 {
		t.Errorf("classes %q of a named column", d.Classes)
	}
	if d = open(t, textFile(t, "n.csv", "1,2\n3,4\n"), OpenOptions{Y: "none"}); d.Labels != nil ||
		d.X.At(1, 1) != 4 {
		t.Error("a table without labels has labels")
	}
	if d = open(t, textFile(t, "n.csv", "1,2,0\n3,4,1\n5,6,0\n"),
		OpenOptions{Labels: textFile(t, "l", "a\nb\nc\n"), Where: []string{"2=0"}}); !slices.Equal(d.Classes,
		[]string{"a", "c"}) {
		t.Errorf("classes %q from a file for picked rows", d.Classes)
	}
	refused(t, "text cell", textFile(t, "b.csv", "a,b,y\n1,2,0\n1,oops,0\n"), OpenOptions{},
		"b.csv: line 3, column \"b\": \"oops\" is not a number")
	refused(t, "labels elsewhere", textFile(t, "k.csv", "x,y,kind\n1,2,a\n1,3,b\n"), OpenOptions{},
		"\"a\" is not a number (the labels are in column \"y\", by its name)")
	refused(t, "column", path, OpenOptions{Y: "c"}, `no column "c"; it has kind, fold, a, b`)
	refused(t, "number", path, OpenOptions{Y: "9"}, "no column 9; it has 4 columns, numbered from 0")
	refused(t, "no header", measured, OpenOptions{Y: "y"}, "has no line of column names")
	refused(t, "where", path, OpenOptions{Y: "kind", Where: []string{"fold=5"}}, "no rows are left")
	unlabeled := textFile(t, "e.csv", "1,a\n2,\n3,b\n")
	refused(t, "no label", unlabeled, OpenOptions{RequireLabels: true}, `line 2 has no label in column "1", `+
		"which was chosen as the label column (the last column); give every row a label or remove it, or name "+
		"another column with")
	refused(t, "no label", unlabeled, OpenOptions{Y: "1"}, `no label in column "1"; give every row a label`)
	refused(t, "label only", textFile(t, "e.csv", "1\n2\n"), OpenOptions{Y: "0"},
		"no column is left for the observations")
	refused(t, "row length", textFile(t, "e.csv", "1,2\n2\n"), OpenOptions{}, "line 2 has 1 field,")
	refused(t, "labels length", textFile(t, "n.csv", "1,2\n3,4\n"), OpenOptions{Labels: textFile(t, "l", "a\n")},
		"2 rows but 1 label ")
}

func TestNaNIsFoundByRowAndColumn(t *testing.T) {
	d := open(t, textFile(t, "n.csv", "1,2,a\n3,,b\n"), OpenOptions{})
	err := d.Check()
	var bad *rao.ValueError
	if !errors.As(err, &bad) || bad.Row != 1 || bad.Col != 1 ||
		!strings.Contains(err.Error(), "n.csv: row 1, column 1 is NaN (both counted from 0); remove the row") {
		t.Errorf("NaN: %v", err)
	}
	d = open(t, npz(t, Array{Name: "X", Shape: []int{2, 2}, Float32: []float32{1, 2, float32(math.Inf(-1)), 4}}),
		OpenOptions{})
	testkit.ErrorContains(t, d.Check(), "row 1, column 0 is -Inf", "Inf")
	testkit.NoError(t, open(t, npz(t, xArray), OpenOptions{}).Check(), "good data")
}

// stackOf returns n symmetric d×d matrices. Entry (i,j) of matrix k is 100k + 10 max(i,j) + min(i,j).
func stackOf(n, d int) Array {
	a := Array{Name: "X", Shape: []int{n, d, d}, Float64: make([]float64, n*d*d)}
	for k := range n {
		for i := range d {
			for j := range d {
				a.Float64[(k*d+i)*d+j] = float64(100*k + 10*max(i, j) + min(i, j))
			}
		}
	}
	return a
}

func TestMatFileWithFlag(t *testing.T) {
	// P is 2×3×4 counting up in column-major order.
	path := filepath.Join("..", "internal", "format", "matfile", "testdata", "octave.mat")
	d := open(t, path, OpenOptions{X: "P"})
	if d.N() != 4 || d.Image != [3]int{2, 3, 1} || d.X.At(1, 1) != 9 {
		t.Errorf("%d observations of %v, value %g", d.N(), d.Image, d.X.At(1, 1))
	}
	d = open(t, path, OpenOptions{X: "n", Y: "word", Labels: textFile(t, "l", "u\nv\n")})
	if d.N() != 2 || d.X.At(0, 1) != -2 || d.X.kind == float64s {
		t.Errorf("2×2 of int16: %v", mat.Formatted(d.X))
	}
	refused(t, "count", path, OpenOptions{X: "n", Y: "flag"}, "2 rows but 3 labels")
	several := filepath.Join("..", "internal", "format", "matfile", "testdata", "v5.mat")
	refused(t, "several", several, OpenOptions{}, "name one with option x|v_f8 (2×3×4)")
	testkit.Equal(t, open(t, path, OpenOptions{X: "flag"}).N(), 1, "observations in a logical row")
}

func TestBrokenFilesOfEveryKind(t *testing.T) {
	cut := func(path string, share float64) string {
		t.Helper()
		data := testkit.Must(os.ReadFile(path))(t)
		return writeFile(t, filepath.Join(t.TempDir(), filepath.Base(path)), data[:int(share*float64(len(data)))])
	}
	idx := filepath.Join(t.TempDir(), "i-idx3")
	writeFile(t, idx, append([]byte{0, 0, 8, 3, 0, 0, 0, 9, 0, 0, 0, 2, 0, 0, 0, 2}, make([]byte, 36)...))
	for _, path := range []string{
		npz(t, xArray, yArray),
		npyFile(t, xArray),
		filepath.Join("..", "internal", "format", "matfile", "testdata", "v5.mat"),
		filepath.Join("..", "internal", "format", "matfile", "testdata", "v7.mat"),
		filepath.Join("..", "internal", "format", "npy", "testdata", "packed.npz"),
		idx,
		gz(t, idx),
	} {
		broken := cut(path, 0.9)
		var opt OpenOptions
		if filepath.Ext(path) == ".mat" {
			opt.X = "v_f8"
		}
		refused(t, "cut", broken, opt, broken+"|truncated")
	}
	refused(t, "absent", "absent.npz", OpenOptions{}, "absent.npz: no such file or folder")
	refused(t, "empty", textFile(t, "e.csv", ""), OpenOptions{}, "the file is empty")
	refused(t, "unknown", textFile(t, "e.xyz", "\x01\x02\x03\x04 something"), OpenOptions{},
		"unknown file format; supported are npz, npy")
	refused(t, "packed npz", gz(t, npz(t, xArray)), OpenOptions{}, "run gunzip on it first")
	refused(t, "no name", "", OpenOptions{}, "no data were given")
	refused(t, "near name", "digts", OpenOptions{}, `unknown file or data set "digts"|did you mean digits`)
	for _, spec := range []string{"absent.npz", "digts"} {
		if _, err := Open(context.Background(), spec, OpenOptions{}); !errors.Is(err, ErrNotFound) ||
			!errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v is not ErrNotFound", spec, err)
		}
	}
	refused(t, "part", "digits:tset", OpenOptions{},
		"no such part; choose from digits, digits:train, digits:test")
	refused(t, "no part", "mnist", OpenOptions{}, "a part is missing; choose from mnist:train, mnist:test")
	refused(t, "generated", "toy1", OpenOptions{}, "generate it first")
	ctx := testkit.Canceled()
	testkit.ErrorIs(t, testkit.ErrorOf(Open(ctx, npz(t, xArray), OpenOptions{})), context.Canceled, "canceled")
}

func TestDigits(t *testing.T) {
	all, train, test := open(t, "digits", OpenOptions{}), open(t, "digits:train", OpenOptions{}),
		open(t, "digits:test", OpenOptions{})
	if all.N() != 1797 || train.N() != 1198 || test.N() != 599 || all.X.kind == float64s ||
		all.Image != [3]int{8, 8, 1} {
		t.Errorf("%d, %d, %d observations", all.N(), train.N(), test.N())
	}
	for i := range all.N() {
		part, at := train, i-i/3-1
		if i%3 == 0 {
			part, at = test, i/3
		}
		if !mat.Equal(all.X.Rows(i, i+1), part.X.Rows(at, at+1)) || all.Labels[i] != part.Labels[at] {
			t.Fatalf("row %d is not row %d of its part", i, at)
		}
	}
	relabeled := open(t, "digits:test", OpenOptions{Labels: textFile(t, "l", strings.Repeat("a\nb\n", 299)+"a\n")})
	testkit.EqualSlices(t, relabeled.Classes, []string{"a", "b"}, "classes from a file of labels")
	refused(t, "where", "digits", OpenOptions{Where: []string{"a=1"}},
		"no variable \"a\", or any other variable for selecting rows")
	// numpy's std of the same rows.
	testkit.Close(t, "standard deviation", []float64{deviation(train.X)}, []float64{6.019871953127539}, 1e-12)
}

// deviation returns the standard deviation of all values of a table.
func deviation(x *Table) float64 {
	rows, cols := x.Dims()
	var sum, sq float64
	for i := range rows {
		for j := range cols {
			v := x.At(i, j)
			sum += v
			sq += v * v
		}
	}
	n := float64(rows * cols)
	return math.Sqrt(sq/n - sum/n*sum/n)
}

func TestOptdigitsAreThoseOfTheGoldenRuns(t *testing.T) {
	d := open(t, testkit.External(t, "data", "optdigits", "optdigits.tra"), OpenOptions{})
	// "std" of golden/sqfa_digits.json: numpy on all training values.
	testkit.Close(t, "standard deviation", []float64{deviation(d.X)}, []float64{6.0364855856034945}, 1e-12)
	if len(d.Classes) != 10 || d.N() != 3823 {
		t.Errorf("%d rows, classes %q", d.N(), d.Classes)
	}
}

func TestMnist(t *testing.T) {
	d := open(t, testkit.External(t, "data", "mnist", "train-images-idx3-ubyte.gz"), OpenOptions{})
	if r, c := d.X.Dims(); r != 60000 || c != 784 || d.X.kind == float64s {
		t.Errorf("%d×%d, single %v", r, c, d.X.kind != float64s)
	}
	if d.Image != [3]int{28, 28, 1} || len(d.Classes) != 10 || d.Counts()[1] != 6742 {
		t.Errorf("image %v, classes %v, counts %v", d.Image, d.Classes, d.Counts())
	}
}

func TestBciSession(t *testing.T) {
	path := testkit.External(t, "data", "bci-iv-2a", "A01.mat")
	for value, want := range map[string]int{"0": 288, "1": 288, "false": 288} {
		d := open(t, path, OpenOptions{X: "P", Y: "Label", Where: []string{"testIdx=" + value}})
		if d.Stack == nil || d.Stack.Count != want || d.Stack.Dim != 22 ||
			!slices.Equal(d.Counts(), []int{72, 72, 72, 72}) {
			t.Errorf("testIdx=%s: %d observations, %v", value, d.N(), d.Counts())
		}
	}
}

func TestWriteFileRoundTrip(t *testing.T) {
	for _, d := range []*Data{
		{X: NewTable(3, 2, []float64{1, 2, 3, 4, 5, 6}), Labels: []int{1, 0, 1}, Classes: []string{"a", "b"}},
		{X: NewTable(3, 1, []float32{1, 2, 3}), Labels: []int{1, 0, 1}, Classes: []string{"-3", "20"}},
		{X: NewTable(2, 2, []float32{1, 2, 3, 4})},
		{X: NewTable(3, 4, []float32{1, 2, 2, 4, 1, 5, 5, 1, 0, 0, 0, 0}), Image: [3]int{2, 2, 1},
			Labels: []int{1, 0, 1}, Classes: []string{"a", "b"}},
		{X: NewTable(2, 6, make([]float64, 12)), Image: [3]int{1, 2, 3}},
		{Stack: spd.StackOf(2, 2, []float64{2, 1, 1, 2, 3, 0, 0, 3}), Labels: []int{0, 1},
			Classes: []string{"0.5", "1.5"}},
	} {
		path := filepath.Join(t.TempDir(), "d.npz")
		testkit.NoError(t, WriteFile(path, d))
		back := open(t, path, OpenOptions{})
		if d.X != nil && (!mat.Equal(d.X, back.X) || (d.X.kind == float64s) != (back.X.kind == float64s)) ||
			d.Stack != nil && !reflect.DeepEqual(d.Stack, back.Stack) ||
			!slices.Equal(d.Labels, back.Labels) || !slices.Equal(d.Classes, back.Classes) || d.Image != back.Image {
			t.Errorf("%+v came back as %+v", d, back)
		}
	}
	if err := WriteFile(filepath.Join(t.TempDir(), "no", "d.npz"),
		&Data{X: NewTable(1, 1, []float64{1})}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing folder: %v", err)
	}
}

func TestSubset(t *testing.T) {
	d := open(t, "digits", OpenOptions{})
	s := d.Subset([]int{5, 2, 5})
	if s.N() != 3 || s.Labels[0] != d.Labels[5] || s.X.At(1, 20) != d.X.At(2, 20) || len(s.Classes) != 10 {
		t.Errorf("%+v", s)
	}
	st := &Data{Stack: spd.StackOf(3, 1, []float64{1, 2, 3}), Vars: map[string]*Array{
		"person":   {Shape: []int{1, 3}, Fortran: true, Strings: []string{"a", "b", "c"}},
		"channels": {Shape: []int{3}, Strings: []string{"C3", "Cz", "C4"}},
		"rate":     {Shape: []int{1}, Float64: []float64{250}},
	}}
	cut := st.Subset([]int{2, 0})
	testkit.Equal(t, cut.Stack.At(0)[0], 3, fmt.Sprintf("%+v", cut.Stack))
	testkit.Equal(t, cut.N(), 2, fmt.Sprintf("%+v", cut.Stack))
	if v := cut.Vars; !slices.Equal(v["person"].Strings, []string{"c", "a"}) || v["channels"].Len() != 3 ||
		v["rate"].Len() != 1 || st.Vars["person"].Len() != 3 {
		t.Errorf("variables %v", v)
	}
}

// complexNpz returns an npz file with a complex array X, as numpy writes it.
func complexNpz(t *testing.T) string {
	t.Helper()
	head := "{'descr': '<c16', 'fortran_order': False, 'shape': (1, 2), }"
	head += strings.Repeat(" ", 117-len(head)) + "\n"
	path := filepath.Join(t.TempDir(), "c.npz")
	f := testkit.Must(os.Create(path))(t)
	defer f.Close()
	z := zip.NewWriter(f)
	w, err := z.Create("X.npy")
	if err == nil {
		_, err = w.Write(slices.Concat([]byte("\x93NUMPY\x01\x00\x76\x00"), []byte(head), make([]byte, 32)))
	}
	testkit.NoError(t, errors.Join(err, z.Close()))
	return path
}
