package learn_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rao/cmd/rao/internal/tooltest"
	parquet "rao/internal/format/parquetwriter"
	"rao/internal/testkit"
)

// rawTable writes 60 rows of a number, an odd column and a class as csv and as Parquet.
func rawTable(t *testing.T, dir, separator string, kind parquet.Kind, odd func(i int) any) (csv, columns string) {
	t.Helper()
	csv, columns = filepath.Join(dir, "t.csv"), filepath.Join(dir, "t.parquet")
	text := "\ufeff" + strings.Join([]string{"breite", "ungewöhnlich", "gekündigt"}, separator) + "\r\n"
	var file bytes.Buffer
	w := testkit.Must(parquet.NewWriter(&file, []string{"breite", "ungewöhnlich", "gekündigt"},
		[]parquet.Kind{parquet.Number, kind, parquet.Text}))(t)
	for i := range 60 {
		x, class := math.Round(8*math.Sin(float64(i)))+float64(i%2), []string{"ja", "nein"}[i%2]
		text += fmt.Sprintf("%v%s%v%s%s\r\n", x, separator, odd(i), separator, class)
		w.Number(0, x)
		if kind == parquet.Text {
			w.Text(1, fmt.Sprint(odd(i)))
		} else {
			w.Number(1, float64(odd(i).(int)))
		}
		w.Text(2, class)
		testkit.NoError(t, w.End())
	}
	testkit.NoError(t, w.Close())
	for path, b := range map[string][]byte{csv: []byte(text), columns: file.Bytes()} {
		testkit.NoError(t, os.WriteFile(path, b, 0o644))
	}
	return csv, columns
}

// rawRoutes returns the commands that learn from a table.
func rawRoutes(data, out string, how ...string) [][]string {
	var all [][]string
	for i, route := range [][]string{{"fit", "lda-raw"}, {"fit", "lda-raw", "--out-of-core"}, {"stats"}} {
		args := append(route, "--data", data, "--y", "gekündigt", "--out", fmt.Sprint(out, i))
		all = append(all, append(args, how...))
	}
	return all
}

// Numbers with decimal commas, and dates in formats other than ISO 8601, are errors in memory and on disk; they are not
// learned as one category per number or day. A column named in --categories is learned as text.
func TestNumbersAndDatesAreNotCategories(t *testing.T) {
	for what, c := range map[string]struct {
		odd  func(i int) any
		want []string
	}{
		"decimal commas": {func(i int) any { return fmt.Sprintf("%d,%d", i%7, i%10) },
			[]string{"0,0", "decimal comma", "--csv decimal=comma"}},
		"German dates": {func(i int) any { return fmt.Sprintf("%02d.%02d.2024", 1+i%28, 1+i%12) },
			[]string{"01.01.2024", "looks like a date", "2024-02-29", "--drop"}},
		"American dates": {func(i int) any { return fmt.Sprintf("%d/%d/24", 1+i%12, 1+i%28) },
			[]string{"1/1/24", "looks like a date"}},
		"dates with slashes": {func(i int) any { return fmt.Sprintf("2024/%02d/%02d 12:30", 1+i%12, 1+i%28) },
			[]string{"2024/01/01", "looks like a date"}},
	} {
		dir := t.TempDir()
		csv, columns := rawTable(t, dir, ";", parquet.Text, c.odd)
		for _, data := range []string{csv, columns} {
			out := filepath.Join(dir, "out")
			for _, args := range rawRoutes(data, out, "--categories", "auto", "--missing", "mean") {
				status, _, said := tooltest.Run(t, args...)
				testkit.Equal(t, status, 1, what, "rao", args, "status")
				want := append(c.want, filepath.Base(data), `"ungewöhnlich"`, "--categories auto,ungewöhnlich")
				for _, w := range want {
					testkit.Contains(t, said, w, what, "rao", args, "lacks")
				}
			}
			if left, _ := filepath.Glob(out + "*"); left != nil {
				t.Errorf("%s: left are %v", what, left)
			}
			named := rawRoutes(data, filepath.Join(dir, "named"), "--categories", "auto,ungewöhnlich")
			tooltest.Succeeds(t, named[0]...)
		}
	}
}

// A column with row numbers, or with a different number in each row, is always reported as such.
func TestColumnsThatNameRowsAreNamed(t *testing.T) {
	for want, odd := range map[string]func(i int) any{
		"numbers the rows": func(i int) any { return i },
		"has a different number in nearly every row but is used": func(i int) any { return (i%2)*1000 + i*7919%97 },
	} {
		dir := t.TempDir()
		csv, columns := rawTable(t, dir, ",", parquet.Number, odd)
		for _, data := range []string{csv, columns} {
			for _, how := range [][]string{nil, {"--missing", "mean"}, {"--categories", "auto", "--missing", "drop"}} {
				for _, args := range rawRoutes(data, filepath.Join(t.TempDir(), "out"), how...) {
					_, _, said := tooltest.Run(t, args...)
					if w := "column ungewöhnlich " + want; strings.Count(said, w) != 1 {
						t.Errorf("rao %v does not say once that the %s: %s", args, w, said)
					}
				}
			}
		}
	}
}
