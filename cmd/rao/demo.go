package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
	eegdemo "rao/eeg/demo"
	"rao/internal/demo"
	"rao/internal/text"
	"rao/study"
)

func demoCommand(a *app.App) *cobra.Command {
	dir := "rao-demo"
	var open bool
	s := server{reload: 2, maxBodyMB: 64}
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "The main jobs on embedded data, from file to picture",
		Long: `Learn filters for handwritten digits with SQFA and the methods it is compared with,
learn prototypes for SPD matrices with PLRSQ, tell textures by covariance descriptors,
print what comes out, and write a page with the figures, the figures themselves, and a
model that the other verbs take.

--serve then serves what was learned, with a model of simulated EEG beside it, as rao
serve does: a page to see the models, try them, replay the EEG and compare the methods.`,
		Example: "  rao demo --out rao-demo\n  rao demo --serve\n  rao demo eeg",
		Args:    app.NoArgs,
	}
	app.OutputFlag(cmd, &dir, "out", app.FolderOutput, "folder for the page, the figures and the model")
	cmd.Flags().BoolVar(&open, "serve", false, "serve the models and a page when all is done, until Ctrl-C")
	app.TextVar(cmd.Flags(), &s.addr, "addr", "HOST:PORT", "127.0.0.1:8080",
		"with --serve: address and port to listen on; port 0 "+
			"takes a free one")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if cmd.Flags().Changed("addr") && !open {
			return app.Usagef("--addr is for --serve")
		}
		if err := app.MakeFolder(dir); err != nil {
			return err
		}
		r, err := demo.Run(cmd.Context(), demo.Options{Folder: dir, Footer: "rao " + app.Version, Monitor: a.Monitor(),
			Say: func(text string) { demoText(a, text) }, Show: func(r *study.Rows) { demoTable(a, r) }})
		if err != nil {
			return err
		}
		err = a.Emit(r, func() {
			fmt.Fprintf(a.Out, "\nPage with figures: %s\n", r.Report)
			fmt.Fprintf(a.Out, "Use the model:     rao evaluate --model %s --data digits:test\n", r.Model)
			fmt.Fprintf(a.Out, "Done in %s.\n", text.Seconds(r.Seconds))
		})
		if err != nil || !open {
			return err
		}
		if s.opt.Results, err = r.WriteResults(dir); err != nil {
			return err
		}
		signal, err := eegdemo.Write(cmd.Context(), dir)
		if err != nil {
			return err
		}
		s.models, s.opt.Replays, s.quietLog = []string{dir}, []string{signal}, true
		return listen(cmd.Context(), a, &s)
	}
	return cmd
}

// demoText prints what the demo does next.
func demoText(a *app.App, text string) {
	if !a.JSON {
		fmt.Fprintln(a.Out, text)
	}
}

// demoTable prints what a part of the demo found.
func demoTable(a *app.App, r *study.Rows) {
	if !a.JSON {
		a.Indent(func() { a.Table(r.Table()) })
	}
}
