package dataset_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"rao/dataset"
	_ "rao/dataset/parquet"
	"rao/gaussian"
	"rao/internal/recipes"
	"rao/internal/testkit"
	"rao/recipe"
)

// writeTable writes a table of texts, dates, missing values and a column that counts the rows.
func writeTable(t *testing.T, name string, from, to int) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(",x,color,day,late,weight,kind\n")
	for i := from; i < to; i++ {
		x, color, late := fmt.Sprint(math.Sin(float64(i*i))), []string{"red", "green", "blue", ""}[i*i%7%4], ""
		if i%11 == 3 {
			x = ""
		}
		if i > (from+to)/2 { // no value in the first half
			late = []string{"yes", "no"}[i%2]
		}
		fmt.Fprintf(&b, "%d,%s,%s,2024-01-%02d,%s,%d,c%d\n", i, x, color, 1+i%28, late, 1+i%3, i%2)
	}
	return testkit.TempFile(t, name, b.String())
}

// surveyed finds how the shards of one file are read, like workers that exchange only bytes.
func surveyed(t *testing.T, path string, spans [][2]int64, opt dataset.OpenOptions) (*gaussian.Inputs,
	dataset.OpenOptions, error) {
	t.Helper()
	at := func(s [2]int64) dataset.OpenOptions {
		o := opt
		o.Span = s
		return o
	}
	settled := at(spans[0])
	first, err := dataset.Survey(t.Context(), path, nil, nil, &settled)
	if err != nil {
		return nil, opt, err
	}
	opt = settled
	var in *gaussian.Inputs
	rounds := 1
	if recipes.Fills(opt.Table.Missing) {
		rounds = 2
	}
	for range rounds {
		var all [][]byte
		for _, s := range spans {
			shard := at(s)
			b, err := dataset.Survey(t.Context(), path, first, in, &shard)
			if err != nil {
				return nil, opt, err
			}
			all = append(all, b)
		}
		if in, err = dataset.MergeSurveys(path, in, all); err != nil {
			return nil, opt, err
		}
	}
	return in, opt, nil
}

// Shards that are surveyed separately are read like the complete table.
func TestShardsAreReadAsTheTable(t *testing.T) {
	path := writeTable(t, "t.csv", 0, 400)
	spans, err := dataset.Spans(path, 3000)
	if err != nil || len(spans) < 4 {
		t.Fatalf("%v, %v", spans, err)
	}
	for _, missing := range []recipe.Missing{"mean", "drop"} {
		for _, weights := range []string{"", "weight"} {
			opt := dataset.OpenOptions{Weights: weights, Table: dataset.TableOptions{Categories: []string{"auto"},
				Missing: missing, Learn: true}}
			want := testkit.Must(dataset.Statistics(t.Context(), path, dataset.StatisticsOptions{Open: opt}))(t)
			for _, cut := range [][][2]int64{{{}}, spans} {
				in, settled := testkit.Must2(surveyed(t, path, cut, opt))(t)
				if !reflect.DeepEqual(in.Table, want.Inputs.Table) {
					t.Errorf("%s, %d shards: form\n%+v, want\n%+v", missing, len(cut), in.Table, want.Inputs.Table)
				}
				if len(in.Fill) != len(want.Inputs.Fill) {
					t.Fatalf("%d means, want %d", len(in.Fill), len(want.Inputs.Fill))
				}
				for j, v := range in.Fill {
					if off := math.Abs(v - want.Inputs.Fill[j]); off > 1e-12 || len(cut) == 1 && off != 0 {
						t.Errorf("%d shards: mean %d is off by %g", len(cut), j, off)
					}
				}
				if len(cut) > 1 {
					continue
				}
				got, err := dataset.Statistics(t.Context(), path,
					dataset.StatisticsOptions{Open: settled.WithInputs(in)})
				if err != nil || !reflect.DeepEqual(got, want) {
					t.Errorf("%s: one shard has other statistics, %v", missing, err)
				}
			}
		}
	}
}

// The content of each shard is compared with the other shards, and errors name a remedy.
func TestShardsThatDisagree(t *testing.T) {
	dir := t.TempDir()
	write := func(rows ...string) string {
		path := filepath.Join(dir, "t.csv")
		body := "a,b,kind\n" + strings.Join(rows, "\n") + "\n"
		testkit.NoError(t, os.WriteFile(path, []byte(body), 0o600))
		return path
	}
	auto := dataset.OpenOptions{Y: "kind",
		Table: dataset.TableOptions{Categories: []string{"auto"}, Learn: true}}
	for _, c := range []struct {
		name string
		rows []string
		opt  func(o *dataset.OpenOptions)
		want []string
	}{
		{"texts after numbers in a column without a value before", []string{"1,,p", "2,,q", "3,7,p", "4,8,q",
			"5,red,p", "6,blue,q"}, nil, []string{`column "b"`, "in another", "categories"}},
		{"a median", []string{"1,2,p", "2,3,q"}, func(o *dataset.OpenOptions) { o.Table.Missing = "median" },
			[]string{"a median needs all values", "missing=mean"}},
		{"no value in any shard", []string{"1,,p", "2,,q", "3,,p", "4,,q"},
			func(o *dataset.OpenOptions) { o.Table.Categories, o.Table.Missing = nil, "mean" },
			[]string{"b", "no value"}},
		{"a text in a column of numbers", []string{"1,1,p", "2,2,q", "3,3,p", "x,4,q"},
			func(o *dataset.OpenOptions) { o.Table.Missing = "mean" }, []string{`"x"`, "not a number"}},
		{"a row without a label", []string{"1,1,p", "2,2,q", "3,3,p", "4,4,"}, nil, []string{"no label"}},
		{"a ragged row", []string{"1,1,p", "2,2,q", "3,3,p", "4,4"}, nil, []string{"line"}},
	} {
		opt := auto
		if c.opt != nil {
			c.opt(&opt)
		}
		path := write(c.rows...)
		spans := testkit.Must(dataset.Spans(path, 16))(t)
		_, _, err := surveyed(t, path, spans, opt)
		if err == nil {
			t.Errorf("%s: no error", c.name)
			continue
		}
		for _, w := range c.want {
			testkit.Contains(t, err.Error(), w, c.name, err, "lacks")
		}
	}
	testkit.Fails(t, testkit.ErrorOf(dataset.MergeSurveys("t.csv", nil, [][]byte{[]byte("damaged")})),
		"a damaged survey is read")
}

// Several files with a nameless column that counts the rows, as pandas writes them, are read together.
func TestFormOfFilesThatCountTheirRows(t *testing.T) {
	a, b := writeTable(t, "a.csv", 0, 60), writeTable(t, "b.csv", 60, 120)
	opt := dataset.OpenOptions{Table: dataset.TableOptions{Categories: []string{"auto"}, Missing: "mean", Learn: true}}
	s := testkit.Must(dataset.Statistics(t.Context(), a+","+b, dataset.StatisticsOptions{Open: opt}))(t)
	if s.Total() != 120 || s.Inputs.Table.LeftOut == nil || s.Inputs.Table.Columns[0].Name != "x" {
		t.Errorf("%d rows, %+v", s.Total(), s.Inputs.Table)
	}
}
