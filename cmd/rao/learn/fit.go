package learn

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rao"
	"rao/cmd/rao/internal/app"
	"rao/dataset"
	"rao/feature"
	"rao/gaussian"
	"rao/internal/memory"
	"rao/internal/privacy"
	"rao/internal/recipes"
	"rao/internal/statsource"
	"rao/internal/text"
	"rao/lvq"
	"rao/method"
	"rao/model"
)

// fitResult is the JSON output of rao fit. The names in the JSON are stable.
type fitResult struct {
	Method     string        `json:"method"`
	Filters    int           `json:"filters,omitempty"`
	Prototypes int           `json:"prototypes,omitempty"`
	Noise      *text.Number  `json:"noise,omitempty"`
	Sigma2     *text.Number  `json:"sigma2,omitempty"`
	Objective  text.Number   `json:"objective"`
	Iterations int           `json:"iterations"`
	Passes     int           `json:"passes"`
	Converged  bool          `json:"converged"`
	Status     string        `json:"status"`
	Seconds    model.Seconds `json:"seconds"`
	Out        string        `json:"out"`
}

func fitCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fit METHOD",
		Short: "Learn a model and save it",
		Long: `Learn a model from labeled data or from class statistics, and save it with everything
needed to predict. rao fit METHOD --help lists the options of a method.`,
		Example: `  rao fit sqfa --data train.npz --filters 9 --noise auto --out model.rao
  rao fit lda --stats train-stats.npz --out model.rao`,
	}
	missingMethod(cmd)
	addMethods(cmd, a, fitMethodCommand)
	return cmd
}

func fitMethodCommand(a *app.App, m *method.Method) *cobra.Command {
	var data app.DataFlags
	var stats, out string
	var keep, outside bool
	var threshold float64
	cmd := &cobra.Command{
		Use:     m.Name,
		Short:   m.Summary,
		Example: fmt.Sprintf("  rao fit %s --data train.npz --out model.rao", m.Name),
		Args:    app.NoArgs,
	}
	data.AddLearning(cmd, "data", "labeled training data")
	data.AddWeights(cmd)
	if !m.Matrices && !m.Rows || m.Mixtures {
		app.TextVar(cmd.Flags(), &stats, "stats", "FILE", "", "statistics file that rao stats wrote, instead of "+
			"data")
	}
	a.HashesFlag(cmd, app.HashesOut)
	app.OutputFlag(cmd, &out, "out", app.ModelOutput, "model file to write")
	if !m.Matrices && (!m.Rows || m.Batches) {
		cmd.Flags().BoolVar(&outside, "out-of-core", false, "leave the data in their files: learn from their "+
			"statistics, and for --refine and ama from random batches; automatic if the data do not fit in memory")
	}
	app.NumberFlag(cmd.Flags(), &threshold, "threshold", 0, 0, 1,
		"with two classes: decide for the last class at or above this probability; 0 decides for the more probable "+
			"class")
	cmd.Flags().BoolVar(&keep, "keep-partial", false,
		"when Ctrl-C or SIGTERM ends the fit, write the best model so far and exit with status 0")
	given := app.AddOptions(cmd, m)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := app.Required("out", out); err != nil {
			return err
		}
		spec, err := given.With()
		if err != nil {
			return app.Usagef("%v", err)
		}
		if stats != "" && data.Spec != "" {
			return app.Usagef("give either --data or --stats, not both")
		}
		if data.Opt.Weights != "" {
			if stats != "" {
				return app.Usagef("--weight-column is for --data; statistics already include their weights")
			}
			if err := m.Weighs(); err != nil {
				return app.Usagef("%v", err)
			}
		}
		if stats != "" && outside {
			return app.Usagef("--out-of-core needs --data")
		}
		start := time.Now()
		var src method.TrainingData
		var guarantee *privacy.Guarantee
		switch stats {
		default:
			a.InputOpened()
			var r *privacy.Release
			src, r, err = statsource.Open(m, stats)
			if err = app.StatisticsError(err, stats); r != nil {
				g := r.Guarantee()
				guarantee = &g
				if advice := r.Advice(); advice != "" {
					a.Note("%s: %s", stats, advice)
				}
			}
		case "-":
			var s *gaussian.Source
			s, err = a.OpenStatistics(cmd.Context(), stats)
			src = method.Stored{Source: s}
		case "":
			if src, err = fromDisk(cmd.Context(), a, &data, spec, outside); err == nil && src == nil {
				src, err = readData(cmd.Context(), a, &data, spec)
			}
		}
		if err != nil {
			return err
		}
		if s, ok := src.(method.Stored); ok {
			defer s.Source.Close()
		}
		if stats != "" {
			if err := checkMemory(spec, src); err != nil {
				return err
			}
		}
		if d := method.Observations(src); d != nil && threshold > 0 && len(d.Classes) != 2 {
			return app.Usagef("--threshold works only with two classes, but %s has %d; leave it out",
				d.Source, len(d.Classes))
		}
		r, err := fitAndSave(cmd.Context(), a, spec, src, time.Since(start).Seconds(), guarantee, threshold, out, keep)
		if err != nil {
			return err
		}
		return a.Emit(r, func() { printFit(a, r) })
	}
	return cmd
}

// readData reads the data into memory. If the method needs statistics, they are computed while the data are being read.
func readData(ctx context.Context, a *app.App, data *app.DataFlags, spec method.Spec) (method.TrainingData, error) {
	var src method.InMemory
	d, err := data.OpenWith(ctx, a, "data", true, func(d *dataset.Data) (add func(lo, hi int) error, err error) {
		if err := checkMemory(spec, method.InMemory{Data: d}); err != nil {
			return nil, err
		}
		app.SpareMemory(d)
		src, add, err = spec.WhileRead(d)
		return add, err
	})
	if err != nil {
		return nil, err
	}
	checked := src.Data != nil
	src.Data, src.Spare, src.Advise = d, true, true
	if !checked {
		err = checkMemory(spec, src)
	}
	return src, err
}

// checkMemory returns an error if a fit to src needs more memory than is free.
func checkMemory(spec method.Spec, src method.TrainingData) error {
	return memory.Check("fit "+spec.Method.Name, memory.Footprint(spec.Memory(src)))
}

// fitAndSave fits and saves the model. If the fit does not converge, it saves the model and prints a note. If a signal
// interrupts the fit, it saves the model only if keep is true.
func fitAndSave(ctx context.Context, a *app.App, spec method.Spec, src method.TrainingData, load float64,
	guarantee *privacy.Guarantee, threshold float64, out string, keep bool) (*fitResult, error) {
	a.Patient.Store(keep)
	parts := a.PartsOf(src)
	if d := method.Observations(src); d != nil && recipes.Fills(d.Missing) {
		parts(nil) // identify the rows before missing values are filled in
	}
	show, done := a.Progress("rao fit " + spec.Method.Name)
	start := time.Now()
	mod, err := spec.Fit(ctx, src, show)
	done()
	if err != nil && !rao.HasModel(err) {
		return nil, err
	}
	if ctx.Err() != nil && !keep {
		return nil, ctx.Err()
	}
	if err != nil {
		a.Note("%s", unfinished(ctx, err))
	}
	for _, n := range mod.Notes {
		a.Note("%s", n)
	}
	mod.Training.Parts, mod.Training.Privacy = a.Recorded(parts(mod)), (*model.Privacy)(guarantee)
	if guarantee != nil {
		mod.Training.Digest = "" // the file must contain only what was computed from the noisy sums
	}
	if mod, err = mod.WithThreshold(threshold); err != nil {
		return nil, err
	}
	mod.Seconds.Load = load
	mod.Seconds.Fit = time.Since(start).Seconds() - mod.Seconds.Statistics
	if err := mod.Save(out); err != nil {
		return nil, err
	}
	return describeFit(mod, out), nil
}

// unfinished returns the note for err, the error of a fit that ended early and has a model. Some methods report that
// a limit ended a fit that was interrupted, so the note mentions the interruption.
func unfinished(ctx context.Context, err error) string {
	if ctx.Err() != nil && rao.IsNotConverged(err) {
		return fmt.Sprintf("the fit was interrupted, and the model is the best so far: %v", err)
	}
	return err.Error()
}

func describeFit(m *model.Model, out string) *fitResult {
	r := &fitResult{Method: m.Method, Objective: text.Number(m.Report.Objective), Iterations: m.Report.Iterations,
		Passes: m.Report.Passes, Converged: m.Report.Status.Good(), Status: string(m.Report.Status),
		Seconds: m.Seconds, Out: out}
	if f := model.StageOf[*feature.Model](m); f != nil {
		_, r.Filters = f.Dims()
		if f.Distance != "" {
			n := text.Number(f.Noise)
			r.Noise = &n
		}
	}
	if p, ok := m.Classifier.(*lvq.PLRSQ); ok { // the JSON has these two fields only for prototypes of matrices
		r.Prototypes = len(p.Labels)
		s := text.Number(p.Sigma2)
		r.Sigma2 = &s
	}
	return r
}

func printFit(a *app.App, r *fitResult) {
	parts := []string{}
	if r.Filters > 0 {
		parts = append(parts, text.Plural(r.Filters, "filter", "filters"))
	}
	if r.Prototypes > 0 {
		parts = append(parts, text.Plural(r.Prototypes, "prototype", "prototypes"))
	}
	if r.Noise != nil {
		parts = append(parts, fmt.Sprintf("noise %.4g", float64(*r.Noise)))
	}
	if r.Sigma2 != nil {
		parts = append(parts, fmt.Sprintf("sigma2 %.4g", float64(*r.Sigma2)))
	}
	if r.Iterations > 0 {
		if r.Objective != 0 { // a model of class means has no objective
			parts = append(parts, fmt.Sprintf("objective %.6g", float64(r.Objective)))
		}
		parts = append(parts, text.Plural(r.Iterations, "iteration", "iterations"))
	}
	if r.Passes > 0 {
		parts = append(parts, text.Plural(r.Passes, "pass", "passes"))
	}
	parts = append(parts, strings.ReplaceAll(r.Status, "_", " "))
	fmt.Fprintf(a.Out, "%s: %s\n", r.Method, strings.Join(parts, ", "))
	fmt.Fprintf(a.Out, "load %s, statistics %s, fit %s; written to %s\n",
		text.Seconds(r.Seconds.Load), text.Seconds(r.Seconds.Statistics), text.Seconds(r.Seconds.Fit), r.Out)
}
