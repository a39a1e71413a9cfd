package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"rao"
	"rao/spd"
)

type meanResult struct {
	Metric string     `json:"metric"`
	Median bool       `json:"median,omitempty"`
	N      int        `json:"n"`
	Dim    int        `json:"dim"`
	Report rao.Report `json:"report"`
	Out    string     `json:"out"`
}

func meanCommand(a *app) *cobra.Command {
	var data dataFlags
	var metric, out string
	var tol float64
	var maxIter int
	var median bool
	cmd := &cobra.Command{
		Use:   "mean",
		Short: "Mean or median of SPD matrices under a metric",
		Long: "The mean of all matrices under a metric of the manifold (rao distance --list), with\nthe " +
			"iterations it took and its residual. With --median the geometric median, which\nmatrices " +
			"with artifacts hardly move.",
		Example: "  rao mean --metric riemann --data covariances.npz --out M.npy",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := required("out", out); err != nil {
				return err
			}
			m, err := spd.LookupMetric(metric)
			if err != nil {
				return err
			}
			x, err := a.openMatrices(cmd, &data)
			if err != nil {
				return err
			}
			if err := fits("mean", meanMemory(x.Count, x.Dim, median)); err != nil {
				return err
			}
			of, kind := spd.Mean, "mean"
			if median {
				of, kind = spd.Median, "median"
			}
			mean, report, err := of(cmd.Context(), x, nil, m, spd.MeanOptions{Tol: tol, MaxIter: maxIter})
			if err != nil && !rao.IsNotConverged(err) {
				return fmt.Errorf("%s: %w", data.spec, err)
			}
			if err != nil {
				a.note("%v", err)
			}
			if err := writeNpy(out, mean.RawSymmetric().Data, x.Dim, x.Dim); err != nil {
				return err
			}
			return a.emit(meanResult{metric, median, x.Count, x.Dim, report, out}, func() {
				fmt.Fprintf(a.out, "%s %s of %s of order %d written to %s (%s, residual %.3g)\n",
					metric, kind, plural(x.Count, "matrix", "matrices"), x.Dim, out,
					plural(report.Iterations, "iteration", "iterations"), report.GradientNorm)
			})
		},
	}
	data.add(cmd, "data", "SPD matrices, count × order × order")
	cmd.Flags().StringVar(&metric, "metric", "riemann", "metric of the mean")
	cmd.Flags().BoolVar(&median, "median", false, "the geometric median, under riemann, logeuclid, euclid, "+
		"wasserstein or logchol")
	outputFlag(cmd, &out, "out", arrayOutput, "npy file to write")
	numberFlag(cmd.Flags(), &tol, "tol", 0, 0, 1, "tolerance of an iterative mean; 0 takes the default")
	countFlag(cmd.Flags(), &maxIter, "max-iter", 0, 0, 1000000, "limit on iterations; 0 takes the default")
	return cmd
}
