package main

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"rao/cmd/rao/internal/tooltest"
	"rao/internal/testkit"

	"rao/dataset"
	"rao/spd"
)

// uneven returns observations of four classes whose columns all differ.
func uneven(rows, cols int) *dataset.Data {
	x := make([]float32, rows*cols)
	for i := range x {
		x[i] = float32(math.Sin(float64(i*i%7919)) + float64(i%cols%7*(i/cols%4)))
	}
	d := &dataset.Data{X: dataset.NewTable(rows, cols, x), Labels: make([]int, rows),
		Classes: []string{"a", "b", "c", "d"}}
	for i := range d.Labels {
		d.Labels[i] = i % 4
	}
	return d
}

// A command that needs more memory than the machine has fails before the work, with a one-line message that names a
// remedy.
func TestMemoryIsPlanned(t *testing.T) {
	dir := t.TempDir()
	v, few := uneven(640, 1200), uneven(40, 1200)
	m := &dataset.Data{Stack: spd.NewStack(8, 60), Labels: []int{0, 1, 0, 1, 0, 1, 0, 1}, Classes: []string{"a", "b"}}
	for k := range 8 {
		for i := range 60 {
			m.Stack.At(k)[61*i] = float64(1 + k + i)
		}
	}
	vectors, wide, matrices := filepath.Join(dir, "v.npz"), filepath.Join(dir, "w.npz"), filepath.Join(dir, "m.npz")
	for _, err := range []error{dataset.WriteFile(vectors, v), dataset.WriteFile(wide, few),
		dataset.WriteFile(matrices, m)} {
		testkit.NoError(t, err)
	}
	stats := filepath.Join(dir, "s.npz")
	tooltest.Succeeds(t, "stats", "--data", vectors, "--out", stats)
	adapting, more := filepath.Join(dir, "a.rao"), filepath.Join(dir, "more.npz")
	many := &dataset.Data{Stack: spd.NewStack(64, 60), Labels: make([]int, 64), Classes: m.Classes}
	for k := range 64 {
		many.Labels[k] = k % 2
		copy(many.Stack.At(k), m.Stack.At(k%8))
	}
	testkit.NoError(t, dataset.WriteFile(more, many))
	tooltest.Succeeds(t, "fit", "mdm", "--adapt", "--data", more, "--out", adapting)
	for _, c := range []struct{ mib, line, want string }{
		{"100", "fit lda --out x --data " + vectors, "fit lda would need about 148 MiB, most of it for the " +
			"covariances of 4 classes in 1200 columns, but only 100 MiB is free; use fewer columns with --drop, " +
			"fewer features"},
		{"100", "fit lda --out x --stats " + stats, "fit lda would need about 148 MiB"}, // read, then scaled in place
		{"300", "fit sqfa --out x --data " + vectors, "fit sqfa would need about "},     // noise auto: the folds
		{"40", "stats --out x --data " + vectors, "stats would need about "},
		{"200", "tune lda --cv 2 --data " + vectors, "tune lda would need about "},
		{"40", "compare --methods lda --data " + vectors + " --test " + vectors, "compare would need about 60 MiB"},
		{"100", "compare --methods lda --data " + vectors + " --test " + vectors, "lda would need about 148 MiB"},
		{"100", "spd distance --distance bhattacharyya --stats " + stats,
			"distance would need about 258 MiB, most of it " +
				"for the pairs of 4 classes in 1200 columns"},
		{"0.5", "spd distance --metric riemann --data " + matrices,
			"distance would need about 1 MiB, most of it for 8 " +
				"matrices of order 60"},
		{"10", "fit svm-spd --out x --data " + matrices, "fit svm-spd would need about 16 MiB"},
		{"0.1", "spd mean --method median --out x --data " + matrices,
			"most of it for the logarithms of 8 matrices of order 60"},
		{"0.1", "spd cluster --clusters 2 --out x --data " + matrices, "cluster would need about "},
		{"0.1", "spd cluster --clusters 2 --method kernel-kmeans --out x --data " + matrices,
			"cluster would need about "},
		{"0.1", "spd cluster --method mean-shift --out x --data " + matrices, "cluster would need about "},
		{"0.1", "spd cluster --clusters 2 --method mixture --out x --data " + matrices,
			"most of it for the covariances of 2 clusters"},
		{"1", "predict --out x --model " + adapting + " --data " + more,
			"predict would need about 5 MiB, most of it for 64 adapted matrices"},
		{"1", "evaluate --model " + adapting + " --data " + more, "evaluate would need about "},
	} {
		t.Setenv("RAO_MEMORY", c.mib)
		args := strings.Fields(strings.Replace(c.line, "--out x", "--out "+filepath.Join(dir, "x"), 1))
		tooltest.Exits(t, 1, c.want, args...)
	}
	// Methods that do not need the covariances of the classes fit.
	t.Setenv("RAO_MEMORY", "100")
	for _, m := range []string{"pca", "spca", "knn-raw", "sqfa --noise 0.1"} {
		tooltest.Succeeds(t,
			strings.Fields("fit "+m+" --out "+filepath.Join(dir, "x")+" --data "+wide)...)
	}
	t.Setenv("RAO_MEMORY", "")
	tooltest.Succeeds(t, "fit", "mdm", "--data", matrices, "--out", filepath.Join(dir,
		"y"))
}
