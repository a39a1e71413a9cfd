// Package predict contains the commands that apply a model to data: predict, evaluate and transform.
package predict

import "rao/cmd/rao/internal/app"

func init() {
	app.Register(app.GroupDecide, 1, predictCommand)
	app.Register(app.GroupDecide, 2, evaluateCommand)
	app.Register(app.GroupDecide, 3, transformCommand)
}
