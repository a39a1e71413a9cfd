// Package matrices holds the verbs on SPD matrices themselves: means, distances, groups, maps, tests.
package matrices

import "rao/cmd/rao/internal/app"

func init() {
	app.Register(app.GroupLearn, 6, clusterCommand)
	app.Register(app.GroupSee, 3, embedCommand)
	app.Register(app.GroupStatistics, 5, distanceCommand)
	app.Register(app.GroupStatistics, 6, meanCommand)
	app.Register(app.GroupStatistics, 7, manovaCommand)
}
