// Package show contains the commands show, plot and drift. They describe a model, draw what it learned, and compare new
// data with its training data.
package show

import "rao/cmd/rao/internal/app"

func init() {
	app.Register(app.GroupSee, 1, showCommand)
	app.Register(app.GroupSee, 2, plotCommand)
	app.Register(app.GroupSee, 4, driftCommand)
}
