package show

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
	"rao/dataset"
	"rao/internal/examine"
	"rao/internal/text"
	"rao/model"
)

// driftShown is the number of columns listed without --all.
const driftShown = 10

func driftCommand(a *app.App) *cobra.Command {
	var data app.DataFlags
	var modelPath, limit string
	var all bool
	cmd := &cobra.Command{
		Use:   "drift",
		Short: "Compare new data with the training data of a model",
		Long: `Compare data, vectors or matrices, with the training data of a model: the shift of each
column or of the power of each channel, the share of outliers, missing values and texts
that are not in the training data, and the class proportions of the decisions. If a value
exceeds --limit, the exit status is 3. A shift must exceed its limit by three standard
errors.`,
		Example: `  rao drift --model model.rao --data today.csv
  rao drift --model model.rao --data today.csv --limit shift=0.5,outliers=0.05`,
		Args: app.NoArgs,
	}
	data.Add(cmd, "data", "data of the shape the model was fitted to")
	app.TextVar(cmd.Flags(), &modelPath, "model", "FILE", "", "model file that rao fit wrote")
	app.TextVar(cmd.Flags(), &limit, "limit", "NAME=NUMBER,...", "",
		"largest allowed values, numbers of 0 or more; by default "+
			strings.ReplaceAll(examine.DefaultLimits, ",", ", "))
	cmd.Flags().BoolVar(&all, "all", false, "list every column, not only the first few")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := app.Required("model", modelPath); err != nil {
			return err
		}
		return drift(cmd.Context(), a, modelPath, &data, limit, all)
	}
	return cmd
}

// drift compares data with the training data of a model.
func drift(ctx context.Context, a *app.App, path string, data *app.DataFlags, limit string, all bool) error {
	limits, err := examine.ParseLimits(limit)
	if err != nil {
		return app.Usagef("%v", err)
	}
	m, err := a.ModelFor(ctx, path, data, nil)
	if err != nil {
		return err
	}
	w, err := m.WatchDrift(0)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	err = data.Blocks(ctx, a, false, func(d *dataset.Data, _ int) error {
		if err := w.Add(ctx, model.BatchOf(d)); err != nil {
			return fmt.Errorf("%s: %w", d.Source, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	r := examine.Judge(w.Drift(), limits)
	if err := a.Emit(r, func() { printDrift(a, r, m.Input.Kind, all) }); err != nil {
		return err
	}
	if len(r.Beyond) > 0 {
		return &app.LimitError{Found: strings.Join(r.Beyond[:min(len(r.Beyond), 5)], "; ")}
	}
	return nil
}

func printDrift(a *app.App, r *examine.Drift, kind model.Kind, all bool) {
	what, note := "column", "shift of the mean in standard deviations of the training data"
	if kind == model.KindMatrices {
		what, note = "channel", "shift of the mean logarithm of power in standard deviations of the training data"
	}
	fmt.Fprintf(a.Out, "%s; %s\n", text.Plural(r.N, "observation", "observations"), note)
	shown := len(r.Values)
	if !all {
		shown = min(shown, driftShown)
	}
	var rows [][]string
	for _, c := range r.Values[:shown] {
		rows = append(rows, []string{c.Name, fmt.Sprintf("%+.3f", c.Shift), fmt.Sprintf("%.3f", c.Spread),
			text.Percent(c.Missing)})
	}
	a.Table([]string{what, "shift", "spread", "missing"}, rows)
	if more := len(r.Values) - shown; more > 0 {
		fmt.Fprintf(a.Out, "and %d with smaller shifts, which --all lists\n", more)
	}
	rows = nil
	for _, c := range r.Columns {
		if c.Missing > 0 || c.Training > 0 || c.Unseen > 0 {
			rows = append(rows, []string{text.Cell(c.Name), text.Percent(c.Missing), text.Percent(c.Training),
				text.Percent(c.Unseen)})
		}
	}
	if rows = rows[:min(len(rows), app.Printable)]; len(rows) > 0 {
		fmt.Fprintln(a.Out)
		a.Table([]string{"column of the table", "missing", "in training", "unseen texts"}, rows)
	}
	if len(r.Shares) == 0 {
		return
	}
	fmt.Fprintf(a.Out, "\noutliers %s; balance of the classes differs by %.3f\n", text.Percent(float64(r.Outliers)),
		float64(r.Balance))
	rows = nil
	for _, c := range r.Shares[:min(len(r.Shares), app.Printable)] {
		rows = append(rows, []string{text.Cell(c.Class), text.Percent(c.Training), text.Percent(c.Decided)})
	}
	a.Table([]string{"class", "training", "decided"}, rows)
}
