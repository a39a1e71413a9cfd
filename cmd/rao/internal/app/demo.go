package app

import (
	"context"

	"github.com/spf13/cobra"

	"rao/internal/demo"
)

// DemoPart is an addition to rao demo by another package, such as --serve. Check runs before the demo. Run runs at the
// end, with the folder and the result of the demo.
type DemoPart struct {
	Check func() error // checks the flags of the part
	Run   func(ctx context.Context, folder string, r *demo.Result) error
}

var demoParts []func(*App, *cobra.Command) DemoPart

// AfterDemo registers an addition to rao demo. part adds its flags to the command.
func AfterDemo(part func(*App, *cobra.Command) DemoPart) { demoParts = append(demoParts, part) }

// DemoParts adds the flags of all registered parts to the command and returns the parts.
func (a *App) DemoParts(cmd *cobra.Command) (list []DemoPart) {
	for _, part := range demoParts {
		list = append(list, part(a, cmd))
	}
	return list
}
