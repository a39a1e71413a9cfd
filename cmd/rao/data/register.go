// Package data contains the commands that list, download, generate, summarize and check data.
package data

import "rao/cmd/rao/internal/app"

func init() {
	app.Register(app.GroupData, 1, dataCommand)
	app.Register(app.GroupSee, 4, verifyCommand)
	app.Register(app.GroupData, 2, statsCommand)
}
