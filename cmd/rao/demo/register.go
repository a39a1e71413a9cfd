// Package demo contains the command that shows the main tasks with embedded data.
package demo

import "rao/cmd/rao/internal/app"

func init() {
	app.Register(app.GroupBegin, 1, demoCommand)
}
