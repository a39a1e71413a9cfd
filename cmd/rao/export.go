package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"rao/export/onnx"
	"rao/internal/format/archive"
)

func exportCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "export",
		Short:   "Write a model in a form that predicts without rao",
		Example: "  rao export onnx --model model.rao --out model.onnx",
	}
	cmd.AddCommand(exportONNXCommand(a))
	return cmd
}

func exportONNXCommand(a *app) *cobra.Command {
	var out string
	var opt onnx.Options
	cmd := &cobra.Command{
		Use:   "onnx",
		Short: "Write a model as an ONNX graph",
		Long: `Write a model as an ONNX graph of opset 13, which runtimes in most languages read. Its input
is X, observations × columns or observations × order × order; its outputs are label,
probabilities and, where asked for, features of vectors. For matrices the logarithm is made
of products alone; the output valid is false where a matrix, seen from the model's means,
has a condition number beyond --condition, and its probabilities may be wrong there.
An observation with a value that is not finite has an empty label. The graph does not
reject; a model's threshold is in the metadata, reject_below.

The graph is run on observations like those of the training and compared with the model
before the file is written.`,
		Example: "  rao export onnx --model model.rao --out model.onnx",
		Args:    noArgs,
	}
	path := modelFlag(cmd)
	outputFlag(cmd, &out, "out", graphOutput, "ONNX file to write")
	listVar(cmd.Flags(), &opt.Outputs, "outputs", "NAME,...", "label, probabilities, features, separated by commas; "+
		"the first two by default")
	cmd.Flags().BoolVar(&opt.Float32, "float32", false, "single precision, for runtimes without double; "+
		"models of vectors only")
	numberFlag(cmd.Flags(), &opt.Condition, "condition", 1e6, 2, 1e8, "largest condition number whose logarithm "+
		"is right")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := required("model", *path); err != nil {
			return err
		}
		if err := required("out", out); err != nil {
			return err
		}
		if !cmd.Flags().Changed("condition") {
			opt.Condition = 0 // the default where there is a logarithm
		}
		m, err := a.loadModel(cmd.Context(), *path)
		if err != nil {
			return err
		}
		err = archive.WriteFile(out, func(w io.Writer) error { return onnx.Export(cmd.Context(), w, m, opt) })
		if err != nil {
			return fmt.Errorf("%s: %w", *path, err)
		}
		r := struct {
			Method string `json:"method"`
			Out    string `json:"out"`
		}{m.Method, out}
		return a.emit(r, func() { fmt.Fprintf(a.out, "%s model written as an ONNX graph to %s\n", m.Method, out) })
	}
	return cmd
}
