package spd

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"

	"rao/cmd/rao/internal/app"
	"rao/gaussian"
	"rao/internal/classstats"
	"rao/internal/format/archive"
	"rao/internal/format/npy"
	"rao/internal/linalg/vec"
	"rao/internal/memory"
	"rao/internal/text"
	"rao/spd"
)

type distanceResult struct {
	Metric   string   `json:"metric,omitempty"`   // of matrices
	Distance string   `json:"distance,omitempty"` // of classes
	N        int      `json:"n"`
	Names    []string `json:"names,omitempty"`
	Out      string   `json:"out,omitempty"`
	// Distances is set if nothing is written to a file.
	Distances [][]text.Number `json:"distances,omitempty"`
	// Lower and Upper are bounds on the exact Fisher-Rao distance.
	Lower [][]text.Number `json:"lower,omitempty"`
	Upper [][]text.Number `json:"upper,omitempty"`
}

func distanceCommand(a *app.App) *cobra.Command {
	var data app.DataFlags
	var stats, distance, out string
	var metric spd.Metric
	var noise float64
	var list bool
	cmd := &cobra.Command{
		Use:   "distance",
		Short: "Compute all pairwise distances of matrices or of classes",
		Long: `With --data, compute the distances between all pairs of SPD matrices under a --metric of the
manifold. With --stats, compute a --distance between all pairs of classes, each a Gaussian
with the mean and covariance in the statistics file. fisher_rao computes the exact
distance and reports bounds that contain it. --list lists the metrics and distances.`,
		Example: `  rao spd distance --metric riemann --data covariances.npz --out D.npy
  rao spd distance --distance fisher_rao --stats train-stats.npz`,
		Args: app.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if list {
				return listMetrics(a)
			}
			switch {
			case (stats == "") == (data.Spec == ""):
				return app.Usagef("give either --data (matrices) or --stats (a statistics file)")
			case stats != "" && cmd.Flags().Changed("metric"):
				return app.Usagef("--metric is for --data; with --stats, use --distance")
			case stats == "" && cmd.Flags().Changed("distance"):
				return app.Usagef("--distance is for --stats; with --data, use --metric")
			}
			if stats != "" {
				d, err := gaussian.ParseDissimilarity(distance)
				if err != nil {
					return app.Usagef("--distance: %v", err)
				}
				return gaussianDistances(cmd.Context(), a, stats, d, noise, out)
			}
			d, err := data.OpenMatrices(cmd.Context(), a, "distance", false, memory.Distances)
			if err != nil {
				return err
			}
			var all mat.Dense
			if err := spd.Distances(cmd.Context(), &all, metric, d.Stack, nil); err != nil {
				return fmt.Errorf("%s: %w", data.Spec, err)
			}
			r := &distanceResult{Metric: string(metric), N: d.Stack.Count}
			return emitDistances(a, r, all.RawMatrix().Data, out)
		},
	}
	data.Add(cmd, "data", "SPD matrices, count × order × order")
	app.TextVar(cmd.Flags(), &stats, "stats", "FILE", "", "statistics file: distances between its classes")
	app.MetricVar(cmd.Flags(), &metric, "riemann", "metric of the matrices (see --list)")
	app.TextVar(cmd.Flags(), &distance, "distance", "NAME", "fisher_rao",
		"distance between the classes (see --list)")
	app.OutputFlag(cmd, &out, "out", app.ArrayOutput, "npy file to write the distances to")
	app.NumberFlag(cmd.Flags(), &noise, "noise", 0, 0, 1e300,
		"variance added to every dimension of the classes, for singular covariances")
	cmd.Flags().BoolVar(&list, "list", false, "list the metrics and distances")
	return cmd
}

func listMetrics(a *app.App) error {
	type names struct {
		Matrices  []string `json:"matrices"`
		Gaussians []string `json:"gaussians"`
	}
	n := names{spd.Metrics(), gaussian.Dissimilarities()}
	return a.Emit(n, func() {
		fmt.Fprintln(a.Out, "matrices (--data)")
		for _, m := range n.Matrices {
			fmt.Fprintln(a.Out, "  "+m)
		}
		fmt.Fprintln(a.Out, "Gaussians (--stats)")
		for _, m := range n.Gaussians {
			fmt.Fprintln(a.Out, "  "+m)
		}
	})
}

// gaussianDistances computes the distances between the classes in a statistics file.
func gaussianDistances(ctx context.Context, a *app.App, path string, d gaussian.Dissimilarity,
	noise float64, out string) error {
	s, err := a.ReadStatistics(ctx, path)
	if err != nil {
		return err
	}
	s.AddNoise(noise)
	if err := memory.Check("distance", memory.ClassDistances(s.NumClasses(), s.Dim)); err != nil {
		return err
	}
	r := &distanceResult{Distance: string(d), N: s.NumClasses(), Names: slices.Clone(s.Classes)}
	var all mat.Dense
	if err := s.DissimilarityMatrix(&all, d); err != nil {
		return err
	}
	var lower mat.Dense
	ok, err := classstats.LowerBounds(s, &lower, d)
	if err != nil {
		return err
	}
	if ok {
		r.Lower, r.Upper = square(lower.RawMatrix().Data, r.N), square(all.RawMatrix().Data, r.N)
	}
	return emitDistances(a, r, all.RawMatrix().Data, out)
}

func emitDistances(a *app.App, r *distanceResult, d []float64, out string) error {
	if i := vec.NotFinite(d); i >= 0 {
		return fmt.Errorf("the %s distance between %d and %d (counted from 0) is %v, because one of them is nearly "+
			"singular or very large; for matrices run rao spd check, and for classes add --noise",
			cmp.Or(r.Metric, r.Distance), i/r.N, i%r.N, d[i])
	}
	if out != "" {
		if err := writeNpy(out, d, r.N, r.N); err != nil {
			return err
		}
		r.Out = out
	} else {
		r.Distances = square(d, r.N)
	}
	return a.Emit(r, func() {
		if out != "" {
			fmt.Fprintf(a.Out, "%d × %d %s distances written to %s\n", r.N, r.N, cmp.Or(r.Metric, r.Distance), out)
			return
		}
		printDistances(a, r, d)
	})
}

func printDistances(a *app.App, r *distanceResult, d []float64) {
	n := min(r.N, app.Printable)
	name := func(i int) string {
		if i < len(r.Names) {
			return text.Cell(r.Names[i])
		}
		return fmt.Sprint(i)
	}
	cell := func(i, j int) string { return fmt.Sprintf("%.4f", d[i*r.N+j]) }
	names := 0 // width of the first column
	for i := range n {
		names = max(names, utf8.RuneCountInString(name(i)))
	}
	for width, j := names, 0; j < n; j++ {
		column := utf8.RuneCountInString(name(j))
		for i := range n {
			column = max(column, len(cell(i, j)))
		}
		if width += 2 + column; width > 100 && j > 0 {
			n = j
		}
	}
	header := []string{""}
	rows := make([][]string, n)
	for i := range n {
		header = append(header, name(i))
		rows[i] = []string{name(i)}
		for j := range n {
			rows[i] = append(rows[i], cell(i, j))
		}
	}
	a.Table(header, rows)
	if n < r.N {
		a.Note("only the first %d of %d rows are shown; --out writes all", n, r.N)
	}
	if r.Upper != nil {
		width := 0.0
		for i := range r.N {
			for j := range r.N {
				width = max(width, float64(r.Upper[i][j]-r.Lower[i][j]))
			}
		}
		a.Note("exact Fisher-Rao distances, certified within a bracket of width at most %.3g", width)
	}
}

func square(d []float64, n int) [][]text.Number {
	rows := make([][]text.Number, n)
	for i := range rows {
		rows[i] = make([]text.Number, n)
		for j := range rows[i] {
			rows[i][j] = text.Number(d[i*n+j])
		}
	}
	return rows
}

// writeNpy writes values to an npy file with the given shape. It returns an error if a value is not finite.
func writeNpy(path string, values []float64, shape ...int) error {
	if i := vec.NotFinite(values); i >= 0 {
		row := len(values) / max(1, shape[0])
		return fmt.Errorf("value %d of row %d (counted from 0) would be %v; check the input", i%row, i/row, values[i])
	}
	return archive.WriteFile(path, func(w io.Writer) error {
		return npy.Write(w, &archive.Array{Shape: shape, Float64: values})
	})
}
