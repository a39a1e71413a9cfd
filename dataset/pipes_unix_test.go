//go:build unix

package dataset

import (
	"context"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"rao/internal/testkit"
)

// A pipe in a folder is skipped, and a pipe given by name is an error; nothing waits for it.
func TestPipesAreNotWaitedFor(t *testing.T) {
	dir := t.TempDir()
	for _, class := range []string{"a", "b"} {
		for _, name := range []string{"1.png", "2.png"} {
			path := filepath.Join(dir, "images", class, name)
			testkit.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
			f := testkit.Must(os.Create(path))(t)
			testkit.NoError(t, png.Encode(f, image.NewGray(image.Rect(0, 0, 3, 2))))
			f.Close()
		}
	}
	testkit.Pipe(t, filepath.Join(dir, "images", "a", "x.png"))
	for _, name := range []string{"1.csv", "2.csv"} {
		testkit.WriteFile(t, filepath.Join(dir, "tables", name), "u,v,label\n1,2,a\n3,4,b\n")
	}
	testkit.Pipe(t, filepath.Join(dir, "tables", "x.csv"))
	testkit.Within(t, func() {
		d, err := Open(context.Background(), filepath.Join(dir, "images"), OpenOptions{})
		if err != nil || d.N() != 4 {
			t.Errorf("images: %v", err)
		}
	})
	testkit.Within(t, func() {
		d, err := Open(context.Background(), filepath.Join(dir, "tables"), OpenOptions{})
		if err != nil || d.N() != 4 {
			t.Errorf("tables: %v", err)
		}
	})
	for _, name := range []string{"x.csv", "x.npy", "x.npz", "x.mat", "x.parquet", "x-images-idx3-ubyte", "x.png"} {
		path := filepath.Join(dir, name)
		testkit.Pipe(t, path)
		for _, spec := range []string{path, path + "," + filepath.Join(dir, "tables", "1.csv")} {
			testkit.Within(t, func() {
				_, err := Open(context.Background(), spec, OpenOptions{})
				testkit.ErrorContains(t, err, "a pipe", spec)
			})
		}
	}
}

// Images without rows or columns of pixels are errors before they are converted.
func TestImagesWithoutPixels(t *testing.T) {
	dir := t.TempDir()
	for name, shape := range map[string][2]byte{"rows": {0, 28}, "columns": {28, 0}} {
		x := filepath.Join(dir, name+"-images-idx3-ubyte")
		y := filepath.Join(dir, name+"-labels-idx1-ubyte")
		head := []byte{0, 0, 8, 3, 0, 0, 0, 4, 0, 0, 0, shape[0], 0, 0, 0, shape[1]}
		testkit.NoError(t, os.WriteFile(x, head, 0o600))
		testkit.NoError(t, os.WriteFile(y, []byte{0, 0, 8, 1, 0, 0, 0, 4, 0, 1, 0, 1}, 0o600))
		testkit.Within(t, func() {
			begin := func(*Data) (func(int, int) error, error) {
				t.Errorf("no %s: it begins", name)
				return nil, context.Canceled
			}
			_, err := OpenWith(context.Background(), x, OpenOptions{Labels: y}, begin)
			testkit.ErrorContains(t, err, "observations have no values", "no", name)
		})
	}
}
