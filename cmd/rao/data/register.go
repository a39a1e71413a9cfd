// Package data holds the verbs that list, fetch, make, summarize and check data.
package data

import "rao/cmd/rao/internal/app"

func init() {
	app.Register(app.GroupBegin, 3, dataCommand)
	app.Register(app.GroupSee, 4, verifyCommand)
	app.Register(app.GroupStatistics, 1, statsCommand)
	app.Register(app.GroupStatistics, 2, covCommand)
}
