package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
	"rao/dataset"
	"rao/internal/text"
)

func covCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cov",
		Short: "Covariance descriptors of images, of EEG trials and of epochs",
		Long: "Turn images or EEG recordings into symmetric positive definite matrices, on which the\nmethods of " +
			"the manifold learn.",
		Example: `  rao cov images --data photos --features 9x9 --out P.npz
  rao cov eeg session1.gdf session2.gdf --classes left=769,right=770 --start 0.5 --stop 2.5 --bands 8-30 --out P.npz`,
	}
	cmd.AddCommand(covImagesCommand(a), covEEGCommand(a), covEpochsCommand(a))
	return cmd
}

// covResult is what both kinds print.
type covResult struct {
	N       int      `json:"n"`
	Dim     int      `json:"dim"` // order of the matrices, or length of the vectors
	Classes []string `json:"classes,omitempty"`
	Skipped []string `json:"skipped,omitempty"`
	Out     string   `json:"out"`
}

func saveCovariances(a *app.App, out string, d *dataset.Data, skipped []string) error {
	if err := dataset.WriteFile(out, d); err != nil {
		return err
	}
	for _, s := range skipped {
		a.Note("left out: %s", s)
	}
	if d.Stack == nil {
		_, dim := d.X.Dims()
		r := covResult{d.N(), dim, d.Classes, skipped, out}
		return a.Emit(r, func() { fmt.Fprintf(a.Out, "%d vectors of %d values written to %s\n", r.N, r.Dim, out) })
	}
	r := covResult{d.Stack.Count, d.Stack.Dim, d.Classes, skipped, out}
	return a.Emit(r, func() {
		fmt.Fprintf(a.Out, "%s of order %d written to %s\n", text.Plural(r.N, "matrix", "matrices"), r.Dim, out)
	})
}
