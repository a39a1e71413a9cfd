package dataset

import (
	"fmt"
	"path/filepath"
	"testing"

	"rao/internal/testkit"
	"rao/spd"
)

// A number of column or channel names that differs from the number of columns or channels is an error, unless matrices
// of several bands repeat the channels.
func TestNamesInTheWrongNumberAreRefused(t *testing.T) {
	for _, c := range []struct {
		array string
		names []string
		want  string
	}{
		{"channels", []string{"C3", "Cz", "C4"}, "channels has 3 names, but the observations have 4 channels"},
		{"channels", []string{"a", "b", "c", "d", "e"}, "has 5 names"},
		{"channels", []string{"C3", "C4"}, ""}, // two bands
		{"channels", []string{"C3", "Cz", "C4", "Pz"}, ""},
	} {
		d := &Data{Stack: spd.NewStack(2, 4), Labels: []int{0, 1}, Classes: []string{"a", "b"}}
		for i := range 2 {
			for j := range 4 {
				d.Stack.Data[16*i+5*j] = 1
			}
		}
		d.Vars = map[string]*Array{c.array: {Name: c.array, Type: "U", Shape: []int{len(c.names)}, Strings: c.names}}
		path := filepath.Join(t.TempDir(), "m.npz")
		testkit.NoError(t, WriteFile(path, d))
		_, err := Open(t.Context(), path, OpenOptions{})
		if c.want == "" {
			testkit.NoError(t, err, c.names)
		} else {
			testkit.ErrorContains(t, err, c.want, c.names)
		}
	}
	d := &Data{X: NewTable(2, 3, []float64{1, 2, 3, 4, 5, 6})}
	d.Vars = map[string]*Array{"columns": {Name: "columns", Type: "U", Shape: []int{2}, Strings: []string{"a", "b"}}}
	path := filepath.Join(t.TempDir(), "v.npz")
	testkit.NoError(t, WriteFile(path, d))
	testkit.ErrorContains(t, testkit.ErrorOf(Open(t.Context(), path, OpenOptions{})),
		"the array columns has 2 names, but the observations have 3 columns; store one name for each", "vectors")
}

// Rows that are read in blocks keep their column names, as rows in memory do: columns are matched by name, and a wrong
// number of names is an error.
func TestBlocksOfArraysKeepColumnNames(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	write := func(name string, x []float64, columns ...string) string {
		d := &Data{X: NewTable(2, 3, x), Labels: []int{0, 1}, Classes: []string{"no", "yes"},
			Vars: map[string]*Array{"columns": {Name: "columns", Type: "U", Shape: []int{len(columns)},
				Strings: columns}}}
		path := filepath.Join(dir, name)
		testkit.NoError(t, WriteFile(path, d))
		return path
	}
	path := write("straight.npz", []float64{1, 2, 3, 4, 5, 6}, "a", "b", "c")
	turned := write("turned.npz", []float64{3, 1, 2, 6, 4, 5}, "c", "a", "b")
	s, err := Statistics(ctx, path, StatisticsOptions{})
	testkit.NoError(t, err)
	testkit.EqualSlices(t, s.Columns, []string{"a", "b", "c"}, "columns of the statistics")
	blocks := func(spec string, opt OpenOptions) (names []string, values []float64, err error) {
		err = Blocks(ctx, spec, opt, 0, func(d *Data, _ int) error {
			names = d.columns()
			for i := range d.X.rows {
				row := make([]float64, d.X.cols)
				d.X.Row(row, i)
				values = append(values, row...)
			}
			return nil
		})
		return names, values, err
	}
	names, values, err := blocks(turned, OpenOptions{Columns: []string{"a", "b", "c"}})
	testkit.NoError(t, err)
	testkit.EqualSlices(t, names, []string{"a", "b", "c"}, "in the order of the options")
	testkit.EqualSlices(t, values, []float64{1, 2, 3, 4, 5, 6}, "in the order of the options")
	_, values = testkit.Must2(blocks(path+","+turned, OpenOptions{}))(t)
	testkit.EqualSlices(t, values, []float64{1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6}, "of two files")
	for _, wrong := range [][]string{{"a", "b"}, {"a", "b", "c", "d"}, {"a", "b", "a"}} {
		path := write("wrong.npz", []float64{1, 2, 3, 4, 5, 6}, wrong...)
		want := fmt.Sprintf("%s: the array columns has %d names, but the observations have 3 columns; store one name "+
			"for each, or leave the array out", path, len(wrong))
		if len(wrong) == 3 {
			want = path + `: columns 0 and 2 (counted from 0) are both named "a"; rename one`
		}
		testkit.ErrorContains(t, testkit.ErrorOf(Open(ctx, path, OpenOptions{})), want, "in memory")
		_, _, err := blocks(path, OpenOptions{})
		testkit.ErrorContains(t, err, want, "blocks")
		testkit.ErrorContains(t, testkit.ErrorOf(Statistics(ctx, path, StatisticsOptions{})), want, "statistics")
		testkit.ErrorContains(t, testkit.ErrorOf(OpenOnDisk(ctx, path, OpenOptions{})), want, "on disk")
	}
}

// Numbers in the array columns are names, in memory and in blocks, and their count is checked.
func TestNumbersAreNamesOfColumns(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, numbers ...int64) string {
		d := &Data{X: NewTable(4, 2, []float64{1, 2, 3, 5, 2, 1, 8, 4}), Labels: []int{0, 1, 0, 1},
			Classes: []string{"no", "yes"},
			Vars:    map[string]*Array{"columns": {Name: "columns", Shape: []int{len(numbers)}, Int64: numbers}}}
		path := filepath.Join(dir, name)
		testkit.NoError(t, WriteFile(path, d))
		return path
	}
	good, bad := write("good.npz", 20, 10), write("bad.npz", 1, 2, 3)
	d := testkit.Must(Open(t.Context(), good, OpenOptions{}))(t)
	testkit.EqualSlices(t, d.columns(), []string{"20", "10"}, "columns")
	s := testkit.Must(Statistics(t.Context(), good, StatisticsOptions{}))(t)
	testkit.EqualSlices(t, s.Columns, []string{"20", "10"}, "columns of the statistics")
	const want = "the array columns has 3 names, but the observations have 2 columns"
	testkit.ErrorContains(t, testkit.ErrorOf(Open(t.Context(), bad, OpenOptions{})), want, "in memory")
	testkit.ErrorContains(t, testkit.ErrorOf(Statistics(t.Context(), bad, StatisticsOptions{})), want, "in blocks")
}
