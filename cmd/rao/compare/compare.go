package compare

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
	"rao/internal/datapart"
	"rao/internal/provenance"
	"rao/internal/scoring"
	"rao/internal/study"
	"rao/internal/text"
	"rao/method"
	"rao/model"
)

func compareCommand(a *app.App) *cobra.Command {
	var train, test app.DataFlags
	var methods methodFlags
	var html, figure string
	var testLabels, measures, positive string
	var seconds float64
	var trainWhere, testWhere []string
	var groups groupFlags
	var halvings, neighbors int
	cmd := &cobra.Command{
		Use:   "compare",
		Short: "Compare several methods on the same data, in one table",
		Long: `Fit each method on the training data and score it on the test data.
--methods lists methods with their options, such as sqfa:filters=4:noise=0.1, and
--options sets options for all of them (see rao methods --help). If both are in one file,
pass this file as --data, and select the parts with --train-where and --test-where. If a
method fails, its row shows the reason, the other methods continue, and the exit status is
1. Ctrl-C prints the rows so far.

--groups leaves out one group of the training data at a time, and tests show which methods
differ. A group is a value of a variable (NAME), such as one person, a combination of two
variables (NAME,NAME), or a file of --data (source). --cv leaves out folds of groups, and
--repeats uses several seeds.

--align first aligns recordings of SPD matrices: center moves their Riemannian means to the
identity, euclid their arithmetic means; scale is center with equal dispersion; rotate is
scale with the class means rotated onto each other, by the labels of --calibrate.`,
		Example: `  rao compare --data digits:train --test digits:test \
      --methods pca,lda,sqfa,sqfa:noise=0.1 --options filters=9 \
      --html compare.html
  rao compare --data A01.mat --x P --y Label --train-where testIdx=0 \
      --test-where testIdx=1 --methods mdm,tslda
  rao compare --data P.npz --groups subject --align center --methods mdm,enuc`,
		Args: app.NoArgs,
	}
	train.AddLearning(cmd, "data", "labeled training data")
	train.AddWeights(cmd)
	test.Add(cmd, "test", "labeled test data; with --test-where the file of --data by default")
	app.LinesVar(cmd.Flags(), &trainWhere, "train-where", "NAME=VALUE",
		"keep the training rows where NAME=VALUE; may be "+
			"repeated")
	app.LinesVar(cmd.Flags(), &testWhere, "test-where", "NAME=VALUE",
		"keep the test rows where NAME=VALUE; may be repeated")
	methods.add(cmd, 0, 0, "with --groups: number of folds of groups; 0 leaves out one group at a time")
	app.CountFlag(cmd.Flags(), &neighbors, "neighbors", 0, 0, 1<<30, "add the accuracy of this many nearest "+
		"neighbors on the features of each method; 0 adds none")
	f := cmd.Flags()
	app.TextVar(f, &testLabels, "test-labels", "FILE", "",
		"file of labels for the test data; --labels is for the training data")
	app.TextVar(f, &groups.groups, "groups", "NAME,...", "",
		"variables, separated by commas; leaves out one combination of their values at a time; source leaves out "+
			"one file of --data at a time")
	app.OutputFlag(cmd, &groups.predictions, "predictions", app.TableOutput,
		"csv file to write: with --groups, the decision of each method on each left-out row")
	app.CountFlag(f, &halvings, "curve", 0, 0, 30,
		"learning curves: how many times to halve the training data; 0 draws none")
	app.InGroup(f, titleGroups, groups.register)
	app.TextVar(f, &measures, "measures", "NAME,...", "",
		"more measures in the table, with bootstrap intervals of 95 %: "+strings.Join(scoring.MeasureNames, ", ")+
			"; with two classes the measures of the last class, or of --positive")
	app.TextVar(f, &positive, "positive", "CLASS", "",
		"with --measures and two classes: the class that precision, recall, F1 and the areas describe; by default "+
			"the last")
	app.NumberFlag(f, &seconds, "decision-seconds", 0, 0, 1e6,
		"seconds per decision, for the bits per minute; by default the window of the data's signal")
	app.AllowOverlap(cmd, &a.AllowOverlap)
	app.OutputFlag(cmd, &html, "html", app.PageOutput,
		"html file to write: a page that contains all figures")
	app.OutputFlag(cmd, &figure, "figure", app.FigureOutput, "svg, png or pdf file for a figure of the accuracies")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		names := text.SplitList(measures)
		if err := scoring.CheckMeasures(names); err != nil {
			return app.Usagef("--measures: %v", err)
		}
		list, err := methods.specs()
		if err != nil {
			return err
		}
		if groups.groups != "" {
			for _, name := range []string{"test", "train-where", "test-labels", "test-where", "html", "allow-overlap",
				"curve", "neighbors", "measures", "positive", "decision-seconds", "weight-column"} {
				if cmd.Flags().Changed(name) {
					return app.Usagef("--groups uses only --data; leave out --%s", name)
				}
			}
			groups.figure = figure
			return compareGroups(cmd, a, &train, &groups, &methods, list)
		}
		for _, name := range []string{"recordings", "align", "calibrate", "few", "tradeoff", "cv", "repeats",
			"predictions"} {
			if cmd.Flags().Changed(name) {
				return app.Usagef("--%s needs --groups", name)
			}
		}
		if neighbors > 0 && train.Opt.Weights != "" {
			return app.Usagef("--neighbors ignores row weights; leave out --neighbors or --weight-column")
		}
		if positive != "" && measures == "" {
			return app.Usagef("--positive needs --measures")
		}
		test.Opt, test.Head, test.CSV = train.Opt, train.Head, train.CSV
		test.Opt.Labels = testLabels
		train.Opt.Where = slices.Concat(train.Opt.Where, trainWhere)
		test.Opt.Where = slices.Concat(test.Opt.Where, testWhere)
		if test.Spec == "" && len(testWhere) > 0 {
			test.Spec = train.Spec
		}
		if err := app.Required("data", train.Spec); err != nil {
			return err
		}
		if test.Spec == "" {
			return app.Usagef("--test is required: data for the scores; or leave out groups of --data with --groups")
		}
		c, err := openComparison(cmd, a, &train, &test, list)
		if err != nil {
			return err
		}
		c.Neighbors, c.Measures, c.Seconds = neighbors, names, seconds
		if c.First, err = app.FirstIsPositive(positive, c.Train.Classes); err != nil {
			return err
		}
		a.Patient.Store(true) // after a signal, wait for the table; Run ends soon
		res := c.Run(cmd.Context(), list)
		a.Patient.Store(cmd.Context().Err() != nil)
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
			a.Note("wrote page %s", html)
		}
		if figure != "" && cmd.Context().Err() == nil {
			if err := res.Figure(false).WriteFile(figure); err != nil {
				return err
			}
			a.Note("figure written to %s", figure)
		}
		if err := a.Emit(res, func() { printComparison(a, res) }); err != nil {
			return err
		}
		return res.Err(cmd.Context())
	}
	return cmd
}

// openComparison opens the training and test data, which all methods share.
func openComparison(cmd *cobra.Command, a *app.App, train, test *app.DataFlags,
	list []method.Spec) (*study.Comparison, error) {
	start, ctx := time.Now(), cmd.Context()
	c := &study.Comparison{Monitor: a.Monitor(cmd)}
	train.OnlyOfTables(test)
	test.OnlyOfTables(train)
	var err error
	if c.Train, err = train.Open(ctx, a, "data", true); err != nil {
		return nil, err
	}
	if test.Opt.Form = c.Train.Form; test.Opt.Form == nil {
		test.Drop = train.Drop
	}
	if c.Test, err = test.Open(ctx, a, "test", true); err != nil {
		return nil, err
	}
	c.Before = time.Since(start)
	names := model.SchemaOf(c.Train)
	tested, learned := a.Seen(datapart.Like(c.Test, names.Columns, names.Channels)), a.Seen(c.Train)
	if share := provenance.LargestOverlap(tested, []provenance.Part{learned}); share > 0 && !a.AllowOverlap {
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
