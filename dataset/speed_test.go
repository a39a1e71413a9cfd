package dataset

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// BenchmarkTables reads tables of 300 columns as the tool does, classes first; -benchtime=1x
// is enough.
func BenchmarkTables(b *testing.B) {
	for name, format := range map[string]func(dst []byte, v float64) []byte{
		"six decimals": func(dst []byte, v float64) []byte { return strconv.AppendFloat(dst, v, 'f', 6, 64) },
		"all digits":   func(dst []byte, v float64) []byte { return strconv.AppendFloat(dst, v, 'g', -1, 64) },
	} {
		b.Run(name, func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "t.csv")
			f, err := os.Create(path)
			if err != nil {
				b.Fatal(err)
			}
			w := bufio.NewWriter(f)
			rng := rand.New(rand.NewPCG(1, 1))
			for i := range 5000 {
				var line []byte
				for range 300 {
					line = append(format(line, rng.NormFloat64()), ',')
				}
				fmt.Fprintf(w, "%sc%d\n", line, i%3)
			}
			if w.Flush() != nil || f.Close() != nil {
				b.Fatal("the table cannot be written")
			}
			st, err := os.Stat(path)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(st.Size())
			for b.Loop() {
				err := Stream(context.Background(), path, OpenOptions{}, 0,
					func(*Table, []int, []string) error { return nil })
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
