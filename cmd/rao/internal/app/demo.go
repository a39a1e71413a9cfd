package app

import (
	"context"

	"github.com/spf13/cobra"

	"rao/internal/demo"
)

// DemoPart is an additional part of the demo.
type DemoPart struct {
	Check func() error // of its flags, before the demo
	Run   func(ctx context.Context, folder string, r *demo.Result) error
}

var demoParts []func(*App, *cobra.Command) DemoPart

// AfterDemo registers a part of rao demo: a function that adds its flags to the verb, and returns
// what is done.
func AfterDemo(part func(*App, *cobra.Command) DemoPart) { demoParts = append(demoParts, part) }

// DemoParts adds the registered parts to the verb.
func (a *App) DemoParts(cmd *cobra.Command) (list []DemoPart) {
	for _, part := range demoParts {
		list = append(list, part(a, cmd))
	}
	return list
}
