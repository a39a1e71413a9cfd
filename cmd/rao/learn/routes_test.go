package learn_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"rao/cmd/rao/internal/tooltest"
	parquet "rao/internal/format/parquetwriter"
	"rao/internal/testkit"
)

// sameTables writes a table of texts, dates, missing values and weights as csv and as Parquet.
func sameTables(t *testing.T, dir string) (csv, columns string) {
	t.Helper()
	csv, columns = filepath.Join(dir, "t.csv"), filepath.Join(dir, "t.parquet")
	var text strings.Builder
	var file bytes.Buffer
	names := []string{"id", "x", "kind", "when", "y", "times", "open now", "same", "class"}
	w := testkit.Must(parquet.NewWriter(&file, names, []parquet.Kind{parquet.Text, parquet.Number, parquet.Text,
		parquet.Text,
		parquet.Number, parquet.Number, parquet.Number, parquet.Number, parquet.Text}))(t)
	text.WriteString(strings.Join(names, ",") + "\n")
	for i := range 700 {
		x, y := float64(i*i%23)/7+float64(i%2), math.Sin(float64(i))
		kind, when := []string{"a", "b", "b c"}[i*i%3], fmt.Sprintf("2024-%02d-%02dT12:30", 1+i%12, 1+i%28)
		if i%13 == 0 {
			x = math.NaN()
		}
		if i%11 == 0 {
			kind = ""
		}
		if i%17 == 0 {
			when = ""
		}
		number := strconv.FormatFloat(x, 'g', -1, 64)
		if x != x {
			number = ""
		}
		id, class := fmt.Sprintf("r%d", i), []string{"no", "yes"}[i%2]
		fmt.Fprintf(&text, "%s,%s,%s,%s,%s,%d,%s,7,%s\n", id, number, kind, when, strconv.FormatFloat(y, 'g', -1, 64),
			i%4, []string{"False", "True"}[i%5%2], class) // a file of columns has 0 and 1
		for k, s := range map[int]string{0: id, 2: kind, 3: when, 8: class} {
			w.Text(k, s)
		}
		w.Number(1, x)
		w.Number(4, y)
		w.Number(5, float64(i%4))
		w.Number(6, float64(i%5%2))
		w.Number(7, 7)
		testkit.NoError(t, w.End())
	}
	testkit.NoError(t, w.Close())
	for path, b := range map[string][]byte{csv: []byte(text.String()), columns: file.Bytes()} {
		testkit.NoError(t, os.WriteFile(path, b, 0o644))
	}
	return csv, columns
}

// The same table gives the same model, byte for byte, from csv and from Parquet, in memory, out of core and from
// statistics. Apache Beam, with the program named by RAO_BEAM, computes the same statistics. One column is constant.
func TestRoutesGiveOneModel(t *testing.T) {
	dir := t.TempDir()
	csv, columns := sameTables(t, dir)
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, missing := range []string{"mean", "drop"} {
		for _, weights := range [][]string{{"--drop", "times"}, {"--weight-column", "times"}} {
			how := append([]string{"--y", "class", "--id-column", "id", "--categories", "auto", "--missing",
				missing}, weights...)
			decisions := func(data, model string) string {
				tooltest.Succeeds(t, "predict", "--model", model, "--data", data, "--out", at("p.csv"))
				return testkit.Text(t, at("p.csv"))
			}
			var models, decided, statistics []string
			for _, data := range []string{csv, columns} {
				for _, route := range [][]string{nil, {"--out-of-core"}} {
					args := append([]string{"fit", "lda-raw", "--data", data, "--out", at("m.rao")}, how...)
					tooltest.Succeeds(t, append(args, route...)...)
					models = append(models, testkit.Text(t, at("m.rao")))
					if missing == "mean" {
						decided = append(decided, decisions(csv, at("m.rao")), decisions(columns, at("m.rao")))
					}
				}
				tooltest.Succeeds(t, append([]string{"stats", "--data", data, "--out", at("s.npz")}, how...)...)
				statistics = append(statistics, testkit.Text(t, at("s.npz")))
				if beam := os.Getenv("RAO_BEAM"); beam != "" {
					args := append([]string{"stats", "--data", data, "--out", at("beam.npz")}, how...)
					testkit.Output(t, exec.Command(beam, args...))
					statistics = append(statistics, testkit.Text(t, at("beam.npz")))
				}
				tooltest.Succeeds(t, "fit", "lda-raw", "--stats", at("s.npz"), "--out", at("m.rao"))
				models = append(models, testkit.Text(t, at("m.rao")))
				if missing == "mean" {
					decided = append(decided, decisions(csv, at("m.rao")))
				}
			}
			for i, m := range models {
				testkit.Equal(t, m, models[0], missing, weights, "model", i, "differs from the first")
			}
			for i, d := range decided {
				if d != decided[0] || !strings.HasPrefix(d, "id,label") {
					t.Errorf("%s %v: decisions %d differ from the first", missing, weights, i)
				}
			}
			for i, s := range statistics {
				testkit.Equal(t, s, statistics[0], missing, weights, "statistics", i, "differ from the first")
			}
		}
	}
}
