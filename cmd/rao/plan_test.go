package main

import (
	"path/filepath"
	"strings"
	"testing"

	"rao/dataset"
	"rao/spd"
)

// What the machine cannot hold is refused in one line, before the work, with a remedy.
func TestMemoryIsPlanned(t *testing.T) {
	if free := memoryFree(); free < 1<<20 && free != 0 {
		t.Errorf("%g bytes are free", free)
	}
	dir := t.TempDir()
	const n, cols = 40, 1200
	d := &dataset.Data{X: dataset.NewTable32(n, cols, make([]float32, n*cols)), Labels: make([]int, n), Classes: []string{"a", "b", "c", "d"}}
	for i := range n {
		d.Labels[i] = i % 4
	}
	m := &dataset.Data{Stack: spd.NewStack(8, 60), Labels: []int{0, 1, 0, 1, 0, 1, 0, 1}, Classes: []string{"a", "b"}}
	for k := range 8 {
		for i := range 60 {
			m.Stack.At(k)[61*i] = float64(1 + k + i)
		}
	}
	vectors, matrices := filepath.Join(dir, "v.npz"), filepath.Join(dir, "m.npz")
	for _, err := range []error{dataset.WriteFile(vectors, d), dataset.WriteFile(matrices, m)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("RAO_MEMORY", "20")
	for _, c := range []struct{ line, want string }{
		{"fit lda --out x --data " + vectors, "fit lda would take at least 44 MiB for the covariances of 4 classes in 1200 columns, and 20 MiB are free; take fewer columns"},
		{"stats --out x --data " + vectors, "stats would take at least 44 MiB"},
		{"tune lda --data " + vectors, "tune lda would take at least 44 MiB"},
		{"compare --methods lda --train " + vectors + " --test " + vectors, "compare would take at least 44 MiB"},
		{"fit tslda --out x --data " + matrices, "fit tslda would take at least 26 MiB for the covariance of 1830 tangent coordinates of matrices of order 60"},
	} {
		args := strings.Fields(strings.Replace(c.line, "--out x", "--out "+filepath.Join(dir, "x"), 1))
		status, _, said := runTool(t, args...)
		if status != 1 || !strings.Contains(said, c.want) {
			t.Errorf("%s: exit status %d, %q", c.line, status, said)
		}
	}
	t.Setenv("RAO_MEMORY", "")
	if status, _, said := runTool(t, "fit", "mdm", "--data", matrices, "--out", filepath.Join(dir, "x")); status != 0 {
		t.Errorf("exit status %d, %s", status, said)
	}
}
