// Package spdmeans chooses the mean of SPD matrices by its name, for the tool and the Python package.
package spdmeans

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/memory"
	"rao/spd"
)

// Options are the settings of [Of].
type Options struct {
	Kind     string // one of Kinds; empty: mean
	Metric   spd.Metric
	Exponent float64 // exponent of power
	spd.MeanOptions
}

// kind is a kind of mean.
type kind struct {
	name    string
	title   string     // in words, after the metric; empty: the name
	option  string     // the option that no other kind has
	metric  spd.Metric // the only metric with such a mean; empty: several have one
	missing bool       // matrices may contain NaN
	copies  float64    // what an iterative kind stores, in multiples of the matrices
	stored  string     // what it stores instead of copies
	mean    func(ctx context.Context, x *spd.Stack, weights []float64, o *Options) (*mat.SymDense, rao.Report, error)
}

var kinds = []kind{
	{name: "mean", mean: mean},
	{name: "median", copies: 2, stored: "the logarithms of ", mean: median},
	{name: "power", title: "power mean", option: "exponent", copies: 1, mean: powerMean},
	{name: "masked", title: "masked mean", metric: spd.Riemann, missing: true, copies: 1, mean: maskedMean},
	{name: "joint", title: "joint mean", option: "filters-out", metric: spd.Riemann, copies: 4, mean: jointMean},
}

// Kinds are the valid values of [Options.Kind].
var Kinds = func() (names []string) {
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}()

// With returns the only kind of mean that has the option, or nil if all have it or none.
func With(option string) []string {
	for _, k := range kinds {
		if k.option == option {
			return []string{k.name}
		}
	}
	return nil
}

func mean(ctx context.Context, x *spd.Stack, w []float64, o *Options) (*mat.SymDense, rao.Report, error) {
	return spd.Mean(ctx, x, w, o.Metric, o.MeanOptions)
}

func median(ctx context.Context, x *spd.Stack, w []float64, o *Options) (*mat.SymDense, rao.Report, error) {
	return spd.Median(ctx, x, w, o.Metric, o.MeanOptions)
}

func jointMean(ctx context.Context, x *spd.Stack, w []float64, o *Options) (*mat.SymDense, rao.Report, error) {
	return spd.JointMean(ctx, x, w, o.MeanOptions)
}

func powerMean(ctx context.Context, x *spd.Stack, w []float64, o *Options) (*mat.SymDense, rao.Report, error) {
	return spd.PowerMean(ctx, x, w, o.Metric, o.Exponent, o.MeanOptions)
}

func maskedMean(ctx context.Context, x *spd.Stack, w []float64, o *Options) (*mat.SymDense, rao.Report, error) {
	return spd.MaskedMean(ctx, x, nil, w, o.MeanOptions)
}

// Of returns the mean of the given kind: [spd.Mean], [spd.Median], [spd.PowerMean] with an exponent, [spd.MaskedMean]
// with missing channels as NaN, or [spd.JointMean]. It returns an error if the metric has no mean of that kind. It also
// returns the errors of these functions.
func Of(ctx context.Context, x *spd.Stack, weights []float64, opt Options) (*mat.SymDense, rao.Report, error) {
	k, err := opt.kind()
	if err != nil {
		return nil, rao.Report{}, err
	}
	return k.mean(ctx, x, weights, &opt)
}

// Title describes the mean in words.
func (o Options) Title() string {
	k, _ := o.kind()
	title := string(o.Metric) + " " + cmp.Or(k.title, k.name)
	if k.option == "exponent" {
		title += fmt.Sprintf(" (exponent %g)", o.Exponent)
	}
	return title
}

// Missing reports whether the matrices may contain NaN, for missing channels.
func (o Options) Missing() bool {
	k, _ := o.kind()
	return k.missing
}

// Memory returns the footprint of the mean.
func (o Options) Memory(count, order int) memory.Footprint {
	k, _ := o.kind()
	var f memory.Footprint
	n := float64(order)
	f.Add(k.copies*float64(count)*n*n, k.stored+memory.Matrices(count, order), memory.FewerMatrices)
	f.Add(16*n*n, fmt.Sprintf("matrices of order %d", order), "use fewer channels")
	return f
}

// Check returns an error unless the metric has a mean of the kind, with the given exponent.
func (o Options) Check() error {
	k, err := o.kind()
	if err != nil {
		return err
	}
	if _, _, err = k.mean(context.Background(), spd.StackOf(1, 1, []float64{1}), nil, &o); err != nil {
		err = rao.Optionf("metric", "{method=%s}: %w", k.name, err)
	}
	return err
}

func (o Options) kind() (kind, error) {
	i := slices.Index(Kinds, cmp.Or(o.Kind, Kinds[0]))
	if i < 0 {
		return kind{}, &rao.UnknownError{Kind: "mean", Name: o.Kind, Known: Kinds}
	}
	k := kinds[i]
	m, err := spd.ParseMetric(string(o.Metric))
	if err == nil && k.metric != "" && m != k.metric {
		err = rao.Optionf("metric", fmt.Sprintf("{method=%s} works only with {metric=%s}", k.name, k.metric))
	}
	return k, err
}
