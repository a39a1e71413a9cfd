package compare

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rao"
	"rao/cmd/rao/internal/app"
	"rao/dataset"
	"rao/internal/study"
	"rao/internal/text"
	"rao/method"
	"rao/model"
)

const titleGroups = "Groups left out"

func init() {
	app.Topic("groups", titleGroups, "How groups of the training data are left out",
		"Flags of rao compare with --groups.", func(cmd *cobra.Command) { new(groupFlags).register(cmd.Flags()) })
}

type groupFlags struct {
	groups, recordings, calibrate, align string
	repeats, few                         int
	tradeoff                             float64
	predictions, figure                  string
}

// register adds all flags except --groups and the output flags, which the command registers.
func (g *groupFlags) register(f *pflag.FlagSet) {
	app.CountFlag(f, &g.repeats, "repeats", 1, 1, 1000,
		"repetitions, each with a new seed and new folds")
	app.TextVar(f, &g.recordings, "recordings", "NAME", "",
		"variable that separates the recordings of a group; by default recording, if there is one")
	app.TextVar(f, &g.align, "align", "WAY,...", "none",
		"how to align recordings first, separated by commas: "+strings.Join(study.Alignments(), ", "))
	app.TextVar(f, &g.calibrate, "calibrate", "NAME=VALUE", "",
		"rows of the left-out group whose labels may be used; they are not scored")
	app.CountFlag(f, &g.few, "few", 0, 0, 1<<30,
		"with --calibrate: number of labels of each class to use, from the first; 0 uses all")
	app.NumberFlag(f, &g.tradeoff, "tradeoff", 0, 0, 1,
		"with --calibrate and mdm: how far the class means move from the other people's means towards the means of "+
			"the labeled rows (MDWM)")
}

// alignments parses --align into names and --calibrate into a variable and its value. An unknown alignment is a usage
// error.
func (f *groupFlags) alignments() (ways []string, variable, value string, err error) {
	ways = text.SplitList(f.align)
	for _, way := range ways {
		if !slices.Contains(study.Alignments(), way) {
			return nil, "", "", app.Usagef("--align: %v", &rao.UnknownError{Kind: "alignment", Name: way,
				Known: study.Alignments()})
		}
	}
	if f.calibrate != "" {
		var ok bool
		if variable, value, ok = strings.Cut(f.calibrate, "="); !ok || variable == "" {
			return nil, "", "", app.Usagef("--calibrate %q: give NAME=VALUE, such as session=1", f.calibrate)
		}
	}
	return ways, variable, value, nil
}

// compareGroups leaves out each group in turn and compares every method with every alignment.
func compareGroups(cmd *cobra.Command, a *app.App, train *app.DataFlags, f *groupFlags, methods *methodFlags,
	list []method.Spec) error {
	ctx := cmd.Context()
	ways, variable, value, err := f.alignments()
	if err != nil {
		return err
	}
	l := &study.LeaveOut{Folds: methods.folds, Repeats: f.repeats, Align: ways, Few: f.few, Tradeoff: f.tradeoff,
		Seed: uint64(methods.seed), Decisions: f.predictions != "", Monitor: a.Monitor(cmd)}
	if err := l.Check(list, variable != ""); err != nil {
		return app.AsUsage(err)
	}
	if err := openGroups(ctx, a, train, f, l, variable, value); err != nil {
		return err
	}
	a.Patient.Store(true) // after a signal, wait for the table; Run ends soon
	res, err := l.Run(ctx, list)
	a.Patient.Store(ctx.Err() != nil)
	if err != nil || len(res.Rows) == 0 {
		return app.AsUsage(cmp.Or(err, ctx.Err()))
	}
	res.Groups = f.groups
	if f.predictions != "" && ctx.Err() == nil {
		if err := res.WriteDecisions(f.predictions); err != nil {
			return err
		}
		a.Note("predictions written to %s", f.predictions)
	}
	if f.figure != "" && ctx.Err() == nil {
		if err := res.Figure().WriteFile(f.figure); err != nil {
			return err
		}
		a.Note("figure written to %s", f.figure)
	}
	if err := a.Emit(res, func() { printGroups(a, res) }); err != nil {
		return err
	}
	return res.Err(ctx)
}

func printGroups(a *app.App, r *study.GroupResult) {
	a.Table(r.Table())
	if header, rows := r.ScoreTable(); rows != nil {
		fmt.Fprintln(a.Out, "\naccuracy on the left-out rows")
		a.Table(header, rows)
	}
	if header, rows := r.PairTable(); rows != nil {
		fmt.Fprintln(a.Out, "\ndifferences in accuracy; p-values adjusted by Holm")
		a.Table(header, rows)
	}
}

// openTogether reads several data sets and joins them. The variable source names the data set of each observation.
func openTogether(ctx context.Context, a *app.App, data *app.DataFlags, flag string,
	names []string) (*dataset.Data, error) {
	parts := make([]*dataset.Data, len(names))
	for i, name := range names {
		one := *data
		one.Spec = name
		var err error
		if parts[i], err = one.Open(ctx, a, flag, true); err != nil {
			return nil, err
		}
	}
	return dataset.Concat(parts, names)
}

// openGroups reads the data and divides them into groups. With --groups source, each data set in --data is a group.
func openGroups(ctx context.Context, a *app.App, train *app.DataFlags, f *groupFlags, l *study.LeaveOut, variable,
	value string) error {
	wanted := append(text.SplitList(f.groups), f.recordings, variable)
	train.Opt.Table.Variables = slices.DeleteFunc(wanted, func(s string) bool {
		return s == "" || s == "source"
	})
	var err error
	if names := text.SplitList(train.Spec); f.groups == "source" {
		if opt, err := train.Options(); err != nil || opt.Table.Learn {
			return cmp.Or(err, app.Usagef("--groups source reads every file separately, but --categories, "+
				"--missing, --drop, --keep and --id-column apply to all files together; leave them out, or name a "+
				"column in --groups"))
		}
		if l.Data, err = openTogether(ctx, a, train, "data", names); err != nil {
			return err
		}
	} else if l.Data, err = train.Open(ctx, a, "data", true); err != nil {
		return err
	}
	if l.Groups, err = study.GroupsBy(l.Data, text.SplitList(f.groups)...); err != nil {
		return fmt.Errorf("%s: %w", l.Data.Source, err)
	}
	if f.recordings != "" {
		by, err := study.GroupsBy(l.Data, f.recordings)
		if err != nil {
			return fmt.Errorf("%s: %w", l.Data.Source, err)
		}
		l.Recordings = by.Of
	} else {
		l.Recordings = model.BatchOf(l.Data).Recordings
	}
	if variable == "" {
		return nil
	}
	if _, err := study.GroupsBy(l.Data, variable); err != nil {
		return fmt.Errorf("%s: --calibrate: %w", l.Data.Source, err)
	}
	l.Calibration = make([]bool, l.Data.N())
	for i := range l.Calibration {
		l.Calibration[i] = l.Data.Vars[variable].Text(i) == value
	}
	if !slices.Contains(l.Calibration, true) || !slices.Contains(l.Calibration, false) {
		return fmt.Errorf("%s: --calibrate %s=%s matches all rows or none; use a value that only some "+
			"rows have", l.Data.Source, variable, value)
	}
	return nil
}
