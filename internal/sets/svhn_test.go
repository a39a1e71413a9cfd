package sets

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"rao/dataset"
	"rao/internal/grayimages"
	"rao/internal/testkit"
)

// svhnFile returns a file in the format of train_32x32.mat: version 5, compressed variables, X of 32×32×3×n bytes and y
// of n×1 bytes. The value of a pixel in image k is 10k + channel + row, and the label is k mod 10 + 1.
func svhnFile(n int) []byte {
	x := make([]byte, 0, 32*32*3*n)
	y := make([]byte, n)
	for k := range n {
		y[k] = byte(k%10 + 1)
		for channel := range 3 {
			for range 32 {
				for row := range 32 {
					x = append(x, byte(10*k+channel+row))
				}
			}
		}
	}
	return testkit.MatFile(testkit.MatVar{Name: "X", Shape: []int{32, 32, 3, n}, Bytes: x},
		testkit.MatVar{Name: "y", Shape: []int{n, 1}, Bytes: y})
}

func TestSVHN(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("RAO_CACHE", cache)
	var absent *dataset.AbsentError
	_, err := dataset.Open(context.Background(), "svhn:train", dataset.OpenOptions{})
	if !errors.As(err, &absent) || absent.File != "train_32x32.mat" {
		t.Errorf("before it is here: %v", err)
	}
	testkit.NoError(t, os.Mkdir(filepath.Join(cache, "svhn"), 0o755))
	for part, n := range map[string]int{"train": 24, "test": 11} {
		testkit.NoError(t, os.WriteFile(filepath.Join(cache, "svhn", part+"_32x32.mat"), svhnFile(n), 0o644))
	}
	d := open(t, "svhn:train", dataset.OpenOptions{RequireLabels: true})
	if rows, cols := d.X.Dims(); rows != 24 || cols != 3072 || d.Image != [3]int{32, 32, 3} || len(d.Classes) != 10 {
		t.Fatalf("%d×%d, image %v, %d classes", rows, cols, d.Image, len(d.Classes))
	}
	for _, k := range []int{0, 9, 23} {
		testkit.Equal(t, d.Classes[d.Labels[k]], d.Classes[k%10], "image", k, "has class")
		for _, at := range [][3]int{{0, 0, 0}, {5, 7, 1}, {31, 31, 2}} { // row, column, channel
			testkit.Equal(t, d.X.At(k, (at[0]*32+at[1])*3+at[2]), float64((10*k+at[2]+at[0])%256), "image", k, at)
		}
	}
	gray := testkit.Must(grayimages.Convert(d))(t)
	if got := gray.X.At(2, 3*32); got != 24 { // the mean of 20, 21 and 22, and the row
		t.Errorf("gray %v, want 24", got)
	}
	testkit.Equal(t, open(t, "svhn:test", dataset.OpenOptions{}).N(), 11, "test images")
}
