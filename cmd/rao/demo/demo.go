package demo

import (
	"fmt"

	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
	"rao/internal/demo"
	"rao/internal/study"
	"rao/internal/text"
)

func demoCommand(a *app.App) *cobra.Command {
	dir := "rao-demo"
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Run the main tasks on embedded data, from files to figures",
		Long: `Learn filters for handwritten digits with SQFA and other methods, learn prototypes for SPD
matrices with PLRSQ, and classify textures by covariance descriptors. Print the results,
and write a page with the figures, the figures themselves, and a model that other commands
can use.`,
		Example: "  rao demo --out rao-demo\n  rao demo eeg",
		Args:    app.NoArgs,
	}
	app.OutputFlag(cmd, &dir, "out", app.FolderOutput, "folder for the page, the figures and the model")
	after := a.DemoParts(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		for _, part := range after {
			if err := part.Check(); err != nil {
				return err
			}
		}
		if err := app.MakeFolder(dir); err != nil {
			return err
		}
		r, err := demo.Run(cmd.Context(), demo.Options{Folder: dir, Footer: "rao " + app.Version,
			Monitor: a.Monitor(cmd), Say: func(text string) { demoText(a, text) },
			Show: func(r *study.Rows) { demoTable(a, r) }})
		if err != nil {
			return err
		}
		err = a.Emit(r, func() {
			fmt.Fprintf(a.Out, "\nPage with figures: %s\n", r.Report)
			fmt.Fprintf(a.Out, "Use the model:     rao evaluate --model %s --data digits:test\n", r.Model)
			fmt.Fprintf(a.Out, "Done in %s.\n", text.Seconds(r.Seconds))
		})
		for _, part := range after {
			if err == nil {
				err = part.Run(cmd.Context(), dir, r)
			}
		}
		return err
	}
	return cmd
}

// demoText prints text, except with --json.
func demoText(a *app.App, text string) {
	if !a.JSON {
		fmt.Fprintln(a.Out, text)
	}
}

// demoTable prints the results of one part of the demo as a table, except with --json.
func demoTable(a *app.App, r *study.Rows) {
	if !a.JSON {
		a.Indent(func() { a.Table(r.Table()) })
	}
}
