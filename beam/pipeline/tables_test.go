package pipeline

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"rao"
	"rao/dataset"
	_ "rao/dataset/parquet" // a format
	"rao/gaussian"
	"rao/internal/format/parquetwriter"
	"rao/internal/recipes"
	"rao/internal/tableoptions"
)

// sameTable writes a table of texts, dates, missing values and weights as csv and as Parquet.
func sameTable(t *testing.T) (csv, columnar string) {
	t.Helper()
	var text strings.Builder
	var file bytes.Buffer
	text.WriteString("id,x,kind,when,times,class\n")
	w, err := parquetwriter.NewWriter(&file, []string{"id", "x", "kind", "when", "times", "class"}, []parquetwriter.Kind{parquetwriter.Text,
		parquetwriter.Number, parquetwriter.Text, parquetwriter.Text, parquetwriter.Number, parquetwriter.Text})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 300 {
		x, number := math.Sin(float64(i*i))+float64(i%2), ""
		if i%13 == 0 {
			x = math.NaN()
		} else {
			number = fmt.Sprint(x)
		}
		id, kind := fmt.Sprintf("r%d", i), []string{"a", "b", "", "b c"}[i*i%7%4]
		when, class := fmt.Sprintf("2024-%02d-%02d", 1+i%12, 1+i%28), []string{"no", "yes"}[i%2]
		fmt.Fprintf(&text, "%s,%s,%s,%s,%d,%s\n", id, number, kind, when, 1+i%3, class)
		for k, s := range map[int]string{0: id, 2: kind, 3: when, 5: class} {
			w.Text(k, s)
		}
		w.Number(1, x)
		w.Number(4, float64(1+i%3))
		if err := w.End(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	csv, columnar = filepath.Join(dir, "t.csv"), filepath.Join(dir, "t.parquet")
	for path, b := range map[string][]byte{csv: []byte(text.String()), columnar: file.Bytes()} {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return csv, columnar
}

// tableStatistics runs the pipeline on a table, in shards of about the given number of bytes.
func tableStatistics(t *testing.T, path string, open dataset.OpenOptions, span int64) (file string, shards []Shard,
	err error) {
	t.Helper()
	ctx := context.Background()
	if shards, err = Shards(ctx, path, span); err != nil {
		return "", nil, err
	}
	open, first, err := SurveyFirst(ctx, shards, open)
	if err != nil {
		return "", nil, err
	}
	file = filepath.Join(t.TempDir(), "got.npz")
	return file, shards, run(t, func(s beam.Scope) error {
		return Stats(s, shards, StatsOptions{Open: open, First: first, Out: file})
	})
}

// One shard of a table with texts, dates, missing values and weights gives the bytes that rao stats writes, from csv
// and from Parquet.
func TestTablesAreThoseOfTheTool(t *testing.T) {
	csv, columnar := sameTable(t)
	for _, missing := range []string{"mean", "drop"} {
		for _, weights := range []string{"", "times"} {
			open := dataset.OpenOptions{Weights: weights, Y: "class"}
			if err := (tableoptions.Options{Categories: "auto", Missing: missing, ID: "id"}).Set(&open); err != nil {
				t.Fatal(err)
			}
			s, err := dataset.Statistics(context.Background(), csv, dataset.StatisticsOptions{Open: open})
			if err != nil {
				t.Fatal(err)
			}
			want := filepath.Join(t.TempDir(), "want.npz")
			if err := s.WriteFile(want); err != nil {
				t.Fatal(err)
			}
			for _, path := range []string{csv, columnar} {
				got, _, err := tableStatistics(t, path, open, 1e9)
				if err != nil {
					t.Fatal(err)
				}
				same(t, got, want)
			}
		}
	}
}

// Several shards are read as one table: they learn the same categories, and their statistics equal the merged
// statistics of the shards, bit for bit.
func TestShardsOfOneTable(t *testing.T) {
	ctx := context.Background()
	csv, _ := sameTable(t)
	for _, missing := range []string{"mean", "drop"} {
		open := dataset.OpenOptions{Y: "class"}
		if err := (tableoptions.Options{Categories: "auto", Missing: missing, ID: "id"}).Set(&open); err != nil {
			t.Fatal(err)
		}
		all, err := dataset.Statistics(ctx, csv, dataset.StatisticsOptions{Open: open})
		if err != nil {
			t.Fatal(err)
		}
		file, shards, err := tableStatistics(t, csv, open, 2000)
		if err != nil || len(shards) < 4 {
			t.Fatalf("%d shards, %v", len(shards), err)
		}
		got, err := gaussian.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if text := recipes.Contradicts(got.Inputs.Table, all.Inputs.Table); text != "" {
			t.Errorf("%s: other columns: %s", missing, text)
		}
		near := func(what string, a, b []float64) {
			for i := range a {
				if len(a) != len(b) || math.Abs(a[i]-b[i]) > 1e-9*(1+math.Abs(b[i])) {
					t.Fatalf("%s: %s %d of %d: %v", missing, what, i, len(b), a[i])
				}
			}
		}
		near("mean", got.Means, all.Means)
		near("covariance", got.Covariances, all.Covariances)
		near("fill", got.Inputs.Fill, all.Inputs.Fill)
		want := filepath.Join(t.TempDir(), "want.npz")
		s, err := gaussian.MergeInOrder(len(shards), func(i int) (*gaussian.Statistics, error) {
			o := open.WithInputs(got.Inputs)
			o.Span = shards[i].Span
			return dataset.Statistics(ctx, csv, dataset.StatisticsOptions{Open: o})
		}, disjoint...)
		if err == nil {
			err = s.WriteFile(want)
		}
		if err != nil {
			t.Fatal(err)
		}
		same(t, file, want)
		again, _, err := tableStatistics(t, csv, open, 2000)
		if err != nil {
			t.Fatal(err)
		}
		same(t, again, file)
	}
}

// Errors in tables end the job and state the place, and nothing is written.
func TestFaultsOfTablesEndTheJob(t *testing.T) {
	rows := func(n int, last string) string {
		var b strings.Builder
		b.WriteString("x,kind,class\n")
		for i := range n {
			fmt.Fprintf(&b, "%d,%s,%s\n", i*i%7, []string{"a", "b"}[i/2%2], []string{"no", "yes"}[i%2])
		}
		return b.String() + last + "\n"
	}
	for name, c := range map[string]struct {
		last string
		want []string
	}{
		"a ragged row":          {"1,a", []string{"from byte", "line 1", "2 fields"}},
		"a text for a number":   {"many,a,no", []string{"from byte", "line 1", `"x"`, "not a number"}},
		"a row without a label": {"1,a,", []string{"from byte", "line 1", "class", "label"}},
		"a missing value":       {",a,no", []string{"from byte", "line 1", `"x"`, "no value", "missing"}},
		"infinity":              {"Inf,a,no", []string{"from byte", "line 1", `"x"`, "Inf", "remove the row"}},
	} {
		path := filepath.Join(t.TempDir(), "t.csv")
		if err := os.WriteFile(path, []byte(rows(40, c.last)), 0o600); err != nil {
			t.Fatal(err)
		}
		open := dataset.OpenOptions{Y: "class"}
		if err := (tableoptions.Options{Categories: "auto"}).Set(&open); err != nil {
			t.Fatal(err)
		}
		file, _, err := tableStatistics(t, path, open, 100)
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		for _, w := range append(c.want, "t.csv") {
			if text := rao.Spell(err, func(o, v string) string { return o }); !strings.Contains(text, w) {
				t.Errorf("%s: the error lacks %q: %s", name, w, text)
			}
		}
		if _, err := os.Stat(file); err == nil {
			t.Errorf("%s: statistics were written", name)
		}
	}
}
