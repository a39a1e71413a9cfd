package spd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"

	"rao/cluster"
	"rao/cmd/rao/internal/app"
	"rao/dataset"
	"rao/internal/memory"
	"rao/internal/text"
	"rao/report"
)

type embedFlags struct {
	method, out, figure string
	opt                 cluster.EmbedOptions
}

// embedResult is the JSON output of rao spd embed. The names in the JSON are stable.
type embedResult struct {
	Method string       `json:"method"`
	Metric string       `json:"metric"`
	N      int          `json:"n"`
	Error  *text.Number `json:"error,omitempty"` // for lle: the sum of its eigenvalues
	Out    string       `json:"out,omitempty"`
	Figure string       `json:"figure,omitempty"`
}

func embedCommand(a *app.App) *cobra.Command {
	var data app.DataFlags
	var f embedFlags
	cmd := &cobra.Command{
		Use:   "embed",
		Short: "Map SPD matrices to two dimensions",
		Long: `Compute coordinates that place similar matrices close together: spectral is a diffusion
map of their distances, lle is locally linear embedding in their tangent spaces. --out
writes the coordinates, and --figure draws the first two, colored by class.`,
		Example: `  rao spd embed --data P.npz --out E.npy --figure map.svg`,
		Args:    app.NoArgs,
	}
	data.Add(cmd, "data", "SPD matrices, count × order × order")
	c := cmd.Flags()
	app.TextVar(c, &f.method, "method", "spectral|lle", "spectral", "spectral or lle")
	app.MetricVar(c, &f.opt.Metric, "riemann", "metric of the distances (rao spd distance --list)")
	app.CountFlag(c, &f.opt.Components, "components", 2, 1, 100000, "number of coordinates")
	app.CountFlag(c, &f.opt.Neighbors, "neighbors", 5, 1, 100000, "with lle: number of neighbors")
	app.NumberFlag(c, &f.opt.Gamma, "gamma", 0, 0, 1e300,
		"with spectral: gamma of the kernel exp(-gamma d²); 0 uses 1 over twice the squared median distance")
	app.OutputFlag(cmd, &f.out, "out", app.ArrayOutput, "npy file for the coordinates")
	app.OutputFlag(cmd, &f.figure, "figure", app.FigureOutput, "svg, png or pdf file for the figure")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := f.check(cmd); err != nil {
			return err
		}
		needs := func(count, order int) memory.Footprint { return memory.Distances(2*count, order) }
		d, err := data.OpenMatrices(cmd.Context(), a, "embed", false, needs)
		if err != nil {
			return err
		}
		return embed(cmd.Context(), a, d, &f)
	}
	return cmd
}

func (f *embedFlags) check(cmd *cobra.Command) error {
	switch {
	case f.method == "spectral" && cmd.Flags().Changed("neighbors"):
		return app.Usagef("--neighbors needs --method lle")
	case f.method == "lle" && cmd.Flags().Changed("gamma"):
		return app.Usagef("--gamma needs --method spectral")
	case f.out == "" && f.figure == "":
		return app.Usagef("give --out or --figure, a file for the map")
	case f.figure != "" && f.opt.Components < 2:
		return app.Usagef("--figure draws two coordinates; leave out --components")
	}
	return nil
}

func embed(ctx context.Context, a *app.App, d *dataset.Data, f *embedFlags) error {
	r := &embedResult{Method: f.method, Metric: string(f.opt.Metric), N: d.N(), Out: f.out, Figure: f.figure}
	var at mat.Dense
	var err error
	if f.method == "lle" {
		var sum float64
		sum, err = cluster.LocallyLinearEmbedding(ctx, &at, d.Stack, f.opt)
		r.Error = text.Optional(sum)
	} else {
		err = cluster.SpectralEmbedding(ctx, &at, d.Stack, f.opt)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", d.Source, err)
	}
	if f.out != "" {
		if err := writeNpy(f.out, at.RawMatrix().Data, d.N(), f.opt.Components); err != nil {
			return err
		}
	}
	if f.figure != "" {
		if err := drawMap(d, &at, f).WriteFile(f.figure); err != nil {
			return err
		}
	}
	return a.Emit(r, func() {
		for _, path := range []string{f.out, f.figure} {
			if path != "" {
				fmt.Fprintf(a.Out, "%s map of %s written to %s\n", r.Method, text.Plural(r.N, "matrix", "matrices"),
					path)
			}
		}
	})
}

// drawMap draws the first two coordinates with one color per class.
func drawMap(d *dataset.Data, at *mat.Dense, f *embedFlags) *report.Figure {
	groups := []report.Points{{}}
	if d.Labels != nil {
		groups = make([]report.Points, len(d.Classes))
		for k, name := range d.Classes {
			groups[k].Name = name
		}
	}
	for i := range d.N() {
		k := 0
		if d.Labels != nil {
			k = d.Labels[i]
		}
		groups[k].X, groups[k].Y = append(groups[k].X, at.At(i, 0)), append(groups[k].Y, at.At(i, 1))
	}
	title := "Spectral map of " + text.Plural(d.N(), "matrix", "matrices")
	if f.method == "lle" {
		title = "Locally linear map of " + text.Plural(d.N(), "matrix", "matrices")
	}
	return report.Scatter(title, groups, report.PlotOptions{X: report.Axis{Label: "first coordinate"},
		Y: report.Axis{Label: "second coordinate"}})
}
