package parquet

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"rao/dataset"
	"rao/internal/testkit"
	"rao/recipe"
)

// The same dates in CSV, as text in Parquet, and as dates and times of Parquet give identical statistics, bit for bit,
// and the same form.
func TestDates(t *testing.T) {
	type row struct {
		X     float64    `parquet:"x"`
		Day   *int32     `parquet:"day,optional,date"`
		When  *time.Time `parquet:"when,optional,timestamp(microsecond)"`
		Text  *string    `parquet:"text,optional"`
		Kind  string     `parquet:"kind"`
		Class string     `parquet:"class"`
	}
	rows := make([]row, 500)
	var csv strings.Builder
	csv.WriteString("x,day,when,text,kind,class\n")
	for i := range rows {
		day := int32(19000 + i*7%400)
		when := time.Date(2024, 1, 1, i%24, i%60, 0, i%3*500_000_000, time.UTC).AddDate(0, 0, i*3%200)
		text := time.Unix(0, 0).UTC().AddDate(0, 0, int(day)).Format("2006-01-02")
		rows[i] = row{float64(i*i%17) / 3, &day, &when, &text, []string{"a", "b", "c"}[i%3], []string{"no", "yes"}[i%2]}
		fields := []string{fmt.Sprint(rows[i].X), text, when.Format("2006-01-02 15:04:05.999"), text, rows[i].Kind,
			rows[i].Class}
		if i%11 == 0 {
			rows[i].Day, fields[1] = nil, ""
		}
		if i%13 == 5 {
			rows[i].When, fields[2] = nil, "NA"
		}
		if i%17 == 3 {
			rows[i].Text, fields[3] = nil, ""
		}
		csv.WriteString(strings.Join(fields, ",") + "\n")
	}
	dir := t.TempDir()
	table, file := filepath.Join(dir, "t.csv"), filepath.Join(dir, "t.parquet")
	testkit.NoError(t, os.WriteFile(table, []byte(csv.String()), 0o644))
	testkit.NoError(t, os.WriteFile(file, written(t, rows), 0o644))
	for _, missing := range []recipe.Missing{"mean", "drop"} {
		open := dataset.OpenOptions{Y: "class", Table: dataset.TableOptions{Learn: true,
			Categories: []string{"auto"}, Missing: missing}}
		of := func(path string) (stats []byte, form *recipe.Encoding, x *dataset.Table) {
			t.Helper()
			s := testkit.Must(dataset.Statistics(context.Background(), path, dataset.StatisticsOptions{Open: open}))(t)
			out := filepath.Join(dir, "s.npz")
			testkit.NoError(t, s.WriteFile(out))
			defer os.Remove(out)
			b := testkit.Must(os.ReadFile(out))(t)
			again := open
			again.Form, again.RequireLabels = s.Inputs.Table, true
			d := testkit.Must(dataset.Open(context.Background(), path, again))(t)
			return b, s.Inputs.Table, d.X
		}
		a, form, x := of(table)
		b, other, y := of(file)
		testkit.EqualSlices(t, a, b, missing, "statistics of csv and Parquet differ", form, other)
		if !reflect.DeepEqual(form, other) || !form.Columns[1].Date || !form.Columns[2].Date || !form.Columns[3].Date ||
			form.Columns[4].Date || form.Columns[0].Date {
			t.Errorf("%s: forms %+v and %+v", missing, form, other)
		}
		n, m := x.Dims()
		if i, j := y.Dims(); i != n || j != m || x.At(n-1, 1) != y.At(n-1, 1) || !(x.At(1, 1) > 19000) {
			t.Errorf("%s: %d×%d and %d×%d values", missing, n, m, i, j)
		}
	}
	for _, path := range []string{table, file} {
		// without categories, dates are left out or are errors, and the message explains how to read them
		var left []string
		_, err := dataset.Open(context.Background(), path, dataset.OpenOptions{Y: "class",
			Table:     dataset.TableOptions{Drop: []string{"text", "kind"}},
			OnReading: func(r *dataset.Reading) { left = append(left, r.String()) }})
		said := fmt.Sprint(err, left)
		if !strings.Contains(said, "categories=auto") && !strings.Contains(said, "--categories auto") {
			t.Errorf("%s: %s", path, said)
		}
	}
	// a text that is not a date
	wrong := "soon"
	rows[100].Text = &wrong
	lines := strings.Split(csv.String(), "\n")
	fields := strings.Split(lines[101], ",")
	fields[3] = wrong
	lines[101] = strings.Join(fields, ",")
	testkit.NoError(t, os.WriteFile(table, []byte(strings.Join(lines, "\n")), 0o644))
	testkit.NoError(t, os.WriteFile(file, written(t, rows), 0o644))
	for _, path := range []string{table, file} {
		open := dataset.OpenOptions{Y: "class", Table: dataset.TableOptions{Learn: true,
			Categories: []string{"auto"}, Missing: "mean"}}
		_, err := dataset.Statistics(context.Background(), path, dataset.StatisticsOptions{Open: open})
		if err == nil || !strings.Contains(err.Error(), "soon") || !strings.Contains(err.Error(), "text") {
			t.Errorf("%s: %v", path, err)
		}
		open.Table.Categories = []string{"auto", "text"} // then they are categories
		s, err := dataset.Statistics(context.Background(), path, dataset.StatisticsOptions{Open: open})
		if err != nil || !slices.Contains(s.Columns, "text=soon") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// Files without rows, and files with two columns of the same name, are rejected, and the error names the problem.
func TestFilesThatNoFormFits(t *testing.T) {
	type row struct {
		X     float64 `parquet:"x"`
		Kind  string  `parquet:"kind"`
		Class string  `parquet:"class"`
	}
	path := filepath.Join(t.TempDir(), "t.parquet")
	open := dataset.OpenOptions{Y: "class", Table: dataset.TableOptions{Learn: true,
		Categories: []string{"auto"}, Missing: "mean"}}
	type pair struct {
		One   float64 `parquet:"one"`
		Two   float64 `parquet:"two"`
		Class string  `parquet:"class"`
	}
	twice := bytes.ReplaceAll(written(t, []pair{{1, 2, "no"}, {2, 1, "yes"}}), []byte("two"), []byte("one"))
	for want, file := range map[string][]byte{"no row": written(t, []row(nil)),
		`two columns have the name "one"`: twice} {
		testkit.NoError(t, os.WriteFile(path, file, 0o644))
		_, err := dataset.Statistics(context.Background(), path, dataset.StatisticsOptions{Open: open})
		testkit.ErrorContains(t, err, want)
	}
}
