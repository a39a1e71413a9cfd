// Package spdclusters clusters SPD matrices with a method given by name.
package spdclusters

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"

	"rao"
	"rao/cluster"
	"rao/dataset"
	"rao/internal/format/archive"
	"rao/internal/indices"
	"rao/internal/linalg/vec"
	"rao/internal/memory"
	"rao/internal/text"
	"rao/spd"
)

// Options are the settings of [Find]. Fields that the method does not use are ignored.
type Options struct {
	Method   string // one of Methods
	Clusters int    // number of clusters; mean-shift ignores it
	cluster.KMeansOptions
	Gamma     float64 // for kernel-kmeans: γ of its kernel; 0 chooses it
	Kernel    string  // for mean-shift: a cluster.Kernel
	Bandwidth float64 // bandwidth of mean-shift; 0 estimates it
}

// Groups is the result of a clustering.
type Groups struct {
	Metric        spd.Metric   // the metric that was used
	Of            []int        // cluster of each matrix
	Sizes         []int        // number of matrices in each cluster
	Inertia       *text.Number // minimized sum of kmeans and kernel-kmeans, otherwise nil
	Bandwidth     *text.Number // bandwidth of mean-shift, otherwise nil
	LogLikelihood *text.Number // mean log-likelihood of a matrix for mixture, otherwise nil
	Notes         []string     // notes on the result for the user
	Accuracy      float64      // accuracy under the best match of clusters to classes, if there are labels
	Report        rao.Report
}

// method is a method of clustering.
type method struct {
	name    string
	options []string // the options that not every method has
	fit     func(ctx context.Context, x *spd.Stack, opt *Options) (*Groups, error)
	memory  func(f *memory.Footprint, count, order, clusters int)
}

var methods = []method{
	{"kmeans", []string{"clusters", "starts"}, kMeans, kMeansMemory},
	{"kernel-kmeans", []string{"clusters", "starts", "gamma"}, kernelKMeans, kernelMemory},
	{"mean-shift", []string{"bandwidth", "kernel"}, meanShift, meanShiftMemory},
	{"mixture", []string{"clusters", "starts"}, mixture, mixtureMemory},
}

// Methods are the valid values of [Options.Method].
var Methods = namesOf(func(method) bool { return true })

// With returns the names of the methods that have an option, or nil if the option is not one of those that only some
// methods have. Methods with the option clusters need the number of clusters.
func With(option string) []string {
	return namesOf(func(m method) bool { return slices.Contains(m.options, option) })
}

func namesOf(has func(m method) bool) []string {
	var names []string
	for _, m := range methods {
		if has(m) {
			names = append(names, m.name)
		}
	}
	return names
}

func (o *Options) method() (method, error) {
	if i := slices.Index(Methods, o.Method); i >= 0 {
		return methods[i], nil
	}
	return method{}, &rao.UnknownError{Kind: "method", Name: o.Method, Known: Methods}
}

// Memory returns the footprint of clustering matrices of some order.
func (o *Options) Memory(count, order int) memory.Footprint {
	var f memory.Footprint
	if m, err := o.method(); err == nil {
		m.memory(&f, count, order, o.Clusters)
	}
	f.Add(2*float64(count)*float64(o.Clusters), fmt.Sprintf("the distances of %d matrices to %d clusters", count,
		o.Clusters), "use fewer clusters")
	return f
}

// Find clusters the matrices of d. If the fit fails, the error names the source of the data. If an iteration ends
// early, Find returns both the clusters and an error; see [rao.HasModel].
func Find(ctx context.Context, d *dataset.Data, opt Options) (*Groups, error) {
	m, err := opt.method()
	if err != nil {
		return nil, err
	}
	g, err := m.fit(ctx, d.Stack, &opt)
	if g == nil || err != nil && !rao.HasModel(err) {
		return nil, fmt.Errorf("%s: %w", d.Source, err)
	}
	g.Sizes = indices.Tally(g.Of, opt.Clusters)
	if d.Labels != nil && g.Of != nil {
		g.Accuracy, _ = cluster.Accuracy(g.Of, d.Labels)
	}
	return g, err
}

func kMeans(ctx context.Context, x *spd.Stack, opt *Options) (*Groups, error) {
	m, err := cluster.FitKMeans(ctx, x, opt.Clusters, opt.KMeansOptions)
	if m == nil {
		return nil, err
	}
	return &Groups{Metric: m.Metric, Of: m.Assignments, Inertia: text.Optional(m.Inertia), Report: m.Report}, err
}

func kMeansMemory(f *memory.Footprint, count, order, _ int) {
	f.Add(float64(count)*float64(order)*float64(order), memory.Matrices(count, order), memory.FewerMatrices)
}

func kernelKMeans(ctx context.Context, x *spd.Stack, opt *Options) (*Groups, error) {
	m, err := cluster.FitKernelKMeans(ctx, x, opt.Clusters, cluster.KernelKMeansOptions{Metric: opt.Metric,
		Gamma: opt.Gamma, Starts: opt.Starts, MaxIter: opt.MaxIter, Seed: opt.Seed, Progress: opt.Progress})
	if m == nil {
		return nil, err
	}
	return &Groups{Metric: m.Metric, Of: m.Assignments, Inertia: text.Optional(m.Inertia), Report: m.Report}, err
}

// instead is advice for methods that need more memory than k-means.
const instead = ", or {method=kmeans}"

func kernelMemory(f *memory.Footprint, count, order, _ int) {
	k, n := float64(count), float64(order)
	f.Add(k*k, fmt.Sprintf("the kernel of %d matrices", count), memory.FewerMatrices+instead)
	f.Add(2*k*n*n, memory.Matrices(count, order), memory.FewerMatrices)
}

// meanShift sets the number of clusters to the number of modes.
func meanShift(ctx context.Context, x *spd.Stack, opt *Options) (*Groups, error) {
	m, err := cluster.FitMeanShift(ctx, x, cluster.MeanShiftOptions{Metric: opt.Metric,
		Kernel: cluster.Kernel(opt.Kernel), Bandwidth: opt.Bandwidth, MaxIter: opt.MaxIter, Progress: opt.Progress})
	if m == nil {
		return nil, err
	}
	opt.Clusters = m.Modes.Count
	return &Groups{Metric: m.Metric, Of: m.Assignments, Bandwidth: text.Optional(m.Bandwidth), Report: m.Report}, err
}

func meanShiftMemory(f *memory.Footprint, count, order, _ int) {
	k, n := float64(count), float64(order)
	f.Add(1.5*k*k, fmt.Sprintf("the distances of %d matrices", count), memory.FewerMatrices+instead)
	f.Add(k*(3*n*n+float64(runtime.GOMAXPROCS(0))*float64(vec.PackedLen(order))),
		memory.Matrices(count, order)+" and their tangent vectors", memory.FewerMatrices)
}

func mixture(ctx context.Context, x *spd.Stack, opt *Options) (*Groups, error) {
	m, err := cluster.FitMixture(ctx, x, opt.Clusters, cluster.MixtureOptions{Metric: opt.Metric,
		Starts: opt.Starts, MaxIter: opt.MaxIter, Seed: opt.Seed, Progress: opt.Progress})
	if m == nil {
		return nil, err
	}
	g := &Groups{Metric: m.Metric, Of: m.Assignments, LogLikelihood: text.Optional(m.Report.Objective),
		Report: m.Report}
	if note := Caveat(m); note != "" {
		g.Notes = []string{note}
	}
	return g, err
}

func mixtureMemory(f *memory.Footprint, count, order, clusters int) {
	d := float64(vec.PackedLen(order))
	f.Add(float64(count)*(float64(order)*float64(order)+3*d),
		memory.Matrices(count, order)+" and their tangent vectors", memory.FewerMatrices)
	f.Add((float64(clusters)+4)*d*d, fmt.Sprintf("the covariances of %d clusters in %.0f tangent coordinates",
		clusters, d),
		"use fewer channels"+instead)
}

// WriteFile writes a CSV file with the cluster of each matrix.
func (g *Groups) WriteFile(path string) error {
	return archive.WriteFile(path, func(w io.Writer) error {
		b := bufio.NewWriter(w)
		fmt.Fprintln(b, "cluster")
		for _, k := range g.Of {
			fmt.Fprintln(b, k)
		}
		return b.Flush()
	})
}

// Caveat returns a warning about components of a mixture with few matrices, or "" if there are none.
func Caveat(m *cluster.Mixture) string {
	if len(m.Floored) == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d clusters contain too few different matrices for a covariance in %d tangent "+
		"coordinates; use fewer clusters, matrices of fewer channels, or k-means", len(m.Floored), len(m.Weights),
		m.Covariances[0].SymmetricDim())
}
