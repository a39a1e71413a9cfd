package parquet

import (
	"context"
	"io"
	"os"
	"testing"

	"rao/dataset"
)

// BenchmarkRead reads the numbers of the file that RAO_PARQUET names.
func BenchmarkRead(b *testing.B) {
	path := os.Getenv("RAO_PARQUET")
	if path == "" {
		b.Skip("RAO_PARQUET names no file")
	}
	for range b.N {
		f, err := open(path)
		if err != nil {
			b.Fatal(err)
		}
		var numbers []int
		cols := 0
		for i, c := range f.Columns() {
			if c.Single {
				numbers = append(numbers, i)
				cols += c.Width
			}
		}
		b.SetBytes(int64(4 * cols * f.Rows()))
		r, err := f.Read(context.Background(), numbers, nil, true)
		if err != nil {
			b.Fatal(err)
		}
		x := dataset.NewTable32(4096, cols, make([]float32, 4096*cols))
		for err == nil {
			_, err = r.Next(4096, x, nil)
		}
		if err != io.EOF {
			b.Fatal(err)
		}
		r.Close()
		f.Close()
	}
}
