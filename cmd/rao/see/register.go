// Package see holds the verbs that show what a model is and what it learned.
package see

import "rao/cmd/rao/internal/app"

func init() {
	app.Register(app.GroupSee, 1, showCommand)
	app.Register(app.GroupSee, 2, plotCommand)
}
