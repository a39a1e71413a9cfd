package main

import (
	"bufio"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"

	"rao/dataset"
	"rao/internal/format/archive"
	"rao/internal/format/npy"
	"rao/method"
	"rao/model"
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
		m, err := a.modelFor(cmd.Context(), *path, &data, &out)
		if err != nil {
			return err
		}
		t := transformation{m: m}
		err = archive.WriteFile(out, func(w io.Writer) error {
			t.w = w
			err := data.blocks(cmd.Context(), a, false, func(d *dataset.Data, total int) error { return t.add(cmd.Context(), d, total) })
			if err != nil {
				return err
			}
			return t.values.Close()
		})
		if err != nil {
			return err
		}
		if t.matrices {
			r := struct {
				N     int    `json:"n"`
				Order int    `json:"order"`
				Out   string `json:"out"`
			}{t.n, t.dim, out}
			return a.emit(r, func() { fmt.Fprintf(a.out, "%d matrices of order %d written to %s\n", t.n, t.dim, out) })
		}
		r := struct {
			N        int    `json:"n"`
			Features int    `json:"features"`
			Out      string `json:"out"`
		}{t.n, t.dim, out}
		return a.emit(r, func() { fmt.Fprintf(a.out, "%d × %d features written to %s\n", t.n, t.dim, out) })
	}
	return cmd
}

// transformation writes what the stages of a model make of blocks of data.
type transformation struct {
	m        *model.Model
	w        io.Writer
	values   *npy.Floats
	n, dim   int // written; features, or the order of matrices
	matrices bool
}

// add maps the next block, of total observations in all.
func (t *transformation) add(ctx context.Context, d *dataset.Data, total int) error {
	z, err := t.m.Transform(ctx, model.BatchOf(d))
	if err != nil {
		return fmt.Errorf("%s: %w", d.Source, err)
	}
	t.matrices = z.Kind() == model.KindMatrices
	t.dim = z.Dim()
	var values []float64
	shape := []int{total, t.dim}
	if t.matrices {
		values, shape = z.Stack.Contiguous(), append(shape, t.dim)
	} else {
		values = mat.DenseCopyOf(z.X).RawMatrix().Data
	}
	if err := finiteRows(values, z.Len(), t.n); err != nil {
		return err
	}
	if t.values == nil {
		if t.values, err = npy.NewFloats(t.w, shape...); err != nil {
			return err
		}
	}
	t.n += z.Len()
	return t.values.Write(values)
}

// modelFor reads the model that data are given to, the output checked first; out is nil
// where nothing is written.
func (a *app) modelFor(ctx context.Context, path string, data *dataFlags, out *string) (*model.Model, error) {
	if err := required("model", path); err != nil {
		return nil, err
	}
	if out != nil {
		if err := required("out", *out); err != nil {
			return nil, err
		}
	}
	m, err := a.loadModel(ctx, path)
	if err != nil {
		return nil, err
	}
	data.opt.Features = m.Input.Columns
	return m, nil
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
		m, err := a.modelFor(cmd.Context(), *path, &data, &out)
		if err != nil {
			return err
		}
		if given {
			m.RejectBelow = below
		}
		var notes model.Notes
		n, rejected, source := 0, 0, ""
		err = archive.WriteFile(out, func(w io.Writer) error {
			lines, err := newPredictionWriter(w, m)
			if err != nil {
				return err
			}
			err = data.blocks(cmd.Context(), a, false, func(d *dataset.Data, _ int) error {
				p, err := method.Predict(cmd.Context(), m, d)
				if err != nil {
					return err
				}
				notes.Add(p)
				n, source = n+len(p.Label), d.Source
				for _, r := range p.Rejected {
					if r {
						rejected++
					}
				}
				return lines.write(p)
			})
			if err != nil {
				return err
			}
			return lines.flush()
		})
		if err != nil {
			return err
		}
		for _, s := range notes.All() {
			a.note("%s: %s", source, s)
		}
		r := struct {
			N        int    `json:"n"`
			Rejected int    `json:"rejected"`
			Out      string `json:"out"`
		}{n, rejected, out}
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

// predictionWriter writes predictions as a csv.
type predictionWriter struct {
	m      *model.Model
	b      *bufio.Writer
	c      *csv.Writer
	record []string
}

// newPredictionWriter writes the line of names.
func newPredictionWriter(w io.Writer, m *model.Model) (*predictionWriter, error) {
	b := bufio.NewWriter(w)
	p := &predictionWriter{m: m, b: b, c: csv.NewWriter(b), record: []string{"label", "rejected", "outlier"}}
	for _, name := range m.Classes {
		p.record = append(p.record, "p_"+name)
	}
	return p, p.c.Write(p.record)
}

func (w *predictionWriter) write(p *model.Prediction) error {
	for i, l := range p.Label {
		w.record = append(w.record[:0], w.m.Classes[l], strconv.FormatBool(p.Rejected[i]), strconv.FormatBool(p.Outlier[i]))
		for j := range w.m.Classes {
			w.record = append(w.record, strconv.FormatFloat(math.Exp(p.LogPosterior.At(i, j)), 'g', 8, 64))
		}
		if err := w.c.Write(w.record); err != nil {
			return err
		}
	}
	return nil
}

func (w *predictionWriter) flush() error {
	w.c.Flush()
	if err := w.c.Error(); err != nil {
		return err
	}
	return w.b.Flush()
}
