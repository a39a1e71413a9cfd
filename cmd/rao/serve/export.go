package serve

import (
	"fmt"

	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
	"rao/serve/onnx"
)

func exportCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "export",
		Short:   "Write a model in a format that predicts without rao",
		Example: "  rao export onnx --model model.rao --out model.onnx",
	}
	cmd.AddCommand(exportONNXCommand(a))
	return cmd
}

func exportONNXCommand(a *app.App) *cobra.Command {
	var out string
	var opt onnx.ExportOptions
	cmd := &cobra.Command{
		Use:   "onnx",
		Short: "Write a model as an ONNX graph",
		Long: `Write a model as an ONNX graph of opset 13, which runtimes in most languages can read. The
input is X, observations × columns or observations × order × order. The outputs are label,
probabilities and, on request, features of vectors. For matrices the graph computes the
logarithm by products. The output valid is false if a matrix, relative to the model's
means, has a condition number above --max-condition; its probabilities may then be wrong. An
observation with a non-finite value has an empty label. The graph does not reject
observations; the model's threshold is in the metadata as reject_below.

Before the file is written, the graph is run on observations similar to the training data
and compared with the model.`,
		Example: "  rao export onnx --model model.rao --out model.onnx",
		Args:    app.NoArgs,
	}
	path := app.ModelFlag(cmd)
	app.OutputFlag(cmd, &out, "out", app.GraphOutput, "ONNX file to write")
	app.ListVar(cmd.Flags(), &opt.Outputs, "outputs", "NAME,...",
		"label, probabilities, features, separated by commas; "+
			"the first two by default")
	var precision string
	app.TextVar(cmd.Flags(), &precision, "precision", "double|single", "double",
		"precision of the numbers; single only for models on vectors, for runtimes without double precision")
	app.NumberFlag(cmd.Flags(), &opt.Condition, "max-condition", 1e6, 2, 1e8, "largest condition number for which "+
		"the logarithm is accurate")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := app.Required("model", *path); err != nil {
			return err
		}
		if err := app.Required("out", out); err != nil {
			return err
		}
		if !cmd.Flags().Changed("max-condition") {
			opt.Condition = 0 // means the default, which only models with a logarithm use
		}
		opt.Float32 = precision == "single"
		m, err := a.LoadModel(cmd.Context(), *path)
		if err != nil {
			return err
		}
		if err := onnx.WriteFile(cmd.Context(), out, m, opt); err != nil {
			return fmt.Errorf("%s: %w", *path, err)
		}
		r := struct {
			Method string `json:"method"`
			Out    string `json:"out"`
		}{m.Method, out}
		return a.Emit(r, func() { fmt.Fprintf(a.Out, "%s model written as an ONNX graph to %s\n", m.Method, out) })
	}
	return cmd
}
