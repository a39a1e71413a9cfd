package data

import (
	"fmt"

	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
	"rao/dataset"
	"rao/internal/grayimages"
	"rao/internal/text"
)

func datasetDeskewCommand(a *app.App) *cobra.Command {
	var data app.DataFlags
	var size, out string
	cmd := &cobra.Command{
		Use:   "deskew",
		Short: "Center gray images and shear them upright",
		Long: `Center each gray image on its center of mass, and shear its rows until it is upright, as
is usual for handwritten digits. Images must be light on a background of 0. Labels and
other variables are kept. Each image is deskewed from its own pixels only, so training
and test images are treated in the same way.`,
		Example: `  rao data deskew --data mnist:train --out train.npz
  rao data deskew --data digits.csv --size 8x8 --out digits.npz`,
		Args: app.NoArgs,
	}
	data.Add(cmd, "data", "images: the name of a set, IDX, npz, a folder of class folders, or rows of pixels with "+
		"--size")
	app.TextVar(cmd.Flags(), &size, "size", "ROWSxCOLS", "", "size of an image, for data without an image "+
		"size")
	app.OutputFlag(cmd, &out, "out", app.DataOutput, "npz file to write: X, and y if there are labels")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := app.Required("out", out); err != nil {
			return err
		}
		var opt grayimages.DeskewOptions
		var err error
		if opt.Rows, opt.Cols, err = app.ParseSize("size", size); err != nil {
			return err
		}
		d, err := data.Open(cmd.Context(), a, "data", false)
		if err != nil {
			return err
		}
		crooked := d
		if d, err = grayimages.Deskew(cmd.Context(), d, opt); err != nil {
			return err
		}
		a.MadeFrom(d, crooked)
		if err := dataset.WriteFile(out, d); err != nil {
			return err
		}
		r := struct {
			N    int    `json:"n"`
			Rows int    `json:"rows"`
			Cols int    `json:"cols"`
			Out  string `json:"out"`
		}{d.N(), d.Image[0], d.Image[1], out}
		return a.Emit(r, func() {
			fmt.Fprintf(a.Out, "%s of %d×%d pixels written to %s\n",
				text.Plural(r.N, "image", "images"), r.Rows, r.Cols, out)
		})
	}
	return cmd
}
