// Package serve contains the commands rao serve, rao export, rao worker and rao demo --serve.
package serve

import "rao/cmd/rao/internal/app"

func init() {
	app.Register(app.GroupDecide, 5, serveCommand)
	app.Register(app.GroupDecide, 6, exportCommand)
	app.Register(app.GroupProgram, 4, workerCommand)
	app.AfterDemo(serveDemo)
}
