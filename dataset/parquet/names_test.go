package parquet

import (
	"context"
	"strings"
	"testing"

	"rao/dataset"
	"rao/internal/testkit"
)

// For a misspelled name the error suggests the right one, as for tables.
func TestMisspelledColumnsAreSuggested(t *testing.T) {
	type row struct {
		Age, Height float64
		Kind        string
	}
	path := testkit.TempFile(t, "t.parquet", written(t, []row{{1, 2, "a"}, {3, 4, "b"}}))
	for _, opt := range []dataset.OpenOptions{
		{Y: "Kimd"},
		{Table: dataset.TableOptions{Drop: []string{"Kimd"}}},
		{Where: []string{"Kimd=a"}},
	} {
		_, err := dataset.Open(context.Background(), path, opt)
		if want := `no column "Kimd"; did you mean Kind?`; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// A column that cannot be read can be dropped by name. The rest of the file is then read.
func TestUnreadableColumnsAreDropped(t *testing.T) {
	type row struct {
		A, B    float64
		List    []float64
		Map     map[string]float64
		Species string
	}
	rows := make([]row, 6)
	for i := range rows {
		rows[i] = row{float64(i), float64(i * i), []float64{1, 2}, map[string]float64{"k": 1}, string(rune('a' + i%2))}
	}
	rows[4].List = rows[4].List[:1]
	path := testkit.TempFile(t, "t.parquet", written(t, rows))
	vectors := "columns of vectors and columns of single numbers (A, B, List[0], List[1])"
	uneven := "column List: row 4 of its group has a list of 1 values, but the first list has 2"
	for _, c := range []struct {
		drop []string
		x    string
		want string // of the error
	}{
		{nil, "", vectors}, {[]string{"Map.key"}, "List", uneven}, {[]string{"A", "B"}, "", uneven},
		{[]string{"List"}, "", ""}, {[]string{"List", "Map.key"}, "", ""},
	} {
		opt := dataset.OpenOptions{Y: "Species", X: c.x, Table: dataset.TableOptions{Drop: c.drop}}
		d, err := dataset.Open(context.Background(), path, opt)
		streamed := dataset.Stream(context.Background(), path, opt, 2,
			func(*dataset.Table, []int, []string) error { return nil })
		if c.want != "" {
			testkit.ErrorContains(t, err, c.want, c.drop)
			testkit.ErrorContains(t, streamed, c.want, c.drop)
			continue
		}
		testkit.NoError(t, err)
		testkit.NoError(t, streamed)
		if n, columns := d.X.Dims(); n != 6 || columns != 2 || d.X.At(5, 1) != 25 {
			t.Errorf("without %v: %d rows, %d columns", c.drop, n, columns)
		}
	}
}
