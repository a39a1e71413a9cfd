package app

import (
	"context"

	"github.com/spf13/cobra"

	"rao/internal/demo"
)

// DemoPart is a part that another package adds to rao demo, such as --serve. Check runs before the demo, and Run
// after its own parts, with the folder and the result of the demo.
type DemoPart struct {
	Check func() error // checks its flags before the demo starts
	Run   func(ctx context.Context, folder string, r *demo.Result) error
}

var demoParts []func(*App, *cobra.Command) DemoPart

// AfterDemo registers an additional part of rao demo. The function adds flags to the command and returns the part.
func AfterDemo(part func(*App, *cobra.Command) DemoPart) { demoParts = append(demoParts, part) }

// DemoParts adds the flags of the registered parts to the command and returns the parts.
func (a *App) DemoParts(cmd *cobra.Command) (list []DemoPart) {
	for _, part := range demoParts {
		list = append(list, part(a, cmd))
	}
	return list
}
