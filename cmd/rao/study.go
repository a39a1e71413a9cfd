package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rao/dataset"
	"rao/internal/suggest"
	"rao/method"
	"rao/model"
)

// The evaluations of a study, by MOABB's names.
const (
	withinSession = "within-session"
	crossSession  = "cross-session"
	crossSubject  = "cross-subject"
)

var studyEvaluations = []string{withinSession, crossSession, crossSubject}

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
	textVar(flags, &f.evaluations, "evaluations", "NAME,...", strings.Join(studyEvaluations, ","),
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
		s.app = a
		return s.run(cmd.Context())
	}
	return cmd
}

// study is what is to be run, and what came of it.
type study struct {
	*app
	flags       *studyFlags
	evaluations []string
	methods     []*method.Method
	set         method.Settings
	result      studyResult
}

// plan checks the flags before any data are read.
func (f *studyFlags) plan(set method.Settings) (*study, error) {
	s := &study{flags: f, set: set}
	var err error
	if s.methods, err = parseMethods(f.methods); err != nil {
		return nil, err
	}
	for _, e := range splitList(f.evaluations) {
		if !slices.Contains(studyEvaluations, e) {
			return nil, usagef("--evaluations: %v", suggest.Unknown("evaluation", e, studyEvaluations))
		}
		if slices.Contains(s.evaluations, e) {
			return nil, usagef("--evaluations names %s twice", e)
		}
		s.evaluations = append(s.evaluations, e)
	}
	if len(s.evaluations) == 0 || len(f.sets) == 0 {
		return nil, usagef("give --set NAME=DATA,... at least once, and one of --evaluations at least")
	}
	others := slices.DeleteFunc(slices.Clone(set), func(o model.Option) bool { return o.Name == "seed" })
	return s, heeded(s.methods, others) // the seed deals the folds too
}

// studySet is a data set of a study.
type studySet struct {
	name     string
	data     *dataset.Data
	subjects []string
	subject  []int // of each observation
	sessions []string
	session  []int // of each observation, among those of all subjects
	digest   string
}

// openSet reads a set NAME=DATA,DATA.
func (s *study) openSet(ctx context.Context, given string) (*studySet, error) {
	name, specs, ok := strings.Cut(given, "=")
	list := splitList(specs)
	if !ok || name == "" || len(list) == 0 {
		return nil, usagef("--set %q: want NAME=DATA,DATA...", given)
	}
	var wanted []string // columns of a table that are no features
	for _, names := range [][]string{splitList(s.flags.subject), splitList(s.flags.session)} {
		if len(names) == 1 {
			wanted = append(wanted, names[0])
		}
	}
	var parts []*dataset.Data
	for _, spec := range list {
		one := s.flags.data
		one.spec = spec
		one.opt.Table.Variables = wanted
		d, err := one.open(ctx, s.app, "set", true)
		if err != nil {
			return nil, err
		}
		parts = append(parts, d)
	}
	d, err := dataset.Together(parts, list)
	if err != nil {
		return nil, fmt.Errorf("set %s: %w", name, err)
	}
	out := &studySet{name: name, data: d, digest: digestOfData(d)}
	if out.subject, out.subjects, err = s.variable(d, "subject", s.flags.subject, "source"); err == nil {
		out.session, out.sessions, err = s.variable(d, "session", s.flags.session, "")
	}
	if err != nil {
		return nil, fmt.Errorf("set %s: %w", name, err)
	}
	s.note("%s: %s of %s in %s", name, plural(d.N(), "observation", "observations"),
		plural(len(out.subjects), "subject", "subjects"), plural(len(out.sessions), "session", "sessions"))
	return out, nil
}

// variable numbers the values of a variable: the first of those that were asked for, the usual
// one where it is there, or another; without any all observations are alike.
func (s *study) variable(d *dataset.Data, usual, asked, other string) (of []int, names []string, err error) {
	list := splitList(asked)
	for _, name := range list {
		if d.Vars[name] != nil {
			return groupsOf(d, name)
		}
	}
	switch columns := d.Vars["columns"]; {
	case len(list) > 0:
		return groupsOf(d, list[0]) // says what there is
	case d.Vars[usual] != nil:
		return groupsOf(d, usual)
	case columns != nil && slices.Contains(columns.Strings, usual):
		return nil, nil, usagef("column %s is among the features: say --%s %s, or --drop %s", usual, usual,
			usual, usual)
	case other != "" && d.Vars[other] != nil:
		return groupsOf(d, other)
	}
	return make([]int, d.N()), []string{"1"}, nil
}
