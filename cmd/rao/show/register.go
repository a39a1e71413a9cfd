// Package show holds the verbs show and plot: what a model is and what it learned.
package show

import "rao/cmd/rao/internal/app"

func init() {
	app.Register(app.GroupSee, 1, showCommand)
	app.Register(app.GroupSee, 2, plotCommand)
}
