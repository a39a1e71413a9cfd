package spd

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"rao"
	"rao/cluster"
	"rao/cmd/rao/internal/app"
	"rao/internal/clustering"
	"rao/internal/memory"
	"rao/internal/text"
	"rao/spd"
)

// clusterResult is what cluster prints; its JSON names do not change.
type clusterResult struct {
	Algorithm string      `json:"algorithm"`
	Metric    string      `json:"metric"`
	N         int         `json:"n"`
	Sizes     []int       `json:"sizes"` // matrices of each group
	Inertia   text.Number `json:"inertia"`
	// groups matched to classes in the best way, where there are labels
	Accuracy *text.Number `json:"accuracy,omitempty"`
	Report   rao.Report   `json:"report"`
	Out      string       `json:"out"`
}

func clusterCommand(a *app.App) *cobra.Command {
	var data app.DataFlags
	var opt cluster.KMeansOptions
	var algorithm, metric, out string
	var k int
	cmd := &cobra.Command{
		Use:   "cluster",
		Short: "Cluster SPD matrices by k-means, without labels",
		Long: `Cluster SPD matrices into --groups groups, by kmeans in any metric of the manifold or by
kernel-kmeans with a Gaussian kernel of the distances. --out gets the group of each
matrix, one per line. If the data have labels, they are used only to score the groups,
after matching each group to one class.`,
		Example: `  rao spd cluster --data P.npz --groups 4 --out groups.csv
  rao spd cluster --data P.npz --groups 8 --algorithm kernel-kmeans --metric logeuclid --out groups.csv`,
		Args: app.NoArgs,
	}
	data.Add(cmd, "data", "SPD matrices, count × order × order")
	f := cmd.Flags()
	app.CountFlag(f, &k, "groups", 0, 2, 100000, "number of groups, at most the number of matrices")
	app.TextVar(f, &algorithm, "algorithm", "kmeans|kernel-kmeans", "kmeans", "kmeans or kernel-kmeans")
	app.TextVar(f, &metric, "metric", "METRIC", "auto",
		"metric of the manifold (see rao spd distance --list); auto uses riemann for kmeans and logeuclid for "+
			"kernel-kmeans")
	app.NumberFlag(f, &opt.Gamma, "gamma", 0, 0, 1e300,
		"width of the kernel of kernel-kmeans; 0 estimates it from the data")
	app.CountFlag(f, &opt.Restarts, "restarts", 10, 1, 100000, "number of runs from different starts; the best "+
		"is kept")
	app.CountFlag(f, &opt.MaxIter, "max-iter", 100, 1, 1000000, "limit on iterations per run")
	app.SeedVar(f, &opt.Seed, "seed of the starts")
	app.OutputFlag(cmd, &out, "out", app.GroupsOutput, "csv file to write: the group of each matrix, counted from 0")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := app.Required("out", out); err != nil {
			return err
		}
		if err := checkClusterFlags(algorithm, k, &opt, metric); err != nil {
			return err
		}
		d, err := data.Open(cmd.Context(), a, "data", false)
		if err != nil {
			return err
		}
		if d.Stack == nil {
			return fmt.Errorf("%s holds vectors; cluster needs SPD matrices (rao spd images and rao eeg cov make "+
				"them)", d.Source)
		}
		plan := memory.Clusters(d.Stack.Count, d.Stack.Dim, k, algorithm == "kernel-kmeans")
		if err := memory.Check("cluster", plan); err != nil {
			return err
		}
		show, done := a.Progress("rao spd cluster")
		opt.Progress = show
		g, err := clustering.Find(cmd.Context(), algorithm, d, k, opt)
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
		if err := g.WriteFile(out); err != nil {
			return err
		}
		r := clusterResult{Algorithm: algorithm, Metric: string(g.Metric), N: d.N(), Sizes: g.Sizes,
			Inertia: text.Number(g.Inertia), Report: g.Report, Out: out}
		if d.Labels != nil {
			r.Accuracy = text.Optional(g.Accuracy)
		}
		return a.Emit(r, func() { printClusters(a, &r) })
	}
	return cmd
}

func checkClusterFlags(algorithm string, k int, opt *cluster.KMeansOptions, metric string) error {
	if !slices.Contains(clustering.Algorithms, algorithm) {
		return app.Usagef("--algorithm takes kmeans or kernel-kmeans, not %q", algorithm)
	}
	if k < 2 {
		return app.Usagef("--groups %d: a number of groups, 2 or more, is required", k)
	}
	if opt.Gamma != 0 && (algorithm == "kmeans" || !(opt.Gamma > 0)) {
		return app.Usagef("--gamma is the width of kernel-kmeans and is above 0")
	}
	if metric == "auto" {
		return nil
	}
	m, err := spd.LookupMetric(metric)
	if err != nil {
		return app.Usagef("%v", err)
	}
	opt.Metric = m
	return nil
}

func printClusters(a *app.App, r *clusterResult) {
	rows := make([][]string, len(r.Sizes))
	for g, n := range r.Sizes {
		rows[g] = []string{fmt.Sprint(g), fmt.Sprint(n)}
	}
	a.Table([]string{"group", "matrices"}, rows)
	fmt.Fprintf(a.Out, "%s, %s metric: inertia %.6g, %s, %s; groups written to %s\n",
		r.Algorithm, r.Metric, float64(r.Inertia),
		text.Plural(r.Report.Iterations, "iteration", "iterations"), r.Report.Status, r.Out)
	if r.Accuracy != nil {
		fmt.Fprintf(a.Out, "matched to the classes: %s right\n", text.Percent(float64(*r.Accuracy)))
	}
}
