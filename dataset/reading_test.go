package dataset

import (
	"context"
	"encoding/json"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rao/internal/testkit"
)

// reading opens a source in both ways and returns the reported choices, which must be the same.
func reading(t *testing.T, path string, opt OpenOptions) (*Data, string) {
	t.Helper()
	var whole, streamed *Reading
	opt.OnReading = func(r *Reading) { whole = r }
	d := open(t, path, opt)
	opt.OnReading = func(r *Reading) { streamed = r }
	rows := 0
	testkit.NoError(t, Stream(context.Background(), path, opt, 7, func(x *Table, labels []int, classes []string) error {
		n, cols := x.Dims()
		if _, want := d.X.Dims(); cols != want || !slices.Equal(classes, d.Classes) {
			t.Errorf("streamed: %d columns, classes %q; whole: %d, %q", cols, classes, want, d.Classes)
		}
		for i := range n {
			for j := range cols {
				if x.At(i, j) != d.X.At(rows+i, j) {
					t.Fatalf("row %d, column %d: streamed %v, whole %v", rows+i, j, x.At(i, j), d.X.At(rows+i, j))
				}
			}
		}
		rows += n
		return nil
	}))
	a, _ := json.Marshal(whole)
	b, _ := json.Marshal(streamed)
	testkit.Equal(t, string(a), string(b), "told of the whole", a, "told of the stream", b)
	if whole == nil {
		return d, ""
	}
	return d, strings.TrimPrefix(whole.String(), path+": ")
}

// lines writes n rows made by f under a header, "" for none.
func lines(t *testing.T, header string, n int, f func(i int) string) string {
	t.Helper()
	var b strings.Builder
	if header != "" {
		b.WriteString(header + "\n")
	}
	for i := range n {
		b.WriteString(f(i) + "\n")
	}
	return textFile(t, "d.csv", b.String())
}

// Ambiguities of a csv file are resolved by rules and reported.
func TestTablesSayWhatWasDecided(t *testing.T) {
	const last = "the last column; if the table has no labels, set y=none"
	class := func(i int) string { return string(rune('a' + i%3)) }
	value := func(i int) string { return fmt.Sprint(float64(i*7%31)/8 + 0.01) }
	for _, c := range []struct {
		what, path string
		opt        OpenOptions
		cols       int
		want       string
	}{
		{"names", lines(t, "u,v,species", 6, func(i int) string {
			return value(i) + "," + value(i+1) + "," + class(i)
		}), OpenOptions{}, 2,
			"commas, a header; label column species (" + last + "); 6 rows, 3 classes; 2 columns: u, v"},
		{"a usual name", lines(t, "u,label,v", 6, func(i int) string {
			return value(i) + "," + class(i) + "," + value(i+1)
		}), OpenOptions{}, 2,
			"commas, a header; label column label (by its name); 6 rows, 3 classes; 2 columns: u, v"},
		{"the only text", lines(t, "", 6, func(i int) string { return class(i) + ";" + value(i) + ";" + value(i+1) }),
			OpenOptions{}, 2,
			"semicolons, no header; label column 0 (the only text column); 6 rows, 3 classes; 2 columns: 1, 2"},
		{"row numbers of pandas",
			lines(t, ",u,species", 30, func(i int) string { return fmt.Sprint(i) + "," + value(i) + "," + class(i) }),
			OpenOptions{}, 1,
			"commas, a header; label column species (" + last + "); 30 rows, 3 classes; 1 column: u; left out: " +
				"column 0 (it has no name and numbers the rows; " +
				"drop=none keeps it)"},
		{"kept", lines(t, ",u,species", 30, func(i int) string {
			return fmt.Sprint(i) + "," + value(i) + "," + class(i)
		}), OpenOptions{Table: TableOptions{Drop: []string{"none"}}}, 2,
			"commas, a header; label column species (" + last + "); 30 rows, 3 classes; 2 columns: 0, u; column 0 " +
				"numbers the rows but is used as a feature; drop=0 " +
				"leaves it out"},
		{"row numbers without a header",
			lines(t, "", 30, func(i int) string { return fmt.Sprint(i+1) + "," + value(i) + "," + class(i) }),
			OpenOptions{}, 1,
			"commas, no header; label column 2 (" + last + "); 30 rows, 3 classes; 1 column: 1; left out: column 0 " +
				"(it has no name and numbers the rows; drop=none " +
				"keeps it)"},
		{"a name that counts", lines(t, "trial,u,species", 30, func(i int) string {
			return fmt.Sprint(i) + "," + value(i) + "," + class(i)
		}), OpenOptions{}, 2,
			"commas, a header; label column species (" + last + "); 30 rows, 3 classes; 2 columns: trial, u; column " +
				"trial numbers the rows but is used as a feature; " +
				"drop=trial leaves it out"},
		{"identifiers", lines(t, "id,u,species", 30, func(i int) string {
			return fmt.Sprint(i*7919%104729) + "," + value(i) + "," + class(i)
		}), OpenOptions{}, 2,
			"commas, a header; label column species (" + last + "); 30 rows, 3 classes; 2 columns: id, u; column id " +
				"has a different number in nearly every row " +
				"but is used as a feature; drop=id leaves it out"},
		{"dropped", lines(t, "id,u,species", 30, func(i int) string {
			return "x" + fmt.Sprint(i) + "," + value(i) + "," + class(i)
		}), OpenOptions{Table: TableOptions{Drop: []string{"id"}}}, 1,
			"commas, a header; label column species (" + last + "); " +
				"30 rows, 3 classes; 1 column: u; left out: column id (option drop)"},
		{"groups", lines(t, "who,u,species", 30, func(i int) string {
			return "p" + fmt.Sprint(i%4) + "," + value(i) + "," + class(i)
		}), OpenOptions{Table: TableOptions{Variables: []string{"who"}}}, 1,
			"commas, a header; label column species (" + last + "); 30 rows, 3 classes; 1 column: u"},
		{"a measurement", lines(t, "u,v", 6, func(i int) string { return value(i) + "," + value(i+1) }), OpenOptions{},
			2,
			"commas, a header; no labels (the last column contains fractional numbers and was treated as a " +
				"measurement); 6 rows; 2 columns: u, v"},
		{"comments and decimal commas", textFile(t, "d.csv", "# one\nu;v;c\n1,5;2;a\n# two\n2,5;3;b\n"),
			OpenOptions{Table: TableOptions{DecimalComma: true}}, 2,
			"semicolons and decimal commas, a header; 2 comment lines; label column c (the last column; if the " +
				"table has no labels, set y=none); 2 rows, 2 classes; 2 columns: u, v"},
		{"Latin-1", textFile(t, "d.csv", "u,Gr\xf6\xdfe,c\n1,2,gr\xfcn\n2,3,rot\n"),
			OpenOptions{Table: TableOptions{Latin1: true}}, 2,
			"commas, latin-1, a header; label column c (" + last + "); 2 rows, 2 classes; 2 columns: u, Größe"},
		{"two spellings", textFile(t, "d.csv", "u,v,c\n1,2,01\n2,3,1\n2,3,2.0\n2,3,1.0\n"), OpenOptions{}, 2,
			"commas, a header; label column c (" + last + "); 4 " +
				"rows, 2 classes; 2 columns: u, v; labels 01 and 1 are the same number and count as one class"},
		{"classes that are spelled alike", textFile(t, "d.csv", "u,v,c\n1,2,Good\n2,3,bad\n2,4,good\n"),
			OpenOptions{}, 2,
			"commas, a header; label column c (" + last + "); 3 rows, 3 classes; 2 columns: u, v; classes " +
				"\"Good\" and \"good\" differ only in upper and lower case or blanks; " +
				"correct the labels if they are one class"},
	} {
		d, said := reading(t, c.path, c.opt)
		testkit.Equal(t, said, c.want, c.what, "said")
		if _, cols := d.X.Dims(); cols != c.cols {
			t.Errorf("%s: %d columns, want %d", c.what, cols, c.cols)
		}
		if c.what == "groups" && (d.Vars["who"] == nil || d.Vars["who"].Text(5) != "p1") {
			t.Errorf("variables %v", d.Vars)
		}
	}
	if d, said := reading(t, npz(t, xArray, yArray), OpenOptions{}); said != "" || d.N() != 4 {
		t.Errorf("an npz leaves nothing open, and said %q", said)
	}
}

// A column whose labels differ in every row is not used as the classes, unless it was named.
func TestLabelsOfEveryRowAreNotClasses(t *testing.T) {
	path := lines(t, "u,v,name", 12, func(i int) string { return fmt.Sprintf("%d,%d,n%d", i%5, i%3, i) })
	need := OpenOptions{RequireLabels: true}
	refused(t, "unnamed", path, need, "each of the 12 rows has a different label (n0, n1, …)|option y")
	need.Y = "name"
	testkit.Equal(t, len(open(t, path, need).Classes), 12, "classes")
}

// Spreadsheets end all lines with commas if cells to the right were once used. These columns are left out, unless one
// has a value. Errors describe other columns without names by their numbers.
func TestColumnsWithoutNamesAndValuesAreLeftOut(t *testing.T) {
	need := OpenOptions{RequireLabels: true, Table: TableOptions{Missing: "error"}}
	row := func(i int) string { return fmt.Sprintf("%d,%d,%c", i%5, i%3, 'a'+i%2) }
	for _, c := range [][2]string{{"u,v,class", ","}, {"u,v,kind", ",,"}, {"u,v,kind", `,"", `}} {
		path := lines(t, c[0]+",,"[:strings.Count(c[1], ",")], 12, func(i int) string { return row(i) + c[1] })
		d := open(t, path, need)
		if rows, cols := d.X.Dims(); rows != 12 || cols != 2 || len(d.Classes) != 2 {
			t.Errorf("%s%s: %d rows, %d columns, %d classes", c[0], c[1], rows, cols, len(d.Classes))
		}
	}
	path := lines(t, "u,v,class,", 12, func(i int) string { return row(i) + "," + strings.Repeat("7", i/11) })
	refused(t, "a value", path, need, `line 13, column 3 has the value "7", but the column has no name`)
	path = lines(t, "u,v,class,", 12, func(i int) string { return row(i) + "," + strings.Repeat("7", 1-i/11) })
	refused(t, "no value", path, need,
		"line 13, column 3 (it has no name) has no value; leave the column out with drop=3")
	need.Table.Drop = []string{"3"}
	if d := open(t, path, need); d.N() != 12 || len(d.Classes) != 2 {
		t.Errorf("%d rows, %d classes", d.N(), len(d.Classes))
	}
}

// A class has the same name in every file format.
func TestLabelsHaveOneForm(t *testing.T) {
	for s, want := range map[string]string{
		"01": "1", "1": "1", "1.0": "1", "+1": "1", "1e0": "1", " 1 ": "1", "1.": "1", "-0": "0", "-0.0": "0",
		"000": "0", "-007.00": "-7",
		"0.50": "0.5", ".5": "0.5", "5e-1": "0.5", "1e3": "1000", "18446744073709551615": "18446744073709551615",
		"00018446744073709551615.0": "18446744073709551615",
		"":                          "", "a": "a", "1a": "1a", "0x10": "0x10", "1_0": "1_0", "nan": "nan", "inf": "inf",
		"NA": "NA", "e5": "e5",
		"1-2": "1-2", "-": "-", ".": ".",
		"a\tb": "a\tb", "x\x1b[0m": "x\x1b[0m", "gr\xfcn": "grün", "grün": "grün", "True": "True",
		"2026-01-01": "2026-01-01", "1e999": "1e999",
	} {
		testkit.Equal(t, labelText(s), want, s)
		testkit.Equal(t, labelText(labelText(s)), labelText(s), s, "again")
	}
	x := Array{Name: "X", Shape: []int{3, 1}, Float64: []float64{1, 2, 3}}
	want := []string{"1", "7"}
	for what, path := range map[string]string{
		"int":    npz(t, x, Array{Name: "y", Shape: []int{3}, Int64: []int64{7, 1, 7}}),
		"float":  npz(t, x, Array{Name: "y", Shape: []int{3}, Float64: []float64{7, 1, 7}}),
		"single": npz(t, x, Array{Name: "y", Shape: []int{3}, Float32: []float32{7, 1, 7}}),
		"text":   npz(t, x, Array{Name: "y", Shape: []int{3}, Strings: []string{"7.0", "01", "+7"}}),
		"csv":    textFile(t, "a.csv", "u,y\n1,7.0\n2,01\n3,7\n"),
	} {
		if d := open(t, path, OpenOptions{}); !slices.Equal(d.Classes, want) ||
			!slices.Equal(d.Labels, []int{1, 0, 1}) {
			t.Errorf("%s: %q %v", what, d.Classes, d.Labels)
		}
	}
	refused(t, "an empty name", npz(t, x, Array{Name: "y", Shape: []int{3}, Strings: []string{"a", " ", "b"}}),
		OpenOptions{}, "label of row 1 is empty")
	refused(t, "an empty line of labels", npz(t, x), OpenOptions{Labels: textFile(t, "l.csv", "a\n\"\"\nb\n")},
		"has no label")
}

// Different unsigned numbers above the largest int64 are different labels, and so are different texts that are not
// UTF-8.
func TestLabelsBeyondTheUsual(t *testing.T) {
	dir := t.TempDir()
	x := writeFile(t, filepath.Join(dir, "x.npy"), npyBytes("<f8", 3, make([]byte, 24)))
	big := []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0,
		0, 0, 0, 0, 0, 0}
	d := open(t, x, OpenOptions{Labels: writeFile(t, filepath.Join(dir, "u.npy"), npyBytes("<u8", 3, big))})
	testkit.EqualSlices(t, d.Classes, []string{"1", "18446744073709551614", "18446744073709551615"}, "classes")
	d = open(t, x, OpenOptions{Labels: writeFile(t, filepath.Join(dir, "s.npy"),
		npyBytes("|S2", 3, []byte("b\xe9b\xe8b\xe9")))})
	testkit.EqualSlices(t, d.Classes, []string{"bè", "bé"}, "classes")
}

// npyBytes returns an npy file of n elements.
func npyBytes(descr string, n int, data []byte) []byte {
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d,), }", descr, n)
	header += strings.Repeat(" ", 63-(10+len(header))%64) + "\n"
	return append([]byte("\x93NUMPY\x01\x00"+string([]byte{byte(len(header)), byte(len(header) >> 8)})+header), data...)
}

// Files in a folder that are not images are counted, links to folders are classes, and a file with the name of a set is
// ambiguous.
func TestFoldersSayWhatTheySkip(t *testing.T) {
	dir := t.TempDir()
	for _, sub := range []string{"cat", "dog", "empty", "cat/deep", ".hidden"} {
		testkit.NoError(t, os.Mkdir(filepath.Join(dir, sub), 0o755))
	}
	elsewhere := t.TempDir()
	for _, name := range []string{"cat/1.png", "cat/2.PNG", "dog/1.png"} {
		writePNG(t, filepath.Join(dir, name), image.NewGray(image.Rect(0, 0, 3, 2)))
	}
	writePNG(t, filepath.Join(elsewhere, "1.png"), image.NewGray(image.Rect(0, 0, 3, 2)))
	for _, name := range []string{"cat/3.tif", "cat/4.TIF", "dog/2.gif", "notes.txt", "cat/.DS_Store", "dog/read.me"} {
		writeFile(t, filepath.Join(dir, name), []byte("x"))
	}
	for to, at := range map[string]string{elsewhere: "fox", "nowhere": "gone"} {
		if err := os.Symlink(to, filepath.Join(dir, at)); err != nil {
			t.Skip(err)
		}
	}
	d, said := reading(t, dir, OpenOptions{})
	if !slices.Equal(d.Classes, []string{"cat", "dog", "fox"}) || d.N() != 4 {
		t.Errorf("%d images of %q", d.N(), d.Classes)
	}
	want := "4 rows, 3 classes; left out: 2 tif images (only PNG and JPEG are read); left out: 1 folder inside class " +
		"folders (they are not searched); left out: 1 gif image (only PNG and JPEG are read); left out: 1 other file " +
		"(only PNG and JPEG are read); left out: 1 class folder without an image (such as empty); left out: 1 link " +
		"(their targets do not exist); left out: 1 file next to the class folders (every image must be in the folder " +
		"of its class)"
	testkit.Equal(t, said, want, "said")
	Register(Set{Name: "clash", Kind: "embedded",
		Find: func(string, OpenOptions) (*SetPart, error) { return nil, nil }})
	t.Chdir(dir)
	writeFile(t, "clash", []byte("1,2\n3,4\n"))
	refused(t, "clash", "clash", OpenOptions{}, "the name of a data set and also of a file or folder here|./clash")
	testkit.Equal(t, open(t, "./clash", OpenOptions{}).N(), 2, "rows")
}
