package predict

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
	"rao/internal/format/archive"
	"rao/internal/predictions"
	"rao/internal/text"
)

func predictCommand(a *app.App) *cobra.Command {
	var data app.DataFlags
	var out string
	var below, threshold float64
	cmd := &cobra.Command{
		Use:   "predict",
		Short: "Predict labels and class probabilities for new data",
		Long: `Classify new data. The output has a row for each observation: the label,
whether it is rejected, whether it is an outlier (far from the training data, or farther
from every prototype than fit --reject-outliers allows), and the probability of each class.
An observation is rejected if it is an outlier or its largest probability is below
--reject-below. The extension of --out sets the format: csv, json,
jsonl (one object per line) or parquet.

For a model that rao spd regress wrote, the csv contains the predicted numbers in a column
predicted_TARGET.`,
		Example: "  rao predict --model model.rao --data new.npz --out y.csv --reject-below 0.8",
		Args:    app.NoArgs,
	}
	path := app.ModelFlag(cmd)
	data.Add(cmd, "data", "data of the shape the model was fitted to")
	data.AddSpan(cmd)
	app.OutputFlag(cmd, &out, "out", app.PredictionOutput, "csv, json, jsonl or parquet file to write")
	app.NumberFlag(cmd.Flags(), &below, "reject-below", 0, 0, 1,
		"reject observations whose largest probability is below this; by default the model's own threshold")
	app.NumberFlag(cmd.Flags(), &threshold, "threshold", 0, 0, 1,
		"with two classes: decide for the last class at or above this probability; by default the model's own "+
			"threshold; 0 decides for the more probable class")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		given := cmd.Flags().Changed("reject-below")
		m, err := a.ModelFor(cmd.Context(), *path, &data, &out)
		if err != nil {
			return err
		}
		if m.Target() != "" {
			if ext := strings.ToLower(filepath.Ext(out)); ext != ".csv" && ext != ".txt" {
				return app.Usagef("--out %s: predicted numbers are written as csv; use the extension .csv", out)
			}
			return predictValues(cmd.Context(), a, m, &data, out, given)
		}
		if given {
			m.RejectBelow = below
		}
		if cmd.Flags().Changed("threshold") {
			if m, err = m.WithThreshold(threshold); err != nil {
				return app.Usagef("--threshold: %v", err)
			}
		}
		var p *predictions.Summary
		err = archive.WriteFile(out, func(w io.Writer) (err error) {
			p, err = writePredictions(cmd.Context(), out, w, m, data.Reader(cmd.Context(), a, "predict", m))
			return err
		})
		if err != nil {
			return err
		}
		for _, s := range p.Notes {
			a.Note("%s: %s", p.Source, s)
		}
		r := struct {
			N        int    `json:"n"`
			Rejected int    `json:"rejected"`
			Out      string `json:"out"`
		}{p.N, p.Rejected, out}
		return a.Emit(r, func() {
			fmt.Fprintf(a.Out, "%s written to %s", text.Plural(r.N, "prediction", "predictions"), out)
			if m.RejectBelow > 0 || p.Rejected > 0 {
				fmt.Fprintf(a.Out, ", %d rejected", p.Rejected)
			}
			fmt.Fprintln(a.Out)
		})
	}
	return cmd
}
