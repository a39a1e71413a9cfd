package data

import (
	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
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
	cmd.AddCommand(covImagesCommand(a))
	return cmd
}
