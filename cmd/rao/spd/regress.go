package spd

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"rao"
	"rao/cmd/rao/internal/app"
	"rao/dataset"
	"rao/internal/classifiers"
	"rao/internal/memory"
	"rao/internal/provenance"
	"rao/internal/study"
	"rao/internal/text"
	"rao/method"
	"rao/model"
	"rao/spd"
)

type regressFlags struct {
	target, method, groups string
	metric                 spd.Metric
	out                    string
	folds, neighbors       int
	ridge, c, epsilon      float64
	seed                   uint64
}

func regressCommand(a *app.App) *cobra.Command {
	var data app.DataFlags
	var f regressFlags
	cmd := &cobra.Command{
		Use:   "regress",
		Short: "Predict a number from SPD matrices",
		Long: `Learn to predict a number, the variable --y, from SPD matrices. R2, the mean absolute error
and the root mean squared error are computed on matrices left out in folds; with --groups,
entire groups are left out. --out writes the model fitted to all data.

  ridge  least squares on tangent vectors; leave-one-out chooses the penalty
  svr    support vectors on tangent vectors
  knn    the mean target of the nearest matrices, with larger weights for nearer
         matrices

rao predict writes what the model predicts for new matrices, and rao evaluate scores it.`,
		Example: `  rao spd regress --data P.npz --y speed --out speed.rao
  rao predict --model speed.rao --data new.npz --out speed.csv`,
		Args: app.NoArgs,
	}
	data.Add(cmd, "data", "SPD matrices, count × order × order, with a variable of one number each")
	c := cmd.Flags()
	c.Lookup("y").Usage = "variable to predict"
	app.TextVar(c, &f.method, "method", strings.Join(method.Regressions(), "|"), "ridge", "see above")
	app.MetricVar(c, &f.metric, "riemann", "metric; riemann or logeuclid for ridge and svr")
	app.NumberFlag(c, &f.ridge, "ridge", 0, 0, 1e300,
		"penalty of ridge; 0 chooses the penalty with the smallest leave-one-out error")
	app.NumberFlag(c, &f.c, "c", classifiers.DefaultCost, 1e-9, 1e9, "cost of an error for svr")
	app.NumberFlag(c, &f.epsilon, "epsilon", classifiers.DefaultEpsilon, 1e-12, 1e300,
		"error that costs nothing for svr, in units of the target")
	app.CountFlag(c, &f.neighbors, "neighbors", classifiers.DefaultNeighbors, 1, 1000000, "neighbors of knn")
	app.CountFlag(c, &f.folds, "cv", 10, 2, 1000000, "number of folds for the scores")
	app.TextVar(c, &f.groups, "groups", "NAME,...", "",
		"variables, separated by commas, whose groups are left out one at a time, instead of folds")
	app.SeedVar(c, &f.seed, "seed of the folds")
	app.OutputFlag(cmd, &f.out, "out", app.ModelOutput, "model file to write")
	a.HashesFlag(cmd, app.HashesOut)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		f.target, data.Opt.Y = data.Opt.Y, ""
		if err := f.check(cmd); err != nil {
			return err
		}
		if f.target != "" || f.groups != "" {
			data.Opt.Table.Variables = append(text.SplitList(f.groups), text.SplitList(f.target)...)
		}
		return regress(cmd.Context(), a, &data, &f)
	}
	return cmd
}

func (f *regressFlags) check(cmd *cobra.Command) error {
	err := checkMethod(cmd, f.method, func(flag string) (of []string) {
		if owner := method.RegressionWith(flag); owner != "" {
			of = []string{owner}
		}
		return of
	})
	if err != nil {
		return err
	}
	if f.groups != "" && cmd.Flags().Changed("cv") {
		return app.Usagef("give --cv or --groups, not both")
	}
	if err := f.options().Check(f.method); err != nil {
		return app.AsUsage(err)
	}
	return app.Required("y", f.target)
}

func (f *regressFlags) options() method.RegressionOptions {
	return method.RegressionOptions{Metric: f.metric, Ridge: f.ridge, C: f.c, Epsilon: f.epsilon,
		Neighbors: f.neighbors}
}

// learn fits the regression to matrices and targets. If the fit does not converge, learn prints a note and returns the
// model.
func learn(ctx context.Context, a *app.App, f *regressFlags, d *dataset.Data, y []float64) (*model.Model, error) {
	m, err := method.FitRegression(ctx, f.method, d, f.target, y, f.options())
	if rao.IsNotConverged(err) && ctx.Err() == nil {
		a.Note("%v", err)
		err = nil
	}
	return m, err
}

// regress scores the method by cross-validation. With --out, it then fits the method to all data and writes the model.
func regress(ctx context.Context, a *app.App, data *app.DataFlags, f *regressFlags) error {
	d, y, err := data.OpenTargets(ctx, a, f.target)
	if err != nil {
		return err
	}
	if err := memory.Check("regress", memory.Distances(2*d.N(), d.Stack.Dim)); err != nil {
		return err
	}
	if f.groups != "" {
		f.folds = 0
	}
	folds, err := study.Folds(d, nil, text.SplitList(f.groups), f.folds, f.seed)
	if err != nil {
		return fmt.Errorf("%s: %w", d.Source, err)
	}
	show, done := a.Progress("rao spd regress")
	early := func(err error) { a.Note("%v", err) }
	predicted, err := study.CrossValidateRegression(ctx, f.method, d, f.target, y, folds, f.options(), early, show)
	done()
	if err != nil {
		return err
	}
	res := &app.Regression{Method: f.method, Target: f.target, N: d.N(), Folds: len(folds), Out: f.out}
	res.Score(predicted, y)
	if f.out != "" {
		m, err := learn(ctx, a, f, d, y)
		if err != nil {
			return err
		}
		if value, ok := method.Settings(m.Options).Get("ridge"); ok {
			ridge, _ := strconv.ParseFloat(value, 64) // cannot fail, because the program wrote the value
			res.Ridge = text.Optional(ridge)
		}
		m.Training.Parts = a.Recorded([]provenance.Part{a.Seen(d)})
		if err := m.Save(f.out); err != nil {
			return err
		}
	}
	return a.Emit(res, func() { res.Print(a) })
}
