package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"

	"rao/cluster"
	"rao/dataset"
	"rao/internal/memory"
	"rao/internal/suggest"
	"rao/internal/text"
	"rao/report"
	"rao/spd"
)

// embedFlags are what rao embed is asked for.
type embedFlags struct {
	method, metric, out, figure string
	opt                         cluster.EmbedOptions
}

// embedResult is what embed prints; its JSON names do not change.
type embedResult struct {
	Method string  `json:"method"`
	Metric string  `json:"metric"`
	N      int     `json:"n"`
	Error  *number `json:"error,omitempty"` // of lle, the sum of its eigenvalues
	Out    string  `json:"out,omitempty"`
	Figure string  `json:"figure,omitempty"`
}

func embedCommand(a *app) *cobra.Command {
	var data dataFlags
	var f embedFlags
	cmd := &cobra.Command{
		Use:   "embed",
		Short: "A map of SPD matrices in two dimensions",
		Long: `Coordinates for each matrix, near ones together: spectral by diffusion maps of their
distances, lle by locally linear embedding in their tangent spaces. --out writes the
coordinates, --figure draws the first two in the colors of the classes.`,
		Example: `  rao embed --data P.npz --out E.npy --figure map.svg`,
		Args:    noArgs,
	}
	data.add(cmd, "data", "SPD matrices, count × order × order")
	c := cmd.Flags()
	textVar(c, &f.method, "method", "spectral|lle", "spectral", "spectral or lle")
	textVar(c, &f.metric, "metric", "METRIC", "riemann", "metric of the distances (rao distance --list)")
	countFlag(c, &f.opt.Components, "components", 2, 1, 100000, "coordinates")
	countFlag(c, &f.opt.Neighbors, "neighbors", 5, 1, 100000, "neighbors of lle")
	numberFlag(c, &f.opt.Scale, "scale", 0, 0, 1e300, "squared distance at which spectral takes matrices for near; 0 "+
		"takes half the squared median")
	outputFlag(cmd, &f.out, "out", arrayOutput, "npy file for the coordinates")
	outputFlag(cmd, &f.figure, "figure", figureOutput, "svg, png or pdf file for the picture")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := f.check(cmd); err != nil {
			return err
		}
		d, err := data.open(cmd.Context(), a, "data", false)
		if err != nil {
			return err
		}
		if d.Stack == nil {
			return fmt.Errorf("%s holds vectors; embed maps SPD matrices (rao cov makes them)", d.Source)
		}
		if err := memory.Check("embed", memory.Distances(2*d.N(), d.Stack.Dim)); err != nil {
			return err
		}
		return a.embed(cmd.Context(), d, &f)
	}
	return cmd
}

func (f *embedFlags) check(cmd *cobra.Command) error {
	m, err := spd.LookupMetric(f.metric)
	if err != nil {
		return &usageError{msg: err.Error()}
	}
	f.metric, f.opt.Metric = string(m), m
	switch {
	case f.method != "spectral" && f.method != "lle":
		return usagef("--method: %v", suggest.Unknown("method", f.method, []string{"spectral", "lle"}))
	case f.method == "spectral" && cmd.Flags().Changed("neighbors"):
		return usagef("--neighbors is for --method lle")
	case f.method == "lle" && cmd.Flags().Changed("scale"):
		return usagef("--scale is for --method spectral")
	case f.out == "" && f.figure == "":
		return usagef("give --out, --figure or both: where the map goes")
	case f.figure != "" && f.opt.Components < 2:
		return usagef("--figure draws two coordinates; leave --components out")
	}
	return nil
}

func (a *app) embed(ctx context.Context, d *dataset.Data, f *embedFlags) error {
	r := &embedResult{Method: f.method, Metric: f.metric, N: d.N(), Out: f.out, Figure: f.figure}
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
	return a.emit(r, func() {
		for _, path := range []string{f.out, f.figure} {
			if path != "" {
				fmt.Fprintf(a.out, "%s map of %s written to %s\n", r.Method, plural(r.N, "matrix", "matrices"), path)
			}
		}
	})
}

// drawMap draws the first two coordinates, a color a class.
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
	title := "Spectral map of " + plural(d.N(), "matrix", "matrices")
	if f.method == "lle" {
		title = "Locally linear map of " + plural(d.N(), "matrix", "matrices")
	}
	return report.Scatter(title, groups, report.PlotOptions{X: report.Axis{Label: "first coordinate"},
		Y: report.Axis{Label: "second coordinate"}})
}
