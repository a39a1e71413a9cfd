// Package show holds the verbs show, plot and drift: what a model is, what it learned, and how new data differ.
package show

import "rao/cmd/rao/internal/app"

func init() {
	app.Register(app.GroupSee, 1, showCommand)
	app.Register(app.GroupSee, 2, plotCommand)
	app.Register(app.GroupSee, 4, driftCommand)
}
