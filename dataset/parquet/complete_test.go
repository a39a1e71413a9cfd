package parquet

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rao/dataset"
	"rao/gaussian"
	"rao/internal/testkit"
)

// measured has columns that the file declares complete (A and B), and one with missing values.
type measured struct {
	A     float64  `parquet:"a"`
	B     float64  `parquet:"b"`
	C     *float64 `parquet:"c,optional"`
	Kind  string   `parquet:"kind"`
	Class string   `parquet:"class"`
}

// measurements returns n rows; C is missing in every seventh row if holes is set.
func measurements(n int, holes bool) []measured {
	rows := make([]measured, n)
	for i := range rows {
		v := float64(i)
		c := math.Sin(3 * v)
		rows[i] = measured{A: math.Sin(v), B: math.Cos(v) / 3, C: &c, Kind: []string{"x", "y", "z"}[i*i%3],
			Class: []string{"no", "yes"}[i%2]}
		if holes && i%7 == 3 {
			rows[i].C = nil
		}
	}
	return rows
}

// Statistics that read only incomplete columns in the first pass equal the statistics of the same table in CSV, bit for
// bit. A NaN in a column that the file declares complete, or a second file with missing values, changes nothing.
func TestCompleteColumns(t *testing.T) {
	nan := measurements(500, true)
	nan[300].B = math.NaN()
	for name, files := range map[string][][]measured{
		"missing values":        {measurements(500, true)},
		"an unexpected NaN":     {nan},
		"two files":             {measurements(300, true), measurements(200, true)},
		"an incomplete second":  {measurements(300, false), measurements(200, true)},
		"a NaN in the second":   {measurements(300, true), nan},
		"a complete second":     {measurements(200, true), measurements(300, false)},
		"nothing missing":       {measurements(500, false)},
		"nothing in both files": {measurements(200, false), measurements(100, false)},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			readings := 0
			statistics := func(extension string, write func(rows []measured) []byte) *gaussian.Statistics {
				for i, rows := range files {
					path := filepath.Join(dir, fmt.Sprintf("%d.%s", i, extension))
					testkit.NoError(t, os.WriteFile(path, write(rows), 0o644))
				}
				readings = 0
				s := testkit.Must(dataset.Statistics(context.Background(), filepath.Join(dir, "*."+extension),
					dataset.StatisticsOptions{Open: dataset.OpenOptions{Y: "class",
						OnReading: func(*dataset.Reading) { readings++ },
						Table: dataset.TableOptions{Learn: true, Categories: []string{"auto"},
							Missing: "mean"}}}))(t)
				return s
			}
			want := statistics("csv", csvOf)
			expected := readings
			got := statistics("parquet", func(rows []measured) []byte { return written(t, rows) })
			testkit.Equal(t, readings, expected, "readings, want")
			if !slices.Equal(got.Inputs.Fill, want.Inputs.Fill) || !slices.Equal(got.Columns, want.Columns) {
				t.Errorf("%v replace missing values of %v, want %v of %v", got.Inputs.Fill, got.Columns,
					want.Inputs.Fill, want.Columns)
			}
			for k, c := range got.Inputs.Table.Columns {
				testkit.Equal(t, c.Missing, want.Inputs.Table.Columns[k].Missing, c.Name, "of the values are missing")
			}
			for c := range got.Classes {
				testkit.EqualSlices(t, got.Covariance(c).RawSymmetric().Data, want.Covariance(c).RawSymmetric().Data,
					"class", got.Classes[c], "has another covariance")
			}
			testkit.EqualSlices(t, got.Means, want.Means, "the means differ")
			if p := got.Parts[0]; p != want.Parts[0] || p.Digest == "" {
				t.Error("the rows have other hashes")
			}
		})
	}
	for _, c := range opened(t, written(t, measurements(50, true))).Columns() {
		testkit.Equal(t, c.Complete, c.Name != "c", "column", c.Name, "complete")
	}
}

func csvOf(rows []measured) []byte {
	var b strings.Builder
	b.WriteString("a,b,c,kind,class\n")
	number := func(v float64) string {
		if v != v {
			return ""
		}
		return fmt.Sprint(v)
	}
	for _, r := range rows {
		c := ""
		if r.C != nil {
			c = number(*r.C)
		}
		fmt.Fprintf(&b, "%s,%s,%s,%s,%s\n", number(r.A), number(r.B), c, r.Kind, r.Class)
	}
	return []byte(b.String())
}
