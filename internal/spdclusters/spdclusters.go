// Package spdclusters clusters SPD matrices with an algorithm given by name.
package spdclusters

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

// Options are the settings of [Find]. Fields that the algorithm does not use are ignored.
type Options struct {
	Algorithm string     // one of Algorithms
	Groups    int        // number of groups; mean-shift ignores it
	Metric    spd.Metric // empty: the default of the algorithm
	Restarts  int        // runs of k-means; default 10
	MaxIter   int        // 0: the default of the algorithm
	Seed      uint64
	Gamma     float64 // for kernel-kmeans: γ of the kernel
	Kernel    string  // for mean-shift: a cluster.Kernel
	Bandwidth float64 // bandwidth of mean-shift; 0 estimates it
	Progress  rao.Progress
}

// Groups is the result of a clustering.
type Groups struct {
	Metric        spd.Metric // the metric that was used
	Of            []int      // group of each matrix
	Sizes         []int      // number of matrices in each group
	Inertia       float64    // minimized sum of kmeans and kernel-kmeans
	Bandwidth     float64    // bandwidth of mean-shift
	LogLikelihood float64    // for mixture: mean log-likelihood of a matrix
	Notes         []string   // notes on the result for the user
	Accuracy      float64    // accuracy under the best match of groups to classes, if there are labels
	Report        rao.Report
}

// Algorithms are the valid values of [Options.Algorithm].
var Algorithms = []string{"kmeans", "kernel-kmeans", "mean-shift", "mixture"}

// Find clusters the matrices of d. Errors name the source of the data.
func Find(ctx context.Context, d *dataset.Data, opt Options) (*Groups, error) {
	var g *Groups
	var err error
	k := cluster.KMeansOptions{Metric: opt.Metric, Restarts: opt.Restarts, MaxIter: opt.MaxIter, Seed: opt.Seed,
		Gamma: opt.Gamma, Progress: opt.Progress}
	switch opt.Algorithm {
	case "kmeans":
		var m *cluster.KMeans
		if m, err = cluster.FitKMeans(ctx, d.Stack, opt.Groups, k); m != nil {
			g = &Groups{Metric: m.Metric, Of: m.Assignments, Inertia: m.Inertia, Report: m.Report}
		}
	case "kernel-kmeans":
		var m *cluster.KernelKMeans
		if m, err = cluster.FitKernelKMeans(ctx, d.Stack, opt.Groups, k); m != nil {
			g = &Groups{Metric: m.Metric, Of: m.Assignments, Inertia: m.Inertia, Report: m.Report}
		}
	case "mean-shift":
		var m *cluster.MeanShift
		if m, err = cluster.FitMeanShift(ctx, d.Stack, cluster.MeanShiftOptions{Metric: opt.Metric,
			Kernel: cluster.Kernel(opt.Kernel), Bandwidth: opt.Bandwidth, MaxIter: opt.MaxIter,
			Progress: opt.Progress}); m != nil {
			g = &Groups{Metric: m.Metric, Of: m.Assignments, Bandwidth: m.Bandwidth, Report: m.Report}
			opt.Groups = m.Modes.Count
		}
	case "mixture":
		var m *cluster.Mixture
		if m, err = cluster.FitMixture(ctx, d.Stack, opt.Groups, cluster.MixtureOptions{Metric: opt.Metric,
			Restarts: opt.Restarts, MaxIter: opt.MaxIter, Seed: opt.Seed, Progress: opt.Progress}); m != nil {
			g = &Groups{Metric: m.Metric, Of: m.Assignments, LogLikelihood: m.Report.Objective, Report: m.Report}
			if note := m.Caveat(); note != "" {
				g.Notes = []string{note}
			}
		}
	default:
		return nil, suggest.Unknown("algorithm", opt.Algorithm, Algorithms)
	}
	if g == nil || err != nil && !rao.HasModel(err) {
		return nil, fmt.Errorf("%s: %w", d.Source, err)
	}
	g.Sizes = make([]int, opt.Groups)
	for _, i := range g.Of {
		g.Sizes[i]++
	}
	if d.Labels != nil && g.Of != nil {
		g.Accuracy, _ = cluster.Accuracy(g.Of, d.Labels)
	}
	return g, err
}

// WriteFile writes a CSV file with the group of each matrix.
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
