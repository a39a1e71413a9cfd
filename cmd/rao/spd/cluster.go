package spd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rao"
	"rao/cmd/rao/internal/app"
	"rao/internal/spdclusters"
	"rao/internal/text"
	"rao/spd"
)

// clusterResult is the JSON output of rao spd cluster. The names in the JSON are stable.
type clusterResult struct {
	Method string `json:"method"`
	Metric string `json:"metric"`
	N      int    `json:"n"`
	Sizes  []int  `json:"sizes"` // number of matrices in each cluster
	// Inertia is set for kmeans and kernel-kmeans.
	Inertia *text.Number `json:"inertia,omitempty"`
	// Bandwidth is set for mean-shift.
	Bandwidth *text.Number `json:"bandwidth,omitempty"`
	// LogLikelihood is set for mixture. It is the mean over the matrices.
	LogLikelihood *text.Number `json:"log_likelihood,omitempty"`
	// Accuracy is set if the matrices have labels. It is the accuracy of the best matching of clusters to classes.
	Accuracy *text.Number `json:"accuracy,omitempty"`
	Report   rao.Report   `json:"report"`
	Out      string       `json:"out"`
}

func clusterCommand(a *app.App) *cobra.Command {
	var data app.DataFlags
	var opt spdclusters.Options
	var metric, out string
	cmd := &cobra.Command{
		Use:   "cluster",
		Short: "Cluster SPD matrices, without labels",
		Long: `Cluster SPD matrices. --out writes the cluster of each matrix, one per line. If
the data have labels, they are used only to score the clusters, after matching each one to
one class.

  kmeans         clusters around --clusters means, in any metric of the manifold
  kernel-kmeans  k-means with a Gaussian kernel of the distances
  mean-shift     the modes of the density; their number follows from --bandwidth
  mixture        --clusters Gaussians in the tangent spaces at their means`,
		Example: `  rao spd cluster --data P.npz --clusters 4 --out clusters.csv
  rao spd cluster --data P.npz --clusters 8 --method kernel-kmeans \
      --metric logeuclid --out clusters.csv
  rao spd cluster --data P.npz --method mean-shift --out clusters.csv`,
		Args: app.NoArgs,
	}
	data.Add(cmd, "data", "SPD matrices, count × order × order")
	f := cmd.Flags()
	app.CountFlag(f, &opt.Clusters, "clusters", 0, 2, 100000, "number of clusters, at most the number of matrices; "+
		"not for mean-shift, which finds the number")
	app.TextVar(f, &opt.Method, "method", strings.Join(spdclusters.Methods, "|"), "kmeans", "see above")
	app.TextVar(f, &metric, "metric", "METRIC", "auto",
		"metric of the manifold (see rao spd distance --list); auto uses logeuclid for kernel-kmeans and riemann "+
			"for the others")
	app.NumberFlag(f, &opt.Gamma, "gamma", 0, 0, 1e300,
		"with kernel-kmeans: gamma of the kernel exp(-gamma d²); 0 uses 1 over the median squared distance")
	app.NumberFlag(f, &opt.Bandwidth, "bandwidth", 0, 0, 1e300,
		"radius of mean-shift, in units of the distances; 0 uses the 0.3 quantile of the distances of all pairs")
	app.TextVar(f, &opt.Kernel, "kernel", "uniform|normal", "uniform",
		"kernel of mean-shift: uniform up to the bandwidth, or normal with exp(-d²/bandwidth²)")
	app.CountFlag(f, &opt.Starts, "starts", 10, 1, 100000, "number of runs of k-means from different starts; the "+
		"best is kept")
	app.CountFlag(f, &opt.MaxIter, "max-iter", 0, 0, 1000000, "maximum number of iterations; 0 uses 100 for both "+
		"k-means and 300 for the others")
	app.SeedVar(f, &opt.Seed, "seed of the starts")
	app.OutputFlag(cmd, &out, "out", app.ClustersOutput,
		"csv file to write: the cluster of each matrix, counted from 0")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := app.Required("out", out); err != nil {
			return err
		}
		if err := checkClusterFlags(cmd, &opt, metric); err != nil {
			return err
		}
		d, err := data.OpenMatrices(cmd.Context(), a, "cluster", false, opt.Memory)
		if err != nil {
			return err
		}
		show, done := a.Progress("rao spd cluster")
		opt.Progress = show
		g, err := spdclusters.Find(cmd.Context(), d, opt)
		done()
		if stop := cmd.Context().Err(); stop != nil {
			return stop
		}
		if g == nil {
			return err
		}
		if err != nil {
			a.Note("%v", err)
		}
		for _, note := range g.Notes {
			a.Note("%s", note)
		}
		if err := g.WriteFile(out); err != nil {
			return err
		}
		r := clusterResult{Method: opt.Method, Metric: string(g.Metric), N: d.N(), Sizes: g.Sizes,
			Inertia: g.Inertia, Bandwidth: g.Bandwidth, LogLikelihood: g.LogLikelihood, Report: g.Report, Out: out}
		if d.Labels != nil {
			r.Accuracy = text.Optional(g.Accuracy)
		}
		return a.Emit(r, func() { printClusters(a, &r) })
	}
	return cmd
}

func checkClusterFlags(cmd *cobra.Command, opt *spdclusters.Options, metric string) error {
	if err := checkMethod(cmd, opt.Method, spdclusters.With); err != nil {
		return err
	}
	if opt.Clusters < 2 && slices.Contains(spdclusters.With("clusters"), opt.Method) {
		return app.Usagef("--clusters is required: the number of clusters, 2 or more")
	}
	if metric == "auto" {
		return nil
	}
	m, err := spd.ParseMetric(metric)
	opt.Metric = m
	return err
}

// checkMethod returns a usage error for the first given flag that only other methods than the selected one use. with
// returns the methods that use a flag, or nil if all do.
func checkMethod(cmd *cobra.Command, method string, with func(flag string) []string) (misplaced error) {
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if of := with(flag.Name); of != nil && !slices.Contains(of, method) && misplaced == nil {
			misplaced = app.Usagef("--%s needs --method %s", flag.Name, strings.Join(of, "|"))
		}
	})
	return misplaced
}

func printClusters(a *app.App, r *clusterResult) {
	rows := make([][]string, len(r.Sizes))
	for g, n := range r.Sizes {
		rows[g] = []string{fmt.Sprint(g), fmt.Sprint(n)}
	}
	a.Table([]string{"cluster", "matrices"}, rows)
	value, what := r.Inertia, "inertia"
	if r.Bandwidth != nil {
		value, what = r.Bandwidth, "bandwidth"
	} else if r.LogLikelihood != nil {
		value, what = r.LogLikelihood, "log-likelihood"
	}
	fmt.Fprintf(a.Out, "%s, %s metric: %s %.6g, %s, %s; clusters written to %s\n",
		r.Method, r.Metric, what, float64(*value),
		text.Plural(r.Report.Iterations, "iteration", "iterations"), r.Report.Status, r.Out)
	if r.Accuracy != nil {
		fmt.Fprintf(a.Out, "matched to the classes: %s right\n", text.Percent(float64(*r.Accuracy)))
	}
}
