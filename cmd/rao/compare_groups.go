package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"rao/dataset"
	"rao/internal/suggest"
	"rao/method"
	"rao/model"
	"rao/study"
)

// groupFlags say how compare leaves out groups.
type groupFlags struct {
	groups, recordings, calibrate, align string
	folds, repeats, few                  int
	tradeoff                             float64
	predictions, figure                  string
}

// alignments returns those of --align, and the variable and value of --calibrate.
func (f *groupFlags) alignments() (ways []string, variable, value string, err error) {
	ways = splitList(f.align)
	for _, way := range ways {
		if !slices.Contains(study.Alignments, way) {
			return nil, "", "", usagef("--align: %v", suggest.Unknown("way", way, study.Alignments))
		}
	}
	if f.calibrate != "" {
		var ok bool
		if variable, value, ok = strings.Cut(f.calibrate, "="); !ok || variable == "" {
			return nil, "", "", usagef("--calibrate %q: want NAME=VALUE", f.calibrate)
		}
	}
	return ways, variable, value, nil
}

// flagOf names the flag of a field of study.LeaveOut.
var flagOf = map[string]string{"Folds": "--cv", "Align": "--align", "Calibration": "--calibrate NAME=VALUE",
	"Tradeoff": "--tradeoff", "Few": "--few"}

// compareGroups leaves out every group for every method and alignment.
func (a *app) compareGroups(ctx context.Context, train *dataFlags, f *groupFlags, list []*method.Method,
	set method.Settings) error {
	ways, variable, value, err := f.alignments()
	if err != nil {
		return err
	}
	l, err := a.openGroups(ctx, train, f, variable, value)
	if err != nil {
		return err
	}
	l.Folds, l.Repeats, l.Align, l.Few, l.Tradeoff = f.folds, f.repeats, ways, f.few, f.tradeoff
	l.Decisions, l.Monitor = f.predictions != "", a.monitor()
	res, err := l.Run(ctx, list, set)
	if e := (*study.PlanError)(nil); errors.As(err, &e) {
		return usagef("%s %s", flagOf[e.Field], e.Reason)
	}
	if err != nil || len(res.Rows) == 0 {
		return cmp.Or(err, ctx.Err())
	}
	res.Groups = f.groups
	if f.predictions != "" && ctx.Err() == nil {
		if err := res.WriteDecisions(f.predictions); err != nil {
			return err
		}
		a.note("predictions written to %s", f.predictions)
	}
	if f.figure != "" && ctx.Err() == nil {
		if err := res.Figure().WriteFile(f.figure); err != nil {
			return err
		}
		a.note("picture written to %s", f.figure)
	}
	if err := a.emit(res, func() { a.printGroups(res) }); err != nil {
		return err
	}
	return res.Err(ctx)
}

func (a *app) printGroups(r *study.GroupResult) {
	a.table(r.Table())
	if header, rows := r.ScoreTable(); rows != nil {
		fmt.Fprintln(a.out, "\naccuracy on what was left out")
		a.table(header, rows)
	}
	if header, rows := r.PairTable(); rows != nil {
		fmt.Fprintln(a.out, "\ndifferences in accuracy; p-values adjusted by Holm")
		a.table(header, rows)
	}
}

// openGroups reads the data; groups named source are the sets that --train lists.
func (a *app) openGroups(ctx context.Context, train *dataFlags, f *groupFlags, variable,
	value string) (*study.LeaveOut, error) {
	wanted := append(splitList(f.groups), f.recordings, variable)
	train.opt.Table.Variables = slices.DeleteFunc(wanted, func(s string) bool {
		return s == "" || s == "source"
	})
	l := &study.LeaveOut{}
	var err error
	if names := splitList(train.spec); f.groups == "source" {
		if opt, err := train.options(); err != nil || opt.Table.Learn {
			return nil, cmp.Or(err, usagef("--groups source reads every file by itself; --categories, --missing, "+
				"--drop, "+
				"--keep and --id-column need one reading: name a column in --groups"))
		}
		var sets []*dataset.Data
		for _, name := range names {
			one := *train
			one.spec = name
			d, err := one.open(ctx, a, "train", true)
			if err != nil {
				return nil, err
			}
			sets = append(sets, d)
		}
		if l.Data, err = dataset.Together(sets, names); err != nil {
			return nil, err
		}
	} else if l.Data, err = train.open(ctx, a, "train", true); err != nil {
		return nil, err
	}
	if l.Groups, err = study.GroupsBy(l.Data, splitList(f.groups)...); err != nil {
		return nil, fmt.Errorf("%s: %w", l.Data.Source, err)
	}
	if f.recordings != "" {
		by, err := study.GroupsBy(l.Data, f.recordings)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.Data.Source, err)
		}
		l.Recordings = by.Of
	} else {
		l.Recordings = model.RecordingsOf(l.Data)
	}
	if variable == "" {
		return l, nil
	}
	if _, err := study.GroupsBy(l.Data, variable); err != nil {
		return nil, fmt.Errorf("%s: --calibrate: %w", l.Data.Source, err)
	}
	l.Calibration = make([]bool, l.Data.N())
	for i := range l.Calibration {
		l.Calibration[i] = l.Data.Vars[variable].Text(i) == value
	}
	if !slices.Contains(l.Calibration, true) || !slices.Contains(l.Calibration, false) {
		return nil, fmt.Errorf("%s: --calibrate %s=%s is true of all rows or of none", l.Data.Source, variable, value)
	}
	return l, nil
}
