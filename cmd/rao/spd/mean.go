package spd

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rao"
	"rao/cmd/rao/internal/app"
	"rao/internal/spdmeans"
	"rao/internal/text"
	"rao/spd"
)

type meanResult struct {
	Kind     string     `json:"method"`
	Metric   string     `json:"metric"`
	Exponent *float64   `json:"exponent,omitempty"` // exponent of a power mean
	N        int        `json:"n"`
	Dim      int        `json:"dim"`
	Report   rao.Report `json:"report"`
	Out      string     `json:"out"`
	Filters  string     `json:"filters,omitempty"`
}

type meanFlags struct {
	spdmeans.Options
	out, filters string
}

func meanCommand(a *app.App) *cobra.Command {
	var data app.DataFlags
	var f meanFlags
	cmd := &cobra.Command{
		Use:   "mean",
		Short: "Compute the mean or median of SPD matrices",
		Long: `Compute the mean of all matrices under a metric of the manifold (see rao spd distance
--list), and print the iterations and the residual. --method selects another mean:

  median  the geometric median, which is robust to artifacts
  power   the power mean with --exponent, between the Euclidean mean (1) and the
          harmonic mean (-1); under --metric euclid the mean of the powers
  masked  the Riemannian mean if channels are missing in some matrices, with NaN
          in their rows and columns
  joint   the mean by joint diagonalization (AJD, ALE), and with --filters-out
          the filters that diagonalize all matrices as well as possible, one per
          column`,
		Example: `  rao spd mean --metric riemann --data covariances.npz --out M.npy
  rao spd mean --method power --exponent -0.5 --data covariances.npz --out M.npy
  rao spd mean --method joint --data covariances.npz --out M.npy --filters-out F.npy`,
		Args: app.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			data.Opt.Matrices = f.Missing()
			d, err := data.OpenMatrices(cmd.Context(), a, "mean", false, f.Memory)
			if err != nil {
				return err
			}
			return mean(cmd.Context(), a, d.Stack, &f, data.Spec)
		},
	}
	data.Add(cmd, "data", "SPD matrices, count × order × order")
	app.TextVar(cmd.Flags(), &f.Kind, "method", strings.Join(spdmeans.Kinds, "|"), "mean", "see above")
	app.MetricVar(cmd.Flags(), &f.Metric, "riemann",
		"metric of the mean; riemann, logeuclid, euclid, wasserstein or logchol for a median; riemann or euclid "+
			"for a power mean")
	app.NumberFlag(cmd.Flags(), &f.Exponent, "exponent", 0.5, -100, 100,
		"exponent of a power mean, under riemann from "+
			"-1 to 1; 0 is the limit, the mean itself")
	app.OutputFlag(cmd, &f.out, "out", app.ArrayOutput, "npy file to write")
	app.OutputFlag(cmd, &f.filters, "filters-out", app.ArrayOutput, "with --method joint: npy file for the filters")
	app.NumberFlag(cmd.Flags(), &f.Tol, "tol", 0, 0, 1, "stop the iteration at this residual; 0 uses 1e-9")
	app.CountFlag(cmd.Flags(), &f.MaxIter, "max-iter", 0, 0, 1000000,
		"maximum number of iterations; 0 uses 200, or 5000 for --method joint")
	return cmd
}

// check returns a usage error for flags that contradict each other. It runs before data are read.
func (f *meanFlags) check(cmd *cobra.Command) error {
	if err := app.Required("out", f.out); err != nil {
		return err
	}
	if err := f.Check(); err != nil {
		return app.AsUsage(err)
	}
	return checkMethod(cmd, f.Kind, spdmeans.With)
}

func mean(ctx context.Context, a *app.App, x *spd.Stack, f *meanFlags, source string) error {
	show, done := a.Progress("rao spd mean")
	defer done()
	f.MeanOptions.Progress = show
	mean, report, err := spdmeans.Of(ctx, x, nil, f.Options)
	if err != nil && !rao.HasModel(err) {
		return fmt.Errorf("%s: %w", source, err)
	}
	unfinished := err
	if err := writeNpy(f.out, mean.RawSymmetric().Data, x.Dim, x.Dim); err != nil {
		return err
	}
	if f.filters != "" {
		filters, _, err := spd.JointFilters(ctx, x, nil, f.MeanOptions)
		if err != nil && !rao.HasModel(err) {
			return fmt.Errorf("%s: %w", source, err)
		}
		unfinished = cmp.Or(unfinished, err)
		if err := writeNpy(f.filters, filters.RawMatrix().Data, x.Dim, x.Dim); err != nil {
			return err
		}
	}
	r := meanResult{f.Kind, string(f.Metric), nil, x.Count, x.Dim, report, f.out, f.filters}
	if slices.Contains(spdmeans.With("exponent"), f.Kind) {
		r.Exponent = &f.Exponent
	}
	err = a.Emit(r, func() {
		fmt.Fprintf(a.Out, "%s of %s of order %d written to %s (%s, residual %.3g)\n",
			f.Title(), text.Plural(x.Count, "matrix", "matrices"), x.Dim, f.out,
			text.Plural(report.Iterations, "iteration", "iterations"), report.GradientNorm)
		if f.filters != "" {
			fmt.Fprintf(a.Out, "filters written to %s\n", f.filters)
		}
	})
	if err == nil && unfinished != nil {
		err = fmt.Errorf("%s: %w; the file contains the result so far", source, unfinished)
	}
	return err
}
