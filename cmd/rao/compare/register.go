// Package compare contains the commands methods, compare and study.
package compare

import "rao/cmd/rao/internal/app"

func init() {
	app.Register(app.GroupBegin, 2, methodsCommand)
	app.Register(app.GroupLearn, 2, compareCommand)
	app.Register(app.GroupLearn, 4, studyCommand)
}
