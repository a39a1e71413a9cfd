package spd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
	"rao/dataset"
	"rao/internal/examine"
	"rao/internal/memory"
	"rao/internal/potato"
	"rao/internal/text"
	"rao/spd"
)

// artifactFlags are the flags of check --artifacts.
type artifactFlags struct {
	on             bool
	fields, scores string
	figure         string
	first          int
	rate           float64
	opt            potato.Options
	metric         string
}

func (f *artifactFlags) add(cmd *cobra.Command) {
	c := cmd.Flags()
	c.BoolVar(&f.on, "artifacts", false, "find matrices that are far from the others")
	app.TextVar(c, &f.metric, "metric", "METRIC", "riemann", "with --artifacts: metric of mean and distances")
	app.NumberFlag(c, &f.opt.Threshold, "threshold", 3, 1e-3, 1e6, "with --artifacts: z-score at which a matrix "+
		"is an artifact")
	app.NumberFlag(c, &f.opt.Level, "level", 0.01, 1e-12, 0.5, "with --fields: a matrix is an artifact if its "+
		"combined probability is below this")
	app.TextVar(c, &f.fields, "fields", "CHANNEL,...;...", "",
		"with --artifacts: groups of channels, by name or number from 0; channels separated by commas, groups "+
			"by semicolons")
	app.CountFlag(c, &f.first, "first", 0, 0, 1<<30,
		"with --artifacts: learn from this many matrices, then update with the others in order; 0 learns from all")
	app.NumberFlag(c, &f.rate, "rate", 0, 0, 0.99, "with --first: update rate for each clean matrix")
	app.OutputFlag(cmd, &f.scores, "scores", app.ScoresOutput,
		"with --artifacts: csv file for the scores of every matrix")
	app.OutputFlag(cmd, &f.figure, "figure", app.FigureOutput,
		"with --artifacts: svg, png or pdf file for a figure of the scores")
}

// artifactNames are the flags that only --artifacts has.
var artifactNames = []string{"metric", "threshold", "level", "fields", "first", "rate", "scores",
	"figure"}

// check refuses flags that contradict each other.
func (f *artifactFlags) check(cmd *cobra.Command, model string) error {
	if !f.on {
		for _, name := range artifactNames {
			if cmd.Flags().Changed(name) {
				return app.Usagef("--%s is for --artifacts", name)
			}
		}
		return nil
	}
	m, err := spd.LookupMetric(f.metric)
	if err != nil {
		return app.Usagef("%v", err)
	}
	f.opt.Metric = m
	for _, name := range []string{"repair", "rank-tol", "max-condition"} {
		if cmd.Flags().Changed(name) {
			return app.Usagef("--artifacts leaves matrices as they are, and --%s is for their repair", name)
		}
	}
	switch {
	case model != "":
		return app.Usagef("--model asks for drift, and --artifacts uses only the matrices; use one at a time")
	case f.rate > 0 && f.first == 0:
		return app.Usagef("--rate is for --first: what is learned from all matrices follows none")
	case f.fields == "" && cmd.Flags().Changed("level"):
		return app.Usagef("--level is for --fields; one field has a --threshold")
	}
	return nil
}

// checkArtifacts finds matrices that lie far from the others.
func checkArtifacts(ctx context.Context, a *app.App, data *app.DataFlags, f *artifactFlags, limit, out string,
	all bool) error {
	most, err := examine.ParseArtifactLimit(limit)
	if err != nil {
		return app.AsUsage(err)
	}
	d, err := data.Open(ctx, a, "data", false)
	if err != nil {
		return err
	}
	if d.Stack == nil {
		return fmt.Errorf("%s holds vectors; --artifacts needs SPD matrices (rao spd images and rao eeg cov make "+
			"them)", d.Source)
	}
	if err := memory.Check("check", memory.Mean(d.Stack.Count, d.Stack.Dim, "masked")); err != nil {
		return err
	}
	r, err := examine.FindArtifacts(ctx, d, f.fields, f.first, f.rate, f.opt)
	if err != nil {
		return err
	}
	r.Limit, r.Out, r.Scores, r.Figure = text.Number(most), out, f.scores, f.figure
	if err := writeArtifacts(a, r, d); err != nil {
		return err
	}
	if err := a.Emit(r, func() { printArtifacts(a, r, all) }); err != nil {
		return err
	}
	if float64(r.Share) > most {
		return &driftError{fmt.Sprintf("beyond the limit: %s are artifacts", text.Percent(float64(r.Share)))}
	}
	return nil
}

// writeArtifacts writes the clean matrices, the scores and their figure where that is asked for.
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
		fmt.Fprintf(a.Out, "picture written to %s\n", r.Figure)
	}
}
