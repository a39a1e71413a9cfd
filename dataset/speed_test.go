package dataset

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"rao/internal/testkit"
)

// BenchmarkTables reads tables of 300 columns in the same way as the tool, with the classes first. One iteration
// (-benchtime=1x) is enough.
func BenchmarkTables(b *testing.B) {
	for name, format := range map[string]func(dst []byte, v float64) []byte{
		"six decimals": func(dst []byte, v float64) []byte { return strconv.AppendFloat(dst, v, 'f', 6, 64) },
		"all digits":   func(dst []byte, v float64) []byte { return strconv.AppendFloat(dst, v, 'g', -1, 64) },
	} {
		b.Run(name, func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "t.csv")
			f := testkit.Must(os.Create(path))(b)
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
			st := testkit.Must(os.Stat(path))(b)
			b.SetBytes(st.Size())
			for b.Loop() {
				testkit.NoError(b, Stream(context.Background(), path, OpenOptions{}, 0,
					func(*Table, []int, []string) error { return nil }))
			}
		})
	}
}

// BenchmarkLoad reads a table, an npy array and IDX images into memory.
func BenchmarkLoad(b *testing.B) {
	dir := b.TempDir()
	write := func(name string, fill func(w *bufio.Writer)) string {
		path := filepath.Join(dir, name)
		f := testkit.Must(os.Create(path))(b)
		w := bufio.NewWriter(f)
		if fill(w); w.Flush() != nil || f.Close() != nil {
			b.Fatal("the file cannot be written")
		}
		return path
	}
	rng := rand.New(rand.NewPCG(1, 1))
	const rows, cols, pixels = 20000, 100, 784
	for _, path := range []string{
		write("t.csv", func(w *bufio.Writer) {
			for i := range rows {
				for range cols {
					fmt.Fprintf(w, "%.6f,", rng.NormFloat64())
				}
				fmt.Fprintf(w, "c%d\n", i%3)
			}
		}),
		write("x.npy", func(w *bufio.Writer) {
			dict := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }\n", rows, cols)
			fmt.Fprintf(w, "\x93NUMPY\x01\x00%c\x00%s", len(dict), dict)
			for range rows * cols {
				_ = binary.Write(w, binary.LittleEndian, rng.NormFloat64())
			}
		}),
		write("x-idx3-ubyte", func(w *bufio.Writer) {
			_, _ = w.Write([]byte{0, 0, 8, 3, 0, 0, rows >> 8, rows & 255, 0, 0, 0, 28, 0, 0, 0, 28})
			for range rows * pixels {
				_ = w.WriteByte(byte(rng.Uint32()))
			}
		}),
	} {
		b.Run(filepath.Base(path), func(b *testing.B) {
			st := testkit.Must(os.Stat(path))(b)
			b.SetBytes(st.Size())
			b.ReportAllocs()
			for b.Loop() {
				testkit.Must(Open(context.Background(), path, OpenOptions{}))(b)
			}
		})
	}
}
