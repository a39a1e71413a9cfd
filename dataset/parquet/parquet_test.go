package parquet

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"rao/dataset"
	"rao/internal/testkit"
)

// The files of testdata were written by pyarrow and DuckDB: testdata/make.py says how, and
// what they hold.

func file1(name string) string { return filepath.Join("testdata", name) }

var animals = []string{"ape", "bee", "cat"}

const rows = 60

// wide returns row i of the files of three columns.
func wide(i int) []float64 {
	a := float64(i) / 4
	if i == 5 {
		a = math.NaN()
	}
	return []float64{a, float64(3 - i), float64(i % 7)}
}

func vector(i int) []float64 { return []float64{float64(i), float64(i) + 0.5, float64(-i)} }

// withHole returns vector(i), but NaNs for row 5.
func withHole(i int) []float64 {
	if i == 5 {
		return []float64{math.NaN(), math.NaN(), math.NaN()}
	}
	return vector(i)
}

// keep names the columns of the observations.
func keep(names ...string) dataset.OpenOptions {
	return dataset.OpenOptions{Table: dataset.TableOptions{Keep: names}}
}

func TestFilesOfOtherWriters(t *testing.T) {
	odd := keep("half", "money", "flag", "person.age")
	odd.Y = "big"
	numbers := []string{"0", "1", "2"}
	for _, c := range []struct {
		file    string
		opt     dataset.OpenOptions
		row     func(i int) []float64
		classes []string
		columns []string
		single  bool
	}{
		{"arrow-wide.parquet", dataset.OpenOptions{}, wide, animals, []string{"a", "b", "c"}, false},
		{"arrow-plain.parquet", dataset.OpenOptions{}, wide, animals, []string{"a", "b", "c"}, false},
		{"arrow-v2-zstd.parquet", dataset.OpenOptions{}, wide, animals, []string{"a", "b", "c"}, false},
		{"duckdb-wide.parquet", dataset.OpenOptions{}, wide, animals, []string{"a", "b", "c"}, false},
		{"arrow-wide.parquet", keep("c", "a"), func(i int) []float64 {
			w := wide(i)
			return []float64{w[0], w[2]}
		}, animals, []string{"a", "c"}, true},
		{"duckdb-v2.parquet", dataset.OpenOptions{}, func(i int) []float64 { return wide(i)[:1] }, animals,
			[]string{"a"}, false},
		{"duckdb-array.parquet", dataset.OpenOptions{}, vector, animals, nil, true},
		{"arrow-list.parquet", dataset.OpenOptions{}, withHole, numbers, nil, true},
		{"arrow-fixed-list.parquet", dataset.OpenOptions{}, vector, animals, nil, false},
		{"arrow-binary.parquet", dataset.OpenOptions{X: "x:f32"}, vector, animals, nil, true},
		{"arrow-binary.parquet", dataset.OpenOptions{X: "v:f64", Y: "y"}, vector, animals, nil, false},
		{"arrow-odd.parquet", odd,
			func(i int) []float64 { return []float64{float64(i), float64(i) + 0.25, float64(1 - i%2), float64(i)} },
			[]string{"9007199254740993", "9007199254740994", "9007199254740995"},
			[]string{"half", "money", "flag", "person.age"}, false},
	} {
		d := testkit.Must(dataset.Open(context.Background(), file1(c.file), c.opt))(t, c.file)
		_, _, double, _ := d.X.RawRows()
		if !reflect.DeepEqual(d.Classes, c.classes) || d.N() != rows || (double == nil) != c.single {
			t.Errorf("%s: classes %v of %d rows, single %v", c.file, d.Classes, d.N(), double == nil)
			continue
		}
		var columns []string
		if v := d.Vars["columns"]; v != nil {
			columns = v.Strings
		}
		testkit.EqualSlices(t, columns, c.columns, c.file, "columns")
		for i := range rows {
			if got, want := rowOf(d.X, i), c.row(i); !same(got, want) || d.Labels[i] != i%3 {
				t.Errorf("%s: row %d is %v of class %d, want %v of %d", c.file, i, got, d.Labels[i], want, i%3)
				break
			}
		}
		streamed(t, c.file, c.opt, d)
	}
}

func rowOf(x *dataset.Table, i int) []float64 {
	_, n := x.Dims()
	row := make([]float64, n)
	x.Row(row, i)
	return row
}

func same(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return x == y || x != x && y != y })
}

// streamed compares a file read in blocks with the same file read at once, at any GOMAXPROCS.
func streamed(t *testing.T, name string, opt dataset.OpenOptions, d *dataset.Data) {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, procs := range []int{1, 4} {
		runtime.GOMAXPROCS(procs)
		at := 0
		err := dataset.Stream(context.Background(), file1(name), opt, 7,
			func(x *dataset.Table, labels []int, classes []string) error {
				n, _ := x.Dims()
				for i := range n {
					if !same(rowOf(x, i), rowOf(d.X, at+i)) || d.Labels != nil && labels[i] != d.Labels[at+i] {
						t.Errorf("%s: row %d streamed is %v", name, at+i, rowOf(x, i))
					}
				}
				at += n
				return nil
			})
		if err != nil || at != d.N() {
			t.Errorf("%s: %d rows streamed, %v", name, at, err)
		}
	}
}

func TestRowsAndVariablesArePicked(t *testing.T) {
	opt := dataset.OpenOptions{Where: []string{"label=bee"}, Y: "c",
		Table: dataset.TableOptions{Variables: []string{"b"}}}
	d := testkit.Must(dataset.Open(context.Background(), file1("arrow-v2-zstd.parquet"), opt))(t)
	if d.N() != 20 || d.Vars["b"].Strings[1] != "-1" || d.Classes[d.Labels[1]] != "4" || d.X.At(2, 0) != 1.75 {
		t.Errorf("%d rows, b %v, class %s", d.N(), d.Vars["b"].Strings, d.Classes[d.Labels[1]])
	}
	streamed(t, "arrow-v2-zstd.parquet", opt, d)
}

func TestFilesThatAreAskedAbout(t *testing.T) {
	for _, c := range []struct {
		file string
		opt  dataset.OpenOptions
		want string
	}{
		{"arrow-ragged.parquet", dataset.OpenOptions{}, "row 9 of its group has a list of 1 values, but the " +
			"first list has 2"},
		{"arrow-binary.parquet", dataset.OpenOptions{}, "where NAME is x:f32, "},
		{"arrow-wide.parquet", dataset.OpenOptions{X: "when"}, "columns of single values with option keep"},
		{"arrow-wide.parquet", dataset.OpenOptions{X: "a,b"}, "columns of single values with option keep"},
		{"arrow-wide.parquet", keep("when"), "no column of numbers is left"},
		{"arrow-wide.parquet", dataset.OpenOptions{X: "d"}, "it has a, b, c, when, label"},
		{"arrow-wide.parquet", dataset.OpenOptions{Y: "a", RequireLabels: true}, "row 5 has no label"},
		{"arrow-wide.parquet", dataset.OpenOptions{Where: []string{"b=99"}}, "no rows"},
		{"duckdb-array.parquet", dataset.OpenOptions{Y: "none", RequireLabels: true}, "y=none leaves the labels out"},
		{"arrow-list.parquet", dataset.OpenOptions{Y: "x"}, "has vectors, but a label is a single value"},
	} {
		_, err := dataset.Open(context.Background(), file1(c.file), c.opt)
		testkit.ErrorContains(t, err, c.want, c.file, c.opt)
	}
}

// A file of labels must have one label for each row.
func TestLabelsInAnotherFileAreCounted(t *testing.T) {
	rows := testkit.Must(dataset.Open(t.Context(), file1("arrow-list.parquet"), dataset.OpenOptions{}))(t).N()
	for _, n := range []int{rows - 1, rows + 2} {
		labels := filepath.Join(t.TempDir(), "labels.csv")
		testkit.NoError(t, os.WriteFile(labels, []byte(strings.Repeat("a\n", n)), 0o600))
		_, err := dataset.Open(t.Context(), file1("arrow-list.parquet"), dataset.OpenOptions{X: "x", Labels: labels})
		testkit.ErrorContains(t, err, fmt.Sprintf("%d rows but %d labels in %s", rows, n, labels))
	}
}

// The spans of a file are its row groups, and have its rows in order.
func TestRowGroupsAreSpans(t *testing.T) {
	for _, name := range []string{"arrow-wide.parquet", "arrow-list.parquet", "arrow-binary.parquet"} {
		opt := dataset.OpenOptions{}
		if name == "arrow-binary.parquet" {
			opt.X = "x:f32"
		}
		d := testkit.Must(dataset.Open(context.Background(), file1(name), opt))(t)
		for _, size := range []int64{1, 700} {
			spans, err := dataset.Spans(file1(name), size)
			if err != nil || len(spans) < 2 {
				t.Fatalf("%s: %v, %v", name, spans, err)
			}
			at := 0
			for _, span := range spans {
				opt.Span = span
				testkit.NoError(t, dataset.Stream(context.Background(), file1(name), opt, 7, func(x *dataset.Table,
					labels []int,
					classes []string) error {
					for i, l := range labels {
						if !same(rowOf(x, i), rowOf(d.X, at)) || classes[l] != d.Classes[d.Labels[at]] {
							t.Errorf("%s, %v: row %d", name, span, at)
						}
						at++
					}
					return nil
				}))
			}
			testkit.Equal(t, at, d.N(), name, "rows in", len(spans), "spans")
		}
		opt.Span = [2]int64{1, 99}
		err := dataset.Stream(context.Background(), file1(name), opt, 7,
			func(*dataset.Table, []int, []string) error { return nil })
		testkit.ErrorContains(t, err, "row groups")
	}
}

// A column with another number of rows than its group is an error, also if only its sum is read.
func TestSumCountsRows(t *testing.T) {
	f := testkit.Must(open(file1("arrow-wide.parquet")))(t)
	defer f.Close()
	column := slices.IndexFunc(f.Columns(), func(c dataset.Column) bool { return c.Width == 1 })
	n, sum := make([]float64, 1), make([]float64, 1)
	testkit.NoError(t, f.Sum(t.Context(), []int{column}, n, sum))
	f.meta.RowGroups[0].NumRows++
	err := f.Sum(t.Context(), []int{column}, n, sum)
	testkit.ErrorContains(t, err, "rows, but its group has")
}
