package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/memory"
	"rao/internal/suggest"
	"rao/spd"
)

type meanResult struct {
	Kind     string     `json:"kind"`
	Metric   string     `json:"metric"`
	Exponent *float64   `json:"exponent,omitempty"` // of a power mean
	N        int        `json:"n"`
	Dim      int        `json:"dim"`
	Report   rao.Report `json:"report"`
	Out      string     `json:"out"`
	Filters  string     `json:"filters,omitempty"`
}

// meanFlags are what rao mean is asked for.
type meanFlags struct {
	kind, metric, out, filters string
	exponent                   float64
	options                    spd.MeanOptions
}

// meanKinds are the values of --kind.
var meanKinds = []string{"mean", "median", "power", "masked", "joint"}

func meanCommand(a *app) *cobra.Command {
	var data dataFlags
	var f meanFlags
	cmd := &cobra.Command{
		Use:   "mean",
		Short: "Mean or median of SPD matrices under a metric",
		Long: `The mean of all matrices under a metric of the manifold (rao distance --list), with the
iterations it took and its residual. --kind takes another one:

  median  the geometric median, which matrices with artifacts hardly move
  power   the power mean with --exponent, between the Euclidean mean (1) and the harmonic
          (-1); under --metric euclid the mean of the powers
  masked  the Riemannian mean where channels are missing in some matrices, with NaN in
          their rows and columns
  joint   the mean by joint diagonalization (AJD, ALE), and with --filters the filters
          that diagonalize all matrices as well as possible, one a column`,
		Example: `  rao mean --metric riemann --data covariances.npz --out M.npy
  rao mean --kind power --exponent -0.5 --data covariances.npz --out M.npy
  rao mean --kind joint --data covariances.npz --out M.npy --filters F.npy`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			data.opt.Matrices = f.kind == "masked" // NaN and all
			x, err := a.openMatrices(cmd, &data)
			if err != nil {
				return err
			}
			if err := memory.Check("mean", memory.Mean(x.Count, x.Dim, f.kind)); err != nil {
				return err
			}
			return a.mean(cmd.Context(), x, &f, data.spec)
		},
	}
	data.add(cmd, "data", "SPD matrices, count × order × order")
	textVar(cmd.Flags(), &f.kind, "kind", "KIND", "mean", "which mean: "+strings.Join(meanKinds, ", "))
	textVar(cmd.Flags(), &f.metric, "metric", "METRIC", "riemann",
		"metric of the mean; of a median riemann, logeuclid, "+
			"euclid, wasserstein or logchol; of a power mean riemann or euclid")
	numberFlag(cmd.Flags(), &f.exponent, "exponent", 0.5, -100, 100, "exponent of a power mean, under riemann from "+
		"-1 to 1; 0 is the limit, the mean itself")
	outputFlag(cmd, &f.out, "out", arrayOutput, "npy file to write")
	outputFlag(cmd, &f.filters, "filters", arrayOutput, "with --kind joint: npy file for the filters")
	numberFlag(cmd.Flags(), &f.options.Tol, "tol", 0, 0, 1, "tolerance of an iterative mean; 0 takes the default")
	countFlag(cmd.Flags(), &f.options.MaxIter, "max-iter", 0, 0, 1000000, "limit on iterations; 0 takes the default")
	return cmd
}

// check refuses flags that contradict each other, before data are read.
func (f *meanFlags) check(cmd *cobra.Command) error {
	if err := required("out", f.out); err != nil {
		return err
	}
	if !slices.Contains(meanKinds, f.kind) {
		return usagef("--kind: %v", suggest.Unknown("kind of mean", f.kind, meanKinds))
	}
	m, err := spd.LookupMetric(f.metric)
	if err != nil {
		return err
	}
	f.metric = string(m)
	switch {
	case f.kind == "power" && m != spd.Riemann && m != spd.Euclid:
		return usagef("--kind power is for --metric riemann or euclid")
	case f.kind == "power" && m == spd.Riemann && !(f.exponent >= -1 && f.exponent <= 1):
		return usagef("--exponent %v: under riemann from -1 to 1; --metric euclid takes others", f.exponent)
	case (f.kind == "masked" || f.kind == "joint") && m != spd.Riemann:
		return usagef("--kind %s has the metric riemann only", f.kind)
	case f.kind != "power" && cmd.Flags().Changed("exponent"):
		return usagef("--exponent is for --kind power")
	case f.kind != "joint" && f.filters != "":
		return usagef("--filters is for --kind joint")
	}
	return nil
}

// of computes the mean that is asked for.
func (f *meanFlags) of(ctx context.Context, x *spd.Stack) (*mat.SymDense, rao.Report, error) {
	metric := spd.Metric(f.metric)
	switch f.kind {
	case "median":
		return spd.Median(ctx, x, nil, metric, f.options)
	case "power":
		if metric == spd.Euclid {
			return spd.PowerEuclideanMean(ctx, x, nil, f.exponent)
		}
		return spd.PowerMean(ctx, x, nil, f.exponent, f.options)
	case "masked":
		seen, err := spd.SeenChannels(x)
		if err != nil {
			return nil, rao.Report{}, err
		}
		return spd.MaskedMean(ctx, x, seen, nil, f.options)
	case "joint":
		return spd.JointMean(ctx, x, nil, f.options)
	}
	return spd.Mean(ctx, x, nil, metric, f.options)
}

func (a *app) mean(ctx context.Context, x *spd.Stack, f *meanFlags, source string) error {
	mean, report, err := f.of(ctx, x)
	if err := a.usable(err, source); err != nil {
		return err
	}
	if err := writeNpy(f.out, mean.RawSymmetric().Data, x.Dim, x.Dim); err != nil {
		return err
	}
	if f.filters != "" {
		filters, _, err := spd.JointFilters(ctx, x, nil, f.options)
		if err := a.usable(err, source); err != nil {
			return err
		}
		if err := writeNpy(f.filters, filters.RawMatrix().Data, x.Dim, x.Dim); err != nil {
			return err
		}
	}
	r := meanResult{f.kind, f.metric, nil, x.Count, x.Dim, report, f.out, f.filters}
	name := f.metric + " " + f.kind
	switch f.kind {
	case "power":
		r.Exponent = &f.exponent
		name = fmt.Sprintf("%s power mean (exponent %g)", f.metric, f.exponent)
	case "masked", "joint":
		name += " mean"
	}
	return a.emit(r, func() {
		fmt.Fprintf(a.out, "%s of %s of order %d written to %s (%s, residual %.3g)\n",
			name, plural(x.Count, "matrix", "matrices"), x.Dim, f.out,
			plural(report.Iterations, "iteration", "iterations"), report.GradientNorm)
		if f.filters != "" {
			fmt.Fprintf(a.out, "filters written to %s\n", f.filters)
		}
	})
}

// usable passes on what ends the work; of a result that did not converge it only says so.
func (a *app) usable(err error, source string) error {
	if rao.HasModel(err) {
		a.note("%v", err)
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", source, err)
	}
	return nil
}
