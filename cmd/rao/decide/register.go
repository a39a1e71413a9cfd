// Package decide contains the commands that apply a model to data: predict, evaluate and transform.
package decide

import "rao/cmd/rao/internal/app"

func init() {
	app.Register(app.GroupDecide, 1, predictCommand)
	app.Register(app.GroupDecide, 2, evaluateCommand)
	app.Register(app.GroupDecide, 3, transformCommand)
}
