package predict

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
	"rao/internal/format/archive"
	"rao/internal/predictions"
	"rao/internal/text"
)

func transformCommand(a *app.App) *cobra.Command {
	var data app.DataFlags
	var out string
	cmd := &cobra.Command{
		Use:   "transform",
		Short: "Compute the features of new data with the stages of a model",
		Long: `Apply the stages of a model to new data and write the result: features, observations ×
filters; tangent vectors for classifiers in a tangent space; or matrices, observations ×
order × order, for models that reduce or filter matrices.`,
		Example: "  rao transform --model model.rao --data test.npz --out features.npy",
		Args:    app.NoArgs,
	}
	path := app.ModelFlag(cmd)
	data.Add(cmd, "data", "data of the shape the model was fitted to")
	data.AddSpan(cmd)
	app.OutputFlag(cmd, &out, "out", app.ArrayOutput, "npy file to write")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		m, err := a.ModelFor(cmd.Context(), *path, &data, &out)
		if err != nil {
			return err
		}
		var z *predictions.Features
		err = archive.WriteFile(out, func(w io.Writer) (err error) {
			z, err = predictions.WriteFeatures(cmd.Context(), w, m, data.Reader(cmd.Context(), a, "transform", m))
			return err
		})
		if err != nil {
			return err
		}
		if z.Matrices {
			r := struct {
				N     int    `json:"n"`
				Order int    `json:"order"`
				Out   string `json:"out"`
			}{z.N, z.Dim, out}
			return a.Emit(r, func() {
				fmt.Fprintf(a.Out, "%s of order %d written to %s\n",
					text.Plural(z.N, "matrix", "matrices"), z.Dim, out)
			})
		}
		r := struct {
			N        int    `json:"n"`
			Features int    `json:"features"`
			Out      string `json:"out"`
		}{z.N, z.Dim, out}
		return a.Emit(r, func() { fmt.Fprintf(a.Out, "%d × %d features written to %s\n", z.N, z.Dim, out) })
	}
	return cmd
}
