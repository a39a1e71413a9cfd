package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rao/gaussian"
	"rao/method"
	"rao/study"
)

func compareCommand(a *app) *cobra.Command {
	var train, test dataFlags
	var methods, html, figure string
	var testLabels string
	var trainWhere, testWhere []string
	var groups groupFlags
	var halvings int
	cmd := &cobra.Command{
		Use:   "compare",
		Short: "Several methods on the same data, in one table",
		Long: `Fit each method on the training data and score it on the test data. A method of
filters is followed by the classifier of --classifier, and beside it by nearest
neighbors on the same features. Options that a method does not read leave it
alone. A method that fails has its reason in its row and the others go on; the exit
status is then 1. Ctrl-C prints the rows so far. One file with a
flag serves as both parts: name it in --train, and what tells the parts apart in
--train-where and --test-where. --html writes a page with the figures, --figure draws the accuracies alone,
and --curve adds learning curves.
--groups NAME leaves out one value of a variable of the training data at a time, such as
one person, and learns from the others; --groups NAME,NAME does so with the combinations of
two, --cv with folds of groups, and --repeats with several seeds. Every step of a method is
learned anew without what is left out, and tests say which methods differ; --groups source does so with the data that
--train lists, separated by commas. --align moves the recordings of SPD matrices first,
without labels: center by their own means, scale also to equal dispersion; rotate also
turns the class means onto each other, with the labels that --calibrate names.`,
		Example: `  rao compare --train digits:train --test digits:test --methods pca,lda,smsqfa,sqfa ` +
			`--html compare.html
  rao compare --train A01.mat --x P --y Label --train-where testIdx=0 --test-where testIdx=1 --methods mdm,tslda
  rao compare --train bci-iv-2a:A01,bci-iv-2a:A02,bci-iv-2a:A03 --groups source --recordings testIdx \
      --align none,center,scale,rotate --calibrate testIdx=0 --methods mdm,enuc`,
		Args: noArgs,
	}
	train.addLearning(cmd, "train", "labeled training data")
	test.add(cmd, "test", "labeled test data; with --test-where the file of --train by default")
	linesVar(cmd.Flags(), &trainWhere, "train-where", "NAME=VALUE", "keep the training rows where NAME=VALUE; may be "+
		"repeated")
	linesVar(cmd.Flags(), &testWhere, "test-where", "NAME=VALUE",
		"keep the test rows where NAME=VALUE; may be repeated")
	textVar(cmd.Flags(), &methods, "methods", "METHOD,...", "",
		"names of methods, separated by commas (rao fit --help lists them)")
	f := cmd.Flags()
	textVar(f, &testLabels, "test-labels", "FILE", "",
		"file of labels of the test data, as --labels is of the training data")
	textVar(f, &groups.groups, "groups", "NAME,...", "",
		"variables, separated by commas, whose combinations of values are "+
			"left out "+
			"one at a time, or source: the data that --train lists")
	countFlag(f, &groups.folds, "cv", 0, 0, 1000, "with --groups: deal the groups to so many folds; 0 leaves out "+
		"one at a time")
	countFlag(f, &groups.repeats, "repeats", 1, 1, 1000, "with --groups: repeats, each with another seed and other "+
		"folds")
	outputFlag(cmd, &groups.predictions, "predictions", tableOutput, "csv file to write: with --groups, what each "+
		"method "+
		"says of each row that was left out")
	textVar(f, &groups.recordings, "recordings", "NAME", "",
		"with --groups: variable that tells the recordings of a group "+
			"apart; by default recording, where there is one")
	textVar(f, &groups.align, "align", "WAY,...", "none",
		"with --groups: ways to move matrices first, separated by commas: "+
			"none, center, scale, rotate")
	textVar(f, &groups.calibrate, "calibrate", "NAME=VALUE", "",
		"with --groups: NAME=VALUE of the rows of the group left out "+
			"whose labels are known; they are not scored")
	countFlag(f, &halvings, "curve", 0, 0, 30, "learning curves: how often the training data are halved; 0 draws none")
	countFlag(f, &groups.few, "few", 0, 0, 1<<30,
		"with --calibrate: use only this many labels of each class, the first; 0 uses all")
	numberFlag(f, &groups.tradeoff, "tradeoff", 0, 0, 1, "with --calibrate and mdm: how far class means go from those "+
		"of the others to those of the labeled rows (MDWM)")
	allowOverlap(cmd, &a.allowOverlap)
	outputFlag(cmd, &html, "html", pageOutput, "html file to write: one page with the figures, no other files needed")
	outputFlag(cmd, &figure, "figure", figureOutput, "svg, png or pdf file for a picture of the accuracies")
	set := addOptions(cmd, method.Methods()...)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		list, err := parseMethods(methods)
		if err != nil {
			return err
		}
		if err := heeded(list, *set); err != nil {
			return err
		}
		if groups.groups != "" {
			for _, name := range []string{"test", "train-where", "test-labels", "test-where", "html", "allow-overlap",
				"curve"} {
				if cmd.Flags().Changed(name) {
					return usagef("--groups learns from and decides on --train; leave --%s out", name)
				}
			}
			groups.figure = figure
			return a.compareGroups(cmd.Context(), &train, &groups, list, *set)
		}
		for _, name := range []string{"recordings", "align", "calibrate", "cv", "repeats", "predictions"} {
			if cmd.Flags().Changed(name) {
				return usagef("--%s is for --groups", name)
			}
		}
		test.opt, test.head, test.csv = train.opt, train.head, train.csv
		test.opt.Labels = testLabels
		train.opt.Where = slices.Concat(train.opt.Where, trainWhere)
		test.opt.Where = slices.Concat(test.opt.Where, testWhere)
		if test.spec == "" && len(testWhere) > 0 {
			test.spec = train.spec
		}
		c, err := a.openComparison(cmd.Context(), &train, &test, list)
		if err != nil {
			return err
		}
		res := c.Run(cmd.Context(), list, *set)
		if len(res.Rows) == 0 {
			return cmd.Context().Err()
		}
		if halvings > 0 && cmd.Context().Err() == nil {
			if err := c.Curve(cmd.Context(), res, list, *set, halvings); err != nil {
				return fmt.Errorf("--curve: %w", err)
			}
		}
		if html != "" && cmd.Context().Err() == nil {
			page, err := c.Page(cmd.Context(), res, "rao "+version)
			if err == nil {
				err = page.WriteFile(html)
			}
			if err != nil {
				return err
			}
			a.note("page written to %s", html)
		}
		if figure != "" && cmd.Context().Err() == nil {
			if err := res.Figure(false).WriteFile(figure); err != nil {
				return err
			}
			a.note("picture written to %s", figure)
		}
		if err := a.emit(res, func() { a.printComparison(res) }); err != nil {
			return err
		}
		return res.Err(cmd.Context())
	}
	return cmd
}

// heeded returns an error for a setting that none of the methods heeds; neighbors serve
// the column of nearest neighbors too.
func heeded(list []*method.Method, set method.Settings) error {
	for _, o := range set {
		if o.Name == "neighbors" || slices.ContainsFunc(list, func(m *method.Method) bool {
			_, ok := m.Only(set).Get(o.Name)
			return ok
		}) {
			continue
		}
		return usagef("none of the methods heeds --%s beside the other options", o.Name)
	}
	return nil
}

func parseMethods(names string) ([]*method.Method, error) {
	if names == "" {
		return nil, withMethods("--methods is required; there are methods that learn from")
	}
	var list []*method.Method
	for _, n := range strings.Split(names, ",") {
		m, err := method.Lookup(strings.TrimSpace(n))
		if err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	return list, nil
}

// openComparison reads the data that all methods share.
func (a *app) openComparison(ctx context.Context, train, test *dataFlags, list []*method.Method) (*study.Comparison,
	error) {
	start := time.Now()
	c := &study.Comparison{Monitor: a.monitor()}
	var err error
	if c.Train, err = train.open(ctx, a, "train", true); err != nil {
		return nil, err
	}
	if test.opt.Form = c.Train.Form; test.opt.Form == nil {
		test.drop = train.drop
	}
	if c.Test, err = test.open(ctx, a, "test", true); err != nil {
		return nil, err
	}
	c.Before = time.Since(start)
	if share := overlapOf(a.seen(c.Test), []gaussian.Part{a.seen(c.Train)}); share > 0 && !a.allowOverlap {
		a.note("about %.0f %% of the test observations are among the training ones, so that the scores are too good; "+
			"use others, or say --allow-overlap", 100*share)
	}
	return c, c.Estimate(list)
}

func (a *app) printComparison(r *study.Rows) {
	a.table(r.Table())
	if header, rows := r.CurveTable(); rows != nil {
		fmt.Fprintln(a.out)
		a.table(header, rows)
	}
}
