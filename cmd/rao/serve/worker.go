package serve

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
	"rao/internal/memory"
	"rao/internal/serve/worker"
)

// workerCommand returns the command that the Python package runs. It is not intended for users.
func workerCommand(a *app.App) *cobra.Command {
	var arena int
	cmd := &cobra.Command{
		Use:         "worker",
		Annotations: map[string]string{app.Live: "true"},
		Short:       "Answer another program's requests in binary frames",
		Long: "Read requests in binary frames from standard input and write replies to standard output\nuntil the " +
			"input ends. The frames are described in the documentation of package worker.",
		Example: "  rao worker",
		Hidden:  true,
		Args:    app.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if arena >= 0 && arena <= 2 {
				return app.Usagef("--arena %d is a standard stream; use a file descriptor above 2", arena)
			}
			defer memory.Steady()()
			opt := worker.Options{Version: app.Version}
			if arena >= 0 {
				opt.Map = worker.MapArena(uintptr(arena))
			}
			err := worker.Serve(cmd.Context(), a.In, a.Out, opt)
			if errors.Is(err, context.Canceled) {
				return cmd.Context().Err()
			}
			return err
		},
	}
	app.CountFlag(cmd.Flags(), &arena, "arena", -1, -1, 1<<20,
		"inherited file descriptor of shared memory; -1 for none")
	return cmd
}
