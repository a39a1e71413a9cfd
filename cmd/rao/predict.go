package main

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"

	"rao/dataset"
	"rao/internal/format/archive"
	"rao/method"
	"rao/model"
	"rao/spd"
)

func transformCommand(a *app) *cobra.Command {
	var data dataFlags
	var out string
	cmd := &cobra.Command{
		Use:     "transform",
		Short:   "Features of new data: filters, tangent vectors, smaller matrices",
		Long:    "Apply the stages of a model to new data and write what comes out: features,\nobservations × filters; tangent vectors for the classifiers in a tangent space;\nmatrices, observations × order × order, for models that make smaller or filtered ones.",
		Example: "  rao transform --model model.rao --data test.npz --out features.npy",
		Args:    noArgs,
	}
	path := modelFlag(cmd)
	data.add(cmd, "data", "data of the shape the model was fitted to")
	outputFlag(cmd, &out, "out", arrayOutput, "npy file to write")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		m, d, err := a.modelAndData(cmd, *path, &data, out, false)
		if err != nil {
			return err
		}
		z, err := m.Transform(cmd.Context(), model.BatchOf(d))
		if err != nil {
			return fmt.Errorf("%s: %w", d.Source, err)
		}
		if z.Kind() == model.KindMatrices {
			return a.writeMatrices(z.Stack, out)
		}
		n, k := z.X.Dims()
		if err := writeNpy(out, mat.DenseCopyOf(z.X).RawMatrix().Data, n, k); err != nil {
			return err
		}
		r := struct {
			N        int    `json:"n"`
			Features int    `json:"features"`
			Out      string `json:"out"`
		}{n, k, out}
		return a.emit(r, func() { fmt.Fprintf(a.out, "%d × %d features written to %s\n", n, k, out) })
	}
	return cmd
}

// writeMatrices writes the smaller matrices that a model makes.
func (a *app) writeMatrices(z *spd.Stack, out string) error {
	if err := writeNpy(out, z.Data, z.Count, z.Dim, z.Dim); err != nil {
		return err
	}
	r := struct {
		N     int    `json:"n"`
		Order int    `json:"order"`
		Out   string `json:"out"`
	}{z.Count, z.Dim, out}
	return a.emit(r, func() {
		fmt.Fprintf(a.out, "%d matrices of order %d written to %s\n", z.Count, z.Dim, out)
	})
}

// modelAndData opens what most verbs on a model need, the output checked first.
func (a *app) modelAndData(cmd *cobra.Command, path string, data *dataFlags, out string, labeled bool) (*model.Model, *dataset.Data, error) {
	if err := required("model", path); err != nil {
		return nil, nil, err
	}
	if cmd.Flags().Lookup("out") != nil {
		if err := required("out", out); err != nil {
			return nil, nil, err
		}
	}
	m, err := a.loadModel(cmd.Context(), path)
	if err != nil {
		return nil, nil, err
	}
	data.opt.Features = m.Input.Columns
	d, err := data.open(cmd.Context(), a, "data", labeled)
	return m, d, err
}

func predictCommand(a *app) *cobra.Command {
	var data dataFlags
	var out string
	var below float64
	cmd := &cobra.Command{
		Use:   "predict",
		Short: "Label, and probability of each class, for new data",
		Long: `Classify new data. The output is a csv with a line for each observation: the label,
whether it is rejected, whether it is an outlier (farther from every prototype than
fit --reject-outliers allows), and the probability of each class. An observation is
rejected when its largest probability is below --reject-below.`,
		Example: "  rao predict --model model.rao --data new.npz --out y.csv --reject-below 0.8",
		Args:    noArgs,
	}
	path := modelFlag(cmd)
	data.add(cmd, "data", "data of the shape the model was fitted to")
	outputFlag(cmd, &out, "out", tableOutput, "csv file to write")
	numberFlag(cmd.Flags(), &below, "reject-below", 0, 0, 1, "reject when the largest probability is below; the model's own threshold by default")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		given := cmd.Flags().Changed("reject-below")
		m, d, err := a.modelAndData(cmd, *path, &data, out, false)
		if err != nil {
			return err
		}
		if given {
			m.RejectBelow = below
		}
		p, err := method.Predict(cmd.Context(), m, d)
		if err != nil {
			return err
		}
		err = archive.WriteFile(out, func(w io.Writer) error { return writePredictions(w, m, p) })
		if err != nil {
			return err
		}
		for _, n := range p.Notes {
			a.note("%s: %s", d.Source, n)
		}
		rejected := 0
		for _, r := range p.Rejected {
			if r {
				rejected++
			}
		}
		r := struct {
			N        int    `json:"n"`
			Rejected int    `json:"rejected"`
			Out      string `json:"out"`
		}{len(p.Label), rejected, out}
		return a.emit(r, func() {
			fmt.Fprintf(a.out, "%s written to %s", plural(r.N, "prediction", "predictions"), out)
			if m.RejectBelow > 0 || rejected > 0 {
				fmt.Fprintf(a.out, ", %d rejected", rejected)
			}
			fmt.Fprintln(a.out)
		})
	}
	return cmd
}

func writePredictions(w io.Writer, m *model.Model, p *model.Prediction) error {
	b := bufio.NewWriter(w)
	c := csv.NewWriter(b)
	record := []string{"label", "rejected", "outlier"}
	for _, name := range m.Classes {
		record = append(record, "p_"+name)
	}
	if err := c.Write(record); err != nil {
		return err
	}
	for i, l := range p.Label {
		record = append(record[:0], m.Classes[l], strconv.FormatBool(p.Rejected[i]), strconv.FormatBool(p.Outlier[i]))
		for j := range m.Classes {
			record = append(record, strconv.FormatFloat(math.Exp(p.LogPosterior.At(i, j)), 'g', 8, 64))
		}
		if err := c.Write(record); err != nil {
			return err
		}
	}
	c.Flush()
	if err := c.Error(); err != nil {
		return err
	}
	return b.Flush()
}
