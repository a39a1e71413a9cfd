package spdclusters

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rao/cluster"
	"rao/dataset"
	"rao/internal/memory"
	"rao/internal/testkit"
	"rao/spd"
)

// The error for a job that needs too much memory names its largest part and the remedy.
func TestMemory(t *testing.T) {
	t.Setenv("RAO_MEMORY", "100")
	for _, c := range []struct {
		method                 string
		count, order, clusters int
		want                   string
	}{
		{"kernel-kmeans", 9000, 8, 3, "the kernel of 9000 matrices"},
		{"kernel-kmeans", 9000, 8, 3, "or method=kmeans"},
		{"mean-shift", 9000, 8, 0, "the distances of 9000 matrices"},
		{"mixture", 3000, 64, 9, "the covariances of 9 clusters in 2080 tangent coordinates"},
		{"kmeans", 90000, 8, 900, "the distances of 90000 matrices to 900 clusters"},
	} {
		opt := Options{Method: c.method, Clusters: c.clusters}
		testkit.ErrorContains(t, memory.Check("job", opt.Memory(c.count, c.order)), c.want, c.method)
	}
}

// Every method finds two clusters that are far apart, and the file has a line for each matrix.
func TestFind(t *testing.T) {
	d := &dataset.Data{Source: "x.npz", Stack: spd.NewStack(6, 2), Labels: []int{0, 0, 0, 1, 1, 1},
		Classes: []string{"a", "b"}}
	for k := range 6 {
		size := 1 + 0.01*float64(k) + 20*float64(k/3)
		d.Stack.At(k)[0], d.Stack.At(k)[3] = size, 2*size
	}
	for _, method := range Methods {
		g := testkit.Must(Find(context.Background(), d, Options{Method: method, Clusters: 2, Bandwidth: 1,
			KMeansOptions: cluster.KMeansOptions{Seed: 1,
				Metric: map[string]spd.Metric{"mixture": spd.Euclid}[method]}}))(t)
		if !slices.Equal(g.Sizes, []int{3, 3}) || g.Accuracy != 1 || g.Of[0] == g.Of[5] || g.Metric == "" {
			t.Errorf("%s: %+v", method, g)
		}
		if method == "mixture" && !strings.HasPrefix(strings.Join(g.Notes, ";"), "2 of 2 clusters contain too few") {
			t.Errorf("notes %q on clusters of matrices that span one direction", g.Notes)
		}
		path := filepath.Join(t.TempDir(), "g.csv")
		testkit.NoError(t, g.WriteFile(path))
		if text, _ := os.ReadFile(path); !strings.HasPrefix(string(text), "cluster\n") || len(text) != 8+2*6 {
			t.Errorf("%s: %q", method, text)
		}
	}
	testkit.ErrorContains(t, testkit.ErrorOf(Find(context.Background(), d, Options{Method: "kmean", Clusters: 2})),
		"kmeans", "an unknown method")
	if _, err := Find(context.Background(), d, Options{Method: "kmeans", Clusters: 7}); err == nil ||
		!strings.HasPrefix(err.Error(), "x.npz: ") {
		t.Errorf("seven clusters of six matrices: %v", err)
	}
}
