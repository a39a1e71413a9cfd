// Package compare contains the commands compare and study.
package compare

import "rao/cmd/rao/internal/app"

func init() {
	app.Register(app.GroupLearn, 2, compareCommand)
	app.Register(app.GroupLearn, 4, studyCommand)
}
