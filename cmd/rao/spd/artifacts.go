package spd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
	"rao/dataset"
	"rao/internal/examine"
	"rao/internal/potato"
	"rao/internal/spdmeans"
	"rao/internal/text"
)

type artifactFlags struct {
	fields              string
	out, scores, figure string
	first               int
	rate, limit         float64
	all                 bool
	opt                 potato.Options
}

func artifactsCommand(a *app.App) *cobra.Command {
	var data app.DataFlags
	var f artifactFlags
	cmd := &cobra.Command{
		Use:   "artifacts",
		Short: "Find matrices that are far from the others",
		Long: `Find matrices that are far from the others. A Riemannian potato learns the
distribution of clean matrices and computes a z-score for each matrix. With --fields there
is one potato for each group of channels. --out writes the clean matrices. If the
share of artifacts exceeds --max-share, the exit status is 3. Matrices are numbered from 0.`,
		Example: `  rao spd artifacts --data covariances.npz
  rao spd artifacts --data covariances.npz --first 60 --adapt-rate 0.05 --scores z.csv`,
		Args: app.NoArgs,
	}
	data.Add(cmd, "data", "SPD matrices, count × order × order")
	c := cmd.Flags()
	app.MetricVar(c, &f.opt.Metric, "riemann", "metric of mean and distances")
	app.NumberFlag(c, &f.opt.Threshold, "threshold", 3, 1e-3, 1e6, "z-score at which a matrix is an artifact")
	app.NumberFlag(c, &f.opt.Level, "level", 0.01, 1e-12, 0.5, "with --fields: a matrix is an artifact if its "+
		"combined probability is at most this")
	app.TextVar(c, &f.fields, "fields", "CHANNEL,...;...", "",
		"groups of channels, by name or number from 0; channels separated by commas, groups by semicolons")
	app.CountFlag(c, &f.first, "first", 0, 0, 1<<30,
		"learn from this many matrices, then update with the others in order; 0 learns from all")
	app.NumberFlag(c, &f.rate, "adapt-rate", 0, 0, 0.99, "with --first: update rate for each clean matrix")
	app.NumberFlag(c, &f.limit, "max-share", 0.1, 0, 1, "largest allowed share of artifacts")
	app.OutputFlag(cmd, &f.out, "out", app.DataOutput, "npz file for the clean matrices")
	app.OutputFlag(cmd, &f.scores, "scores", app.ScoresOutput, "csv file for the scores of every matrix")
	app.OutputFlag(cmd, &f.figure, "figure", app.FigureOutput, "svg, png or pdf file for a figure of the scores")
	c.BoolVar(&f.all, "all", false, "list every artifact, not only the first few")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if f.rate > 0 && f.first == 0 {
			return app.Usagef("--adapt-rate is for --first: without --first, the potato learns from all matrices " +
				"at once and is not updated")
		}
		if f.fields == "" && cmd.Flags().Changed("level") {
			return app.Usagef("--level is for --fields; without fields use --threshold")
		}
		return findArtifacts(cmd.Context(), a, &data, &f)
	}
	return cmd
}

// findArtifacts finds matrices that are far from the others.
func findArtifacts(ctx context.Context, a *app.App, data *app.DataFlags, f *artifactFlags) error {
	d, err := data.OpenMatrices(ctx, a, "artifacts", false, spdmeans.Options{Kind: "masked"}.Memory)
	if err != nil {
		return err
	}
	show, done := a.Progress("rao spd artifacts")
	f.opt.Progress = show
	r, err := examine.FindArtifacts(ctx, d, f.fields, f.first, f.rate, f.opt)
	done()
	if err != nil {
		return err
	}
	r.Limit, r.Out, r.Scores, r.Figure = text.Number(f.limit), f.out, f.scores, f.figure
	if err := writeArtifacts(a, r, d); err != nil {
		return err
	}
	if err := a.Emit(r, func() { printArtifacts(a, r, f.all) }); err != nil {
		return err
	}
	if float64(r.Share) > f.limit {
		return &app.LimitError{Found: text.Percent(float64(r.Share)) + " are artifacts"}
	}
	return nil
}

// writeArtifacts writes the matrices that are not artifacts and, if requested, the scores and their figure.
func writeArtifacts(a *app.App, r *examine.Artifacts, d *dataset.Data) error {
	if r.Scores != "" {
		if err := r.WriteScores(r.Scores); err != nil {
			return err
		}
	}
	if r.Figure != "" {
		if err := r.Draw().WriteFile(r.Figure); err != nil {
			return err
		}
	}
	if r.Out == "" {
		return nil
	}
	clean := r.Clean()
	a.MadeFrom(clean, d)
	return dataset.WriteFile(r.Out, clean)
}

func printArtifacts(a *app.App, r *examine.Artifacts, all bool) {
	fmt.Fprintf(a.Out, "%s of order %d: %s (%s)\n", text.Plural(r.Count, "matrix", "matrices"), r.Dim,
		text.Plural(len(r.Artifacts), "artifact", "artifacts"), text.Percent(float64(r.Share)))
	shown := r.Artifacts
	if !all {
		shown = shown[:min(len(shown), 2*worstShown)]
	}
	header := []string{"matrix"}
	for k := range r.Fields {
		name := "z"
		if len(r.Fields) > 1 {
			name = fmt.Sprintf("z of field %d", k)
		}
		header = append(header, name)
	}
	var rows [][]string
	for _, k := range shown {
		row := []string{fmt.Sprint(k)}
		for _, z := range r.Z[k] {
			row = append(row, fmt.Sprintf("%.2f", float64(z)))
		}
		rows = append(rows, append(row, fmt.Sprintf("%.3g", float64(r.P[k]))))
	}
	if len(rows) > 0 {
		a.Table(append(header, "p"), rows)
	}
	if more := len(r.Artifacts) - len(shown); more > 0 {
		fmt.Fprintf(a.Out, "and %d more, which --all lists\n", more)
	}
	if r.Out != "" {
		fmt.Fprintf(a.Out, "clean matrices written to %s\n", r.Out)
	}
	if r.Figure != "" {
		fmt.Fprintf(a.Out, "figure written to %s\n", r.Figure)
	}
}
