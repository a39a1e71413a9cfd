// Package eeg holds the verbs on recordings of brain signals and on live signals.
package eeg

import "rao/cmd/rao/internal/app"

func init() {
	app.Register("data", 1, datasetRecordingCommand)
	app.Register(app.GroupDecide, 4, streamCommand)
	app.Register("cov", 1, covEEGCommand)
	app.Register("cov", 2, covEpochsCommand)
	app.Register(app.GroupStatistics, 3, cleanCommand)
	app.Register(app.GroupLive, 1, calibrateCommand)
	app.Register(app.GroupLive, 2, lslCommand)
	app.Register(app.GroupLive, 3, playCommand)
}
