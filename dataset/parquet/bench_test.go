package parquet

import (
	"context"
	"io"
	"math"
	"os"
	"testing"

	"rao/dataset"
	"rao/internal/testkit"
)

// BenchmarkRead reads the numbers of the file that RAO_PARQUET names.
func BenchmarkRead(b *testing.B) {
	path := os.Getenv("RAO_PARQUET")
	if path == "" {
		b.Skip("RAO_PARQUET names no file")
	}
	for range b.N {
		f, err := open(path)
		testkit.NoError(b, err)
		var numbers []int
		cols := 0
		for i, c := range f.Columns() {
			if c.Single {
				numbers = append(numbers, i)
				cols += c.Width
			}
		}
		b.SetBytes(int64(4 * cols * f.Rows()))
		next, stop, err := f.Read(context.Background(), numbers, nil, true)
		testkit.NoError(b, err)
		for err == nil {
			_, err = next(4096)
		}
		if err != io.EOF {
			b.Fatal(err)
		}
		stop()
		f.Close()
	}
}

// BenchmarkLoad reads a file of 20 columns of numbers and one of labels into memory.
func BenchmarkLoad(b *testing.B) {
	type row struct {
		A, B, C, D, E, F, G, H, I, J float64
		K, L, M, N, O, P, Q, R, S, T float32
		Label                        string
	}
	rows := make([]row, 100000)
	for i := range rows {
		v := float64(i)
		rows[i] = row{A: v, C: 2 * v, F: v / 3, J: -v, K: float32(v), T: 1, Label: []string{"a", "b", "c"}[i%3]}
	}
	path := testkit.TempFile(b, "t.parquet", written(b, rows))
	b.SetBytes(int64(len(rows)) * (10*8 + 10*4))
	b.ReportAllocs()
	for b.Loop() {
		testkit.Must(dataset.Open(context.Background(), path, dataset.OpenOptions{}))(b)
	}
}

// BenchmarkSums compares the sums of eight columns with missing values by column (Sum) and by row (Read).
func BenchmarkSums(b *testing.B) {
	type row struct{ A, B, C, D, E, F, G, H *float64 }
	rows := make([]row, 200000)
	for i := range rows {
		v := math.Sin(float64(i))
		if i%31 > 0 {
			rows[i] = row{&v, &v, &v, &v, &v, &v, &v, &v}
		}
	}
	path := testkit.TempFile(b, "t.parquet", written(b, rows))
	numbers := []int{0, 1, 2, 3, 4, 5, 6, 7}
	run := func(name string, sums func(f *file, n, sum []float64) error) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f := testkit.Must(open(path))(b)
				testkit.NoError(b, sums(f, make([]float64, 8), make([]float64, 8)))
				f.Close()
			}
		})
	}
	run("columns", func(f *file, n, sum []float64) error { return f.Sum(context.Background(), numbers, n, sum) })
	run("rows", func(f *file, n, sum []float64) error {
		next, stop, err := f.Read(context.Background(), numbers, nil, false)
		if err != nil {
			return err
		}
		defer stop()
		for {
			rows, err := next(4096)
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
			_, _, x, _ := rows.Numbers.RawRows()
			for i := 0; i < len(x); i += 8 {
				for j, v := range x[i : i+8] {
					if v == v {
						n[j]++
						sum[j] += v
					}
				}
			}
		}
	})
}
