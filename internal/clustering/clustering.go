// Package clustering cuts SPD matrices into groups by an algorithm that has a name.
package clustering

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"rao"
	"rao/cluster"
	"rao/dataset"
	"rao/internal/format/archive"
	"rao/internal/suggest"
	"rao/spd"
)

// Groups are the groups of matrices.
type Groups struct {
	Metric   spd.Metric // that was used
	Of       []int      // group of each matrix
	Sizes    []int      // matrices of each group
	Inertia  float64
	Accuracy float64 // of groups matched to classes in the best way, where there are labels
	Report   rao.Report
}

// Algorithms are the names that [Find] takes.
var Algorithms = []string{"kmeans", "kernel-kmeans"}

// Find cuts matrices into k groups. Errors are those of [cluster.FitKMeans] and [cluster.FitKernelKMeans], with the
// source of the data.
func Find(ctx context.Context, algorithm string, d *dataset.Data, k int, opt cluster.KMeansOptions) (*Groups, error) {
	var g *Groups
	var err error
	switch algorithm {
	case "kmeans":
		var m *cluster.KMeans
		if m, err = cluster.FitKMeans(ctx, d.Stack, k, opt); m != nil {
			g = &Groups{Metric: m.Metric, Of: m.Assignments, Inertia: m.Inertia, Report: m.Report}
		}
	case "kernel-kmeans":
		var m *cluster.KernelKMeans
		if m, err = cluster.FitKernelKMeans(ctx, d.Stack, k, opt); m != nil {
			g = &Groups{Metric: m.Metric, Of: m.Assignments, Inertia: m.Inertia, Report: m.Report}
		}
	default:
		return nil, suggest.Unknown("algorithm", algorithm, Algorithms)
	}
	if g == nil || err != nil && !rao.HasModel(err) {
		return nil, fmt.Errorf("%s: %w", d.Source, err)
	}
	g.Sizes = make([]int, k)
	for _, i := range g.Of {
		g.Sizes[i]++
	}
	if d.Labels != nil && g.Of != nil {
		g.Accuracy, _ = cluster.Accuracy(g.Of, d.Labels)
	}
	return g, err
}

// WriteFile writes a csv with the group of each matrix.
func (g *Groups) WriteFile(path string) error {
	return archive.WriteFile(path, func(w io.Writer) error {
		b := bufio.NewWriter(w)
		fmt.Fprintln(b, "group")
		for _, k := range g.Of {
			fmt.Fprintln(b, k)
		}
		return b.Flush()
	})
}
