package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rao/dataset"
	"rao/internal/suggest"
	"rao/method"
	"rao/model"
	"rao/study"
)

// studyFlags are those of rao study.
type studyFlags struct {
	sets                                   []string
	evaluations, methods, subject, session string
	folds                                  int
	out                                    string
	data                                   dataFlags
}

func studyCommand(a *app) *cobra.Command {
	f := &studyFlags{out: "rao-study"}
	cmd := &cobra.Command{
		Use:   "study",
		Short: "Methods × data sets × ways to evaluate, with tests over subjects",
		Long: `Run methods on the data sets of one study or several, in the manner of MOABB: within each
session (stratified folds), across the sessions of a subject (each left out), and across
subjects (each left out). A table tells each subject's score; for every two methods a
one-sided test over the subjects and a standardized difference say which is better, and
Stouffer's method puts the data sets together.

A set is NAME=DATA,DATA...: files or known sets, with the variables subject and session,
or each DATA one subject. --session names another variable, such as testIdx or recording.

--out is a folder for a page, a table (scores.csv, with MOABB's names) and one file for
each score. A study that was cut short goes on where it was: what was scored by the same
version, with the same data and options, is not fitted again.`,
		Example: `  rao study --set 2a=bci-iv-2a:A01,bci-iv-2a:A02 --session testIdx --methods mdm,tslda,enuc
  rao study --set ssvep=s01.npz,s02.npz,s12.npz --session recording --methods mdm,enuc --evaluations cross-session`,
		Args: noArgs,
	}
	flags := cmd.Flags()
	linesVar(flags, &f.sets, "set", "NAME=DATA,...",
		"a data set: its name, and the files or known sets that it is made "+
			"of; may be repeated")
	textVar(flags, &f.methods, "methods", "METHOD,...", "", "names of methods, separated by commas")
	textVar(flags, &f.evaluations, "evaluations", "NAME,...", strings.Join(study.Evaluations, ","),
		"ways to evaluate, separated by commas")
	textVar(flags, &f.subject, "subject", "NAME,...", "",
		"variable that tells the subjects, the first of these that a "+
			"set has; by default subject, where there is one, and else each DATA of a set is one")
	textVar(flags, &f.session, "session", "NAME,...", "",
		"variable that tells the sessions of a subject, the first of "+
			"these that a set has; by default session, where there is one, and else a subject has one")
	countFlag(flags, &f.folds, "cv", 5, 2, 1000, "folds within a session")
	outputFlag(cmd, &f.out, "out", folderOutput, "folder for the page, the table and the scores")
	inGroup(flags, titleData, f.data.pick)
	set := addOptions(cmd, method.Methods()...)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		s, err := f.plan(*set)
		if err != nil {
			return err
		}
		s.Monitor = a.monitor()
		if err := cmp.Or(makeFolder(filepath.Join(f.out, "scores")), s.Begin()); err != nil {
			return err
		}
		for _, given := range f.sets {
			if err := a.addSet(cmd.Context(), s, f, given); err != nil {
				return err
			}
		}
		r, failed := s.Run(cmd.Context())
		if r == nil {
			return failed
		}
		return cmp.Or(a.emit(r, func() { a.printStudy(r, f.out) }), failed)
	}
	return cmd
}

// plan checks the flags before any data are read.
func (f *studyFlags) plan(set method.Settings) (*study.Study, error) {
	s := &study.Study{Folder: f.out, Program: version, Settings: set, Folds: f.folds}
	var err error
	if s.Methods, err = parseMethods(f.methods); err != nil {
		return nil, err
	}
	for _, e := range splitList(f.evaluations) {
		if !slices.Contains(study.Evaluations, e) {
			return nil, usagef("--evaluations: %v", suggest.Unknown("evaluation", e, study.Evaluations))
		}
		if slices.Contains(s.Evaluations, e) {
			return nil, usagef("--evaluations names %s twice", e)
		}
		s.Evaluations = append(s.Evaluations, e)
	}
	if len(s.Evaluations) == 0 || len(f.sets) == 0 {
		return nil, usagef("give --set NAME=DATA,... at least once, and one of --evaluations at least")
	}
	others := slices.DeleteFunc(slices.Clone(set), func(o model.Option) bool { return o.Name == "seed" })
	return s, heeded(s.Methods, others) // the seed deals the folds too
}

// addSet reads a set NAME=DATA,DATA and adds it to the study.
func (a *app) addSet(ctx context.Context, s *study.Study, f *studyFlags, given string) error {
	name, specs, ok := strings.Cut(given, "=")
	list := splitList(specs)
	if !ok || name == "" || len(list) == 0 {
		return usagef("--set %q: want NAME=DATA,DATA...", given)
	}
	var wanted []string // columns of a table that are no features
	for _, names := range [][]string{splitList(f.subject), splitList(f.session)} {
		if len(names) == 1 {
			wanted = append(wanted, names[0])
		}
	}
	var parts []*dataset.Data
	for _, spec := range list {
		one := f.data
		one.spec = spec
		one.opt.Table.Variables = wanted
		d, err := one.open(ctx, a, "set", true)
		if err != nil {
			return err
		}
		parts = append(parts, d)
	}
	d, err := dataset.Together(parts, list)
	if err != nil {
		return fmt.Errorf("set %s: %w", name, err)
	}
	subjects, err := groupsFor(d, "subject", f.subject, "source")
	if err != nil {
		return fmt.Errorf("set %s: %w", name, err)
	}
	sessions, err := groupsFor(d, "session", f.session, "")
	if err != nil {
		return fmt.Errorf("set %s: %w", name, err)
	}
	if err := s.Add(name, d, subjects, sessions); err != nil {
		return usagef("--set: %v", err)
	}
	return nil
}

// groupsFor divides data by a variable: the first of those that were asked for, the usual one
// if it exists, or another; without any, all observations are in one group.
func groupsFor(d *dataset.Data, usual, asked, other string) (*study.Groups, error) {
	list := splitList(asked)
	for _, name := range list {
		if d.Vars[name] != nil {
			return study.GroupsBy(d, name)
		}
	}
	switch columns := d.Vars["columns"]; {
	case len(list) > 0:
		return study.GroupsBy(d, list[0]) // its error lists the variables
	case d.Vars[usual] != nil:
		return study.GroupsBy(d, usual)
	case columns != nil && slices.Contains(columns.Strings, usual):
		return nil, usagef("column %s is among the features: say --%s %s, or --drop %s", usual, usual, usual, usual)
	case other != "" && d.Vars[other] != nil:
		return study.GroupsBy(d, other)
	}
	return study.OneGroup(d.N()), nil
}

func (a *app) printStudy(r *study.Result, folder string) {
	a.table(r.MeanTable())
	if header, rows := r.PairTable(); rows != nil {
		fmt.Fprintln(a.out)
		a.table(header, rows)
	}
	fmt.Fprintf(a.out, "%d scores, %d of them from an earlier run; page, table and scores in %s\n", len(r.Scores),
		r.Reused, folder)
}
