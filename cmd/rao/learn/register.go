// Package learn contains the command methods, and the commands that learn from data: fit, tune and update.
package learn

import "rao/cmd/rao/internal/app"

func init() {
	app.Register(app.GroupBegin, 2, methodsCommand)
	app.Register(app.GroupLearn, 1, fitCommand)
	app.Register(app.GroupLearn, 3, tuneCommand)
	app.Register(app.GroupLearn, 5, updateCommand)
}
