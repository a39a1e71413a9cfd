package compare

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
	"rao/evaluate"
	"rao/gaussian"
	"rao/internal/study"
	"rao/method"
)

func compareCommand(a *app.App) *cobra.Command {
	var train, test app.DataFlags
	var methods methodFlags
	var html, figure string
	var testLabels, measures string
	var seconds float64
	var trainWhere, testWhere []string
	var groups groupFlags
	var halvings, neighbors int
	cmd := &cobra.Command{
		Use:   "compare",
		Short: "Several methods on the same data, in one table",
		Long: `Fit each method on the training data and score it on the test data. If a method fails,
its row has the reason, the others go on, and the exit status is 1. Ctrl-C prints the rows
so far. --methods lists methods with their options, such as sqfa:filters=4:noise=0.1, and
--options gives options to all of them; rao methods --help describes the language.
If one file holds both parts, name it in --train, and the parts in --train-where and
--test-where. --html writes a page with the figures, --figure draws only the accuracies,
and --curve adds learning curves.

--groups NAME leaves out one value of a variable of the training data at a time, such as
one person, and learns from the others; --groups NAME,NAME does so with the combinations of
two, --cv with folds of groups, and --repeats with several seeds. Every step of a method is
learned anew without what is left out, and tests say which methods differ; --groups source does so with the data that
--train lists, separated by commas. --align moves the recordings of SPD matrices first,
without labels: center by their own means, scale also to equal dispersion; rotate also
turns the class means onto each other, with the labels that --calibrate names.`,
		Example: `  rao compare --train digits:train --test digits:test --methods pca,lda,sqfa,sqfa:noise=0.1 \
      --options filters=9 --html compare.html
  rao compare --train A01.mat --x P --y Label --train-where testIdx=0 --test-where testIdx=1 --methods mdm,tslda
  rao compare --train bci-iv-2a:A01,bci-iv-2a:A02,bci-iv-2a:A03 --groups source --recordings testIdx \
      --align none,center,scale,rotate --calibrate testIdx=0 --methods mdm,enuc`,
		Args: app.NoArgs,
	}
	train.AddLearning(cmd, "train", "labeled training data")
	test.Add(cmd, "test", "labeled test data; with --test-where the file of --train by default")
	app.LinesVar(cmd.Flags(), &trainWhere, "train-where", "NAME=VALUE",
		"keep the training rows where NAME=VALUE; may be "+
			"repeated")
	app.LinesVar(cmd.Flags(), &testWhere, "test-where", "NAME=VALUE",
		"keep the test rows where NAME=VALUE; may be repeated")
	methods.add(cmd, 0, "with --groups: deal the groups to so many folds; 0 leaves out one at a time")
	app.CountFlag(cmd.Flags(), &neighbors, "neighbors", 0, 0, 1<<30, "add the accuracy that so many nearest "+
		"neighbors reach on the features of each method; 0 adds none")
	f := cmd.Flags()
	app.TextVar(f, &testLabels, "test-labels", "FILE", "",
		"file of labels of the test data, as --labels is of the training data")
	app.TextVar(f, &groups.groups, "groups", "NAME,...", "",
		"variables, separated by commas, whose combinations of values are "+
			"left out "+
			"one at a time, or source: the data that --train lists")
	app.CountFlag(f, &groups.repeats, "repeats", 1, 1, 1000,
		"with --groups: repeats, each with another seed and other "+
			"folds")
	app.OutputFlag(cmd, &groups.predictions, "predictions", app.TableOutput,
		"csv file to write: with --groups, what each "+
			"method "+
			"says of each row that was left out")
	app.TextVar(f, &groups.recordings, "recordings", "NAME", "",
		"with --groups: variable that names the recordings of a group "+
			"apart; by default recording, where there is one")
	app.TextVar(f, &groups.align, "align", "WAY,...", "none",
		"with --groups: ways to move matrices first, separated by commas: "+
			"none, center, scale, rotate")
	app.TextVar(f, &groups.calibrate, "calibrate", "NAME=VALUE", "",
		"with --groups: NAME=VALUE of the rows of the group left out "+
			"whose labels are known; they are not scored")
	app.CountFlag(f, &halvings, "curve", 0, 0, 30,
		"learning curves: how often the training data are halved; 0 draws none")
	app.CountFlag(f, &groups.few, "few", 0, 0, 1<<30,
		"with --calibrate: use only this many labels of each class, the first; 0 uses all")
	app.NumberFlag(f, &groups.tradeoff, "tradeoff", 0, 0, 1,
		"with --calibrate and mdm: how far class means go from those "+
			"of the others to those of the labeled rows (MDWM)")
	app.TextVar(f, &measures, "measures", "NAME,...", "",
		"more measures in the table, with bootstrap intervals of 95 %: "+strings.Join(evaluate.MeasureNames(), ", ")+
			"; with two classes those of the last one")
	app.NumberFlag(f, &seconds, "decision-seconds", 0, 0, 1e6,
		"time of one decision, for the bits per minute; by default the window of the data's signal")
	app.AllowOverlap(cmd, &a.AllowOverlap)
	app.OutputFlag(cmd, &html, "html", app.PageOutput,
		"html file to write: one page with the figures, no other files needed")
	app.OutputFlag(cmd, &figure, "figure", app.FigureOutput, "svg, png or pdf file for a picture of the accuracies")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		names := app.SplitList(measures)
		if err := evaluate.CheckMeasures(names); err != nil {
			return app.Usagef("--measures: %v", err)
		}
		list, err := methods.specs()
		if err != nil {
			return err
		}
		if groups.groups != "" {
			for _, name := range []string{"test", "train-where", "test-labels", "test-where", "html", "allow-overlap",
				"curve", "neighbors", "measures", "decision-seconds"} {
				if cmd.Flags().Changed(name) {
					return app.Usagef("--groups learns from and decides on --train; leave --%s out", name)
				}
			}
			groups.figure = figure
			return compareGroups(cmd, a, &train, &groups, &methods, list)
		}
		for _, name := range []string{"recordings", "align", "calibrate", "cv", "repeats", "predictions"} {
			if cmd.Flags().Changed(name) {
				return app.Usagef("--%s is for --groups", name)
			}
		}
		test.Opt, test.Head, test.CSV = train.Opt, train.Head, train.CSV
		test.Opt.Labels = testLabels
		train.Opt.Where = slices.Concat(train.Opt.Where, trainWhere)
		test.Opt.Where = slices.Concat(test.Opt.Where, testWhere)
		if test.Spec == "" && len(testWhere) > 0 {
			test.Spec = train.Spec
		}
		c, err := openComparison(cmd, a, &train, &test, list)
		if err != nil {
			return err
		}
		c.Neighbors, c.Measures, c.Seconds = neighbors, names, seconds
		res := c.Run(cmd.Context(), list)
		if len(res.Rows) == 0 {
			return cmd.Context().Err()
		}
		if halvings > 0 && cmd.Context().Err() == nil {
			if err := c.Curve(cmd.Context(), res, list, halvings); err != nil {
				return fmt.Errorf("--curve: %w", err)
			}
		}
		if html != "" && cmd.Context().Err() == nil {
			page, err := c.Page(cmd.Context(), res, "rao "+app.Version)
			if err == nil {
				err = page.WriteFile(html)
			}
			if err != nil {
				return err
			}
			a.Note("page written to %s", html)
		}
		if figure != "" && cmd.Context().Err() == nil {
			if err := res.Figure(false).WriteFile(figure); err != nil {
				return err
			}
			a.Note("picture written to %s", figure)
		}
		if err := a.Emit(res, func() { printComparison(a, res) }); err != nil {
			return err
		}
		return res.Err(cmd.Context())
	}
	return cmd
}

// openComparison reads the data that all methods share.
func openComparison(cmd *cobra.Command, a *app.App, train, test *app.DataFlags,
	list []method.Spec) (*study.Comparison, error) {
	start, ctx := time.Now(), cmd.Context()
	c := &study.Comparison{Monitor: a.Monitor(cmd)}
	var err error
	if c.Train, err = train.Open(ctx, a, "train", true); err != nil {
		return nil, err
	}
	if test.Opt.Form = c.Train.Form; test.Opt.Form == nil {
		test.Drop = train.Drop
	}
	if c.Test, err = test.Open(ctx, a, "test", true); err != nil {
		return nil, err
	}
	c.Before = time.Since(start)
	tested, learned := a.Seen(c.Test), a.Seen(c.Train)
	if share := tested.LargestOverlap([]gaussian.Part{learned}); share > 0 && !a.AllowOverlap {
		a.Note("about %.0f %% of the test observations are also training observations, so the scores are too good; "+
			"use other data, or --allow-overlap", 100*share)
	}
	return c, c.Estimate(list)
}

func printComparison(a *app.App, r *study.Rows) {
	a.Table(r.Table())
	if header, rows := r.CurveTable(); rows != nil {
		fmt.Fprintln(a.Out)
		a.Table(header, rows)
	}
}
