package serve

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
	"rao/internal/demo"
	"rao/serve"
)

// serveDemo adds the flags --serve and --addr to rao demo. With --serve, the command serves the models of the demo when
// the demo has ended.
func serveDemo(a *app.App, cmd *cobra.Command) app.DemoPart {
	var open bool
	opt := serve.ListenOptions{Reload: 2 * time.Second}
	cmd.Long += `

--serve then serves these models, and a model of a simulated signal, as rao serve does.
The web page shows the models, lets you try them, replays the signal and compares the
methods.`
	cmd.Example += "\n  rao demo --serve"
	cmd.Flags().BoolVar(&open, "serve", false, "when done, serve the models and a page until Ctrl-C")
	app.TextVar(cmd.Flags(), &opt.Addr, "addr", "HOST:PORT", "127.0.0.1:8080",
		"with --serve: address and port to listen on; port 0 picks a free port")
	check := func() error {
		if cmd.Flags().Changed("addr") && !open {
			return app.Usagef("--addr needs --serve")
		}
		return nil
	}
	run := func(ctx context.Context, folder string, r *demo.Result) (err error) {
		if !open {
			return nil
		}
		opt.Models = []string{folder}
		if opt.Results, err = r.WriteResults(folder); err != nil {
			return err
		}
		if opt.Replays, err = demo.WriteSignals(ctx, folder); err != nil {
			return err
		}
		return listen(ctx, a, opt)
	}
	return app.DemoPart{Check: check, Run: run}
}
