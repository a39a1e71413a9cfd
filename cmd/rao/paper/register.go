// Package paper contains the commands for the tables and figures of the papers, and for timings.
package paper

import "rao/cmd/rao/internal/app"

func init() { app.Register(app.GroupProgram, 2, paperCommand) }
