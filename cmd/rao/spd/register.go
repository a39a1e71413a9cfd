// Package spd contains the commands of rao spd: covariances of images, and means, distances, checks, clusters,
// embeddings and tests of SPD matrices.
package spd

import (
	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
)

func init() {
	app.Register(app.GroupData, 3, spdCommand)
}

func spdCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "spd",
		Short: "SPD matrices: means, distances, checks, groups, tests",
		Long: `Work with symmetric positive definite matrices: compute means and distances, check them,
group them, map them, and test differences. rao fit, compare and study learn classes from
them.`,
		Example: `  rao spd mean --data P.npz --out mean.npy
  rao spd check --data P.npz
  rao spd distance --data P.npz --metric riemann`,
	}
	cmd.AddCommand(meanCommand(a), distanceCommand(a), checkCommand(a), artifactsCommand(a), clusterCommand(a),
		embedCommand(a), imagesCommand(a), manovaCommand(a), regressCommand(a))
	return cmd
}
