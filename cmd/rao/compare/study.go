package compare

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rao"
	"rao/cmd/rao/internal/app"
	"rao/dataset"
	"rao/internal/scoring"
	"rao/internal/study"
	"rao/internal/text"
)

type studyFlags struct {
	sets                          []string
	methods                       methodFlags
	evaluations, subject, session string
	out                           string
	score, others                 string
	seconds                       float64
	data                          app.DataFlags
}

func studyCommand(a *app.App) *cobra.Command {
	f := &studyFlags{out: "rao-study"}
	cmd := &cobra.Command{
		Use:   "study",
		Short: "Evaluate methods on data sets, with tests over subjects",
		Long: `Evaluate methods on one or more data sets as MOABB does: within each session
(stratified folds), across the sessions of a subject (leaving out each in turn), and
across subjects (leaving out each in turn). A table shows the score of each subject. For
every pair of methods, a one-sided test over subjects and a standardized difference show
which is better. Stouffer's method combines the data sets.

A set is NAME=DATA,DATA...: files or known sets, with the variables subject and session,
or one subject per DATA. --session-variable names another variable, such as testIdx or recording.

--out is a folder for a page, a table (scores.csv, with MOABB's names) and one file per
score. An interrupted study resumes where it stopped: results of the same version, data
and options are not computed again.`,
		Example: `  rao study --set 2a=bci-iv-2a:A01,bci-iv-2a:A02 --session-variable testIdx \
      --methods mdm,tslda,enuc
  rao study --set ssvep=s01.npz,s02.npz,s12.npz --session-variable recording \
      --methods mdm,enuc --evaluations cross-session`,
		Args: app.NoArgs,
	}
	flags := cmd.Flags()
	app.LinesVar(flags, &f.sets, "set", "NAME=DATA,...",
		"a data set: its name, and the files or known sets in it; may be repeated")
	f.methods.add(cmd, 5, 2, "number of folds within a session")
	app.TextVar(flags, &f.evaluations, "evaluations", "NAME,...", strings.Join(study.Evaluations, ","),
		"ways to evaluate, separated by commas")
	app.TextVar(flags, &f.subject, "subject-variable", "NAME,...", "",
		"variables with the subjects (default subject); a set uses the first that it contains; in a set without any, "+
			"each DATA is one subject")
	app.TextVar(flags, &f.session, "session-variable", "NAME,...", "",
		"variables with the sessions of a subject (default session); a set uses the first that it contains; in a set "+
			"without any, each subject has one session")
	app.TextVar(flags, &f.score, "score", "NAME", "accuracy",
		"measure for the scores: "+strings.Join(scoring.MeasureNames, ", ")+"; MOABB uses auc for two classes")
	app.TextVar(flags, &f.others, "other-scores", "FILE", "",
		"csv of another program's scores on the same sets, such as a network's, with the columns of scores.csv")
	app.NumberFlag(flags, &f.seconds, "decision-seconds", 0, 0, 1e6,
		"seconds per decision, for the bits per minute; by default the window of the data's signal")
	app.OutputFlag(cmd, &f.out, "out", app.FolderOutput, "folder for the page, the table and the scores")
	app.InGroup(flags, app.TitleData, f.data.Pick)
	f.data.Learn(flags)
	cmd.RunE = func(cmd *cobra.Command, _ []string) (failed error) {
		s, err := f.plan()
		if err != nil {
			return err
		}
		if f.others != "" {
			if s.Others, err = study.ReadScores(f.others); err != nil {
				return err
			}
		}
		s.Monitor = a.Monitor(cmd)
		if _, err := os.Stat(f.out); err != nil { // a new folder
			defer func() {
				if failed != nil {
					s.RemoveEmpty()
				}
			}()
		}
		if err := cmp.Or(app.MakeFolder(filepath.Join(f.out, "scores")), s.Begin()); err != nil {
			return err
		}
		for _, given := range f.sets {
			if err := addSet(cmd.Context(), a, s, f, given); err != nil {
				return err
			}
		}
		r, err := s.Run(cmd.Context())
		if r == nil {
			return err
		}
		return cmp.Or(a.Emit(r, func() { printStudy(a, r, f.out) }), err)
	}
	return cmd
}

// plan checks the flags and returns the study without its data. No data are read yet.
func (f *studyFlags) plan() (*study.Study, error) {
	s := &study.Study{Folder: f.out, Program: app.Version, Folds: f.methods.folds, Seed: uint64(f.methods.seed),
		Score: f.score, Seconds: f.seconds}
	if err := scoring.CheckMeasures([]string{f.score}); err != nil {
		return nil, app.Usagef("--score: %v", err)
	}
	var err error
	if s.Methods, err = f.methods.specs(); err != nil {
		return nil, err
	}
	for _, e := range text.SplitList(f.evaluations) {
		if !slices.Contains(study.Evaluations, e) {
			return nil, app.Usagef("--evaluations: %v", &rao.UnknownError{Kind: "evaluation", Name: e,
				Known: study.Evaluations})
		}
		if slices.Contains(s.Evaluations, e) {
			return nil, app.Usagef("--evaluations names %s twice; name it once", e)
		}
		s.Evaluations = append(s.Evaluations, e)
	}
	if len(f.sets) == 0 {
		return nil, app.Usagef("--set NAME=DATA,... is required: a name for the data, and the files or known sets")
	}
	if len(s.Evaluations) == 0 {
		return nil, app.Usagef("--evaluations names none; name at least one of %s",
			strings.Join(study.Evaluations, ", "))
	}
	return s, nil
}

// addSet adds a data set given as NAME=DATA,DATA to the study.
func addSet(ctx context.Context, a *app.App, s *study.Study, f *studyFlags, given string) error {
	name, specs, ok := strings.Cut(given, "=")
	list := text.SplitList(specs)
	if !ok || name == "" || len(list) == 0 {
		return app.Usagef("--set %q: give a name and data, as NAME=DATA,DATA", given)
	}
	var wanted []string // columns of a table that are not features
	for _, names := range [][]string{text.SplitList(f.subject), text.SplitList(f.session)} {
		if len(names) == 1 {
			wanted = append(wanted, names[0])
		}
	}
	f.data.Opt.Table.Variables = wanted
	d, err := openTogether(ctx, a, &f.data, "set", list)
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
		return app.Usagef("--set: %v", err)
	}
	return nil
}

// groupsFor groups the observations of d by a variable: the first one in the list asked that d contains, or else usual,
// or else other. If d contains none of them, all observations form one group. It is an error if asked is not empty and
// d contains none of its variables, or if usual is a column of features.
func groupsFor(d *dataset.Data, usual, asked, other string) (*study.Groups, error) {
	list := text.SplitList(asked)
	for _, name := range list {
		if d.Vars[name] != nil {
			return study.GroupsBy(d, name)
		}
	}
	switch columns := d.Vars["columns"]; {
	case len(list) > 0:
		return study.GroupsBy(d, list[0]) // this call returns an error that lists the variables
	case d.Vars[usual] != nil:
		return study.GroupsBy(d, usual)
	case columns != nil && slices.Contains(columns.Strings, usual):
		return nil, app.Usagef("column %s would be used as a feature; give --%s-variable %s to use it for groups, or "+
			"--drop %s to leave it out", usual, usual, usual, usual)
	case other != "" && d.Vars[other] != nil:
		return study.GroupsBy(d, other)
	}
	return study.OneGroup(d.N()), nil
}

func printStudy(a *app.App, r *study.Result, folder string) {
	a.Table(r.MeanTable())
	if header, rows := r.PairTable(); rows != nil {
		fmt.Fprintln(a.Out)
		a.Table(header, rows)
	}
	fmt.Fprintf(a.Out, "%s, %d of them from an earlier run; page, table and scores in %s\n",
		text.Plural(len(r.Scores), "score", "scores"), r.Reused, folder)
}
