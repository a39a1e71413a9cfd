// Package eeg contains the commands of rao eeg, for recordings of brain signals and for live signals.
package eeg

import (
	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
)

func init() {
	app.Register("data", 1, datasetRecordingCommand)
	app.Register(app.GroupData, 4, eegCommand)
}

func eegCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "eeg",
		Short: "Recordings and live signals: covariances and decisions",
		Long: `Turn recordings and epochs into matrices or trials, clean recordings, and decide on live
signals: calibrate on a stream and its markers, decide on a stream, and play a recording
as a stream. Recordings are arguments, and arrays of epochs are --data.`,
		Example: `  rao eeg cov a.gdf b.gdf --classes left=769,right=770 --stop 2.5 --out P.npz
  rao eeg stream session3.gdf --model model.rao`,
	}
	cmd.AddCommand(covEEGCommand(a), covEpochsCommand(a), cleanCommand(a), convertCommand(a),
		streamCommand(a), calibrateCommand(a),
		scoreCommand(a), stoppingCommand(a), reportCommand(a),
		lslCommand(a), playCommand(a))
	return cmd
}
