package parquet

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"

	"rao/dataset"
	"rao/internal/testkit"
)

// written returns a Parquet file of the rows.
func written[T any](t testing.TB, rows []T, options ...parquet.WriterOption) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[T](&b, options...)
	testkit.Must(w.Write(rows))(t)
	testkit.NoError(t, w.Close())
	return b.Bytes()
}

func opened(t *testing.T, b []byte) *file {
	t.Helper()
	return testkit.Must(openReader(bytes.NewReader(b), int64(len(b)), "file"))(t)
}

// Every type of column is either read or has a reason why it is not.
func TestColumnsOfASchema(t *testing.T) {
	type inner struct {
		Age  int32   `parquet:"age,optional"`
		Deep []int32 `parquet:"deep,list"`
	}
	type row struct {
		Small  int8             `parquet:"small"`
		Middle uint16           `parquet:"middle"`
		Large  uint64           `parquet:"large"`
		Money  int64            `parquet:"money,decimal(2:10)"`
		Day    int32            `parquet:"day,date"`
		When   time.Time        `parquet:"when"`
		ID     [16]byte         `parquet:"id,uuid"`
		Kind   string           `parquet:"kind,enum"`
		Counts map[string]int32 `parquet:"counts"`
		Grid   [][]float32      `parquet:"grid,list"`
		Names  []string         `parquet:"names,list"`
		Person inner            `parquet:"person"`
		Bare   []float64        `parquet:"bare"`
		Blob   [8]byte          `parquet:"blob"`
	}
	rows := make([]row, 3)
	for i := range rows {
		rows[i] = row{Money: 125, Counts: map[string]int32{"a": 1}, Names: []string{"x"}, Bare: []float64{1, 2},
			Grid: [][]float32{{1}}, Person: inner{Deep: []int32{1, 2, 3}}}
	}
	want := []dataset.Column{
		{Name: "small", Width: 1, Single: true, Integer: true},
		{Name: "middle", Width: 1, Single: true, Integer: true},
		{Name: "large", Width: 1, Integer: true},
		{Name: "money", Width: 1},
		{Name: "day", Date: true},
		{Name: "when", Date: true},
		{Name: "id", Why: "it contains UUIDs"},
		{Name: "kind", Text: true},
		{Name: "counts.key", Why: "it contains maps"},
		{Name: "counts.value", Why: "it contains maps"},
		{Name: "grid", Why: "it contains lists of lists"},
		{Name: "names", Why: "it contains lists of text"},
		{Name: "person.age", Width: 1, Integer: true},
		{Name: "person.deep", Width: 3, Integer: true},
		{Name: "bare", Width: 2},
		{Name: "blob", Text: true},
		{Name: "blob:f32", Width: 2, Single: true, OnRequest: true},
		{Name: "blob:f64", Width: 1, OnRequest: true},
	}
	got := opened(t, written(t, rows)).Columns()
	for _, w := range want {
		found := false
		for _, g := range got {
			if g.Name != w.Name {
				continue
			}
			if found = true; g.Why != w.Why || w.Why == "" && (g.Width != w.Width || g.Single != w.Single ||
				g.Integer != w.Integer || g.Text != w.Text || g.Date != w.Date || g.OnRequest != w.OnRequest) {
				t.Errorf("%+v, want %+v", g, w)
			}
		}
		if !found {
			t.Errorf("no column %s", w.Name)
		}
	}
	testkit.Equal(t, len(got), len(want), "columns", got)
}

// Numbers are read correctly with every codec and encoding.
func TestCodecsAndEncodings(t *testing.T) {
	type row struct {
		Delta int32   `parquet:"delta,delta"`
		Long  int64   `parquet:"long,delta"`
		Split float32 `parquet:"split,split"`
		Whole float64 `parquet:"whole,split"`
		Plain float64 `parquet:"plain,plain"`
	}
	rows := make([]row, 5000)
	for i := range rows {
		x := math.Sin(float64(i))
		rows[i] = row{int32(i*7 - 100), int64(i) << 20, float32(x), x, x * x}
	}
	for _, codec := range []compress.Codec{&parquet.Uncompressed, &parquet.Snappy, &parquet.Gzip, &parquet.Brotli,
		&parquet.Zstd, &parquet.Lz4Raw} {
		f := opened(t, written(t, rows, parquet.Compression(codec), parquet.PageBufferSize(4096)))
		next, stop, err := f.Read(context.Background(), []int{0, 1, 2, 3, 4}, nil, false)
		testkit.NoError(t, err)
		var x []float64
		for len(x) < 5*len(rows) {
			block, err := next(len(rows))
			if err != nil {
				t.Fatalf("%s: %v", codec, err)
			}
			_, _, data, _ := block.Numbers.RawRows()
			x = append(x, data...)
		}
		for i, w := range rows {
			g := x[5*i : 5*i+5]
			if g[0] != float64(w.Delta) || g[1] != float64(w.Long) || g[2] != float64(w.Split) || g[3] != w.Whole ||
				g[4] != w.Plain {
				t.Errorf("%s: row %d is %v, want %v", codec, i, g, w)
				break
			}
		}
		stop()
	}
}

// Columns with many different texts are read, although their blocks share a table of texts that grows.
func TestManyTexts(t *testing.T) {
	type row struct {
		Plain  *string `parquet:"plain,optional,plain"`
		Coded  string  `parquet:"coded,dict"`
		Number int64   `parquet:"number"`
		Few    string  `parquet:"few,dict"`
	}
	rows := make([]row, 70_001)
	for i := range rows {
		name := fmt.Sprintf("plain%d", i)
		rows[i] = row{&name, fmt.Sprintf("coded%d", i/2), int64(i) * 3, []string{"", "a", "b"}[i%3]}
		if i%7 == 3 {
			rows[i].Plain = nil
		}
	}
	for _, size := range []int{1 << 10, 1 << 16, 1 << 24} {
		f := opened(t, written(t, rows, parquet.PageBufferSize(size), parquet.MaxRowsPerRowGroup(30_000)))
		next, stop, err := f.Read(context.Background(), nil, []int{0, 1, 2, 3}, false)
		testkit.NoError(t, err)
		i := 0
		for {
			block, err := next(1000)
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			for k := range block.Rows {
				want := []string{"", rows[i].Coded, strconv.FormatInt(rows[i].Number, 10), rows[i].Few}
				if rows[i].Plain != nil {
					want[0] = *rows[i].Plain
				}
				for c, texts := range block.Texts {
					testkit.Equal(t, texts.Values[texts.Index[k]], want[c], "pages of", size, "row", i, "column", c)
				}
				i++
			}
		}
		testkit.Equal(t, i, len(rows), "rows")
		stop()
	}
}
