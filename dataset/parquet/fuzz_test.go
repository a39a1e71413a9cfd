package parquet

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"rao/internal/testkit"
)

// readAll reads every column of a file.
func readAll(b []byte) error {
	f, err := openReader(bytes.NewReader(b), int64(len(b)), "file")
	if err != nil {
		return err
	}
	var numbers, texts []int
	cols := 0
	for i, c := range f.Columns() {
		switch {
		case c.Why != "":
		case c.Width > 0 && c.Width < 1<<12:
			numbers = append(numbers, i)
			cols += c.Width
		case c.Text:
			texts = append(texts, i)
		}
	}
	if cols > 1<<12 {
		return nil
	}
	next, stop, err := f.Read(context.Background(), numbers, texts, false)
	if err != nil {
		return err
	}
	defer stop()
	const block = 16
	for n := 0; n < 1<<16; {
		rows, err := next(block)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		for _, t := range rows.Texts {
			for _, at := range t.Index {
				_ = t.Values[at] // every row has a text
			}
		}
		n += rows.Rows
	}
	return nil
}

func goldenFiles(t testing.TB) [][]byte {
	t.Helper()
	names, err := filepath.Glob(file1("*.parquet"))
	if err != nil || len(names) == 0 {
		t.Fatal("no files", err)
	}
	var all [][]byte
	for _, name := range names {
		b := testkit.Must(os.ReadFile(name))(t)
		all = append(all, b)
	}
	return all
}

// A truncated file, or a file with a changed byte, gives an error or other data. It needs little memory and never
// causes a panic.
func TestDamagedFiles(t *testing.T) {
	step := 1
	if testing.Short() {
		step = 7
	}
	for k, b := range goldenFiles(t) {
		if err := readAll(b); err != nil && k != 5 {
			t.Logf("file %d: %v", k, err)
		}
		for at := 0; at < len(b); at += step {
			broken := bytes.Clone(b)
			broken[at] ^= byte(1 + at%255)
			_ = readAll(broken)
			if at%(8*step) == 0 && readAll(b[:at]) == nil {
				t.Errorf("file %d cut after %d bytes was read", k, at)
			}
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if m.Sys > 2<<30 {
		t.Errorf("damaged files took %d MiB", m.Sys>>20)
	}
}

func FuzzParquet(f *testing.F) {
	for _, b := range goldenFiles(f) {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) { _ = readAll(b) })
}

// Packed numbers of any width are unpacked correctly, whatever bytes follow them.
func TestUnpack(t *testing.T) {
	for width := 1; width <= 32; width++ {
		for _, n := range []int{1, 7, 8, 9, 31, 64, 100} {
			packed, want := make([]byte, (n*width+7)/8), make([]int32, n)
			for i := range want {
				v := uint64(i*i+i) * 2654435761 & (1<<width - 1)
				want[i] = int32(v)
				for k := range width {
					packed[(i*width+k)/8] |= byte(v>>k&1) << ((i*width + k) % 8)
				}
			}
			if got := unpack([]int32{7}, packed, width, n); !slices.Equal(got[1:], want) || got[0] != 7 {
				t.Fatalf("%d numbers of %d bits: %v, want %v", n, width, got[1:], want)
			}
			if got := unpack([]int32(nil), packed[:len(packed)-1], width, n); len(got) > n-1 && width >= 8 {
				t.Fatalf("%d numbers of %d bits from a byte less", len(got), width)
			}
		}
	}
}
