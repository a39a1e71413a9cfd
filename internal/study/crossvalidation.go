package study

import (
	"context"
	"errors"
	"fmt"
	"rao/internal/indices"
	"rao/internal/par"
	"slices"
	"strconv"
	"strings"
	"time"

	"rao"
	"rao/dataset"
	"rao/evaluate"
	"rao/internal/text"
	"rao/method"
)

// LeaveOut is a cross-validation that leaves out groups of observations: it fits methods on all other groups and
// classifies the left-out groups.
type LeaveOut struct {
	Data       *dataset.Data
	Groups     *Groups
	Others     []*Groups // groups of the repeats that follow the first; nil: Groups
	Recordings []int     // recording of each observation within its group; nil: a group is one recording

	Folds   int    // number of random folds of groups; 0 leaves out one group at a time
	Repeats int    // number of repetitions with different folds and a different seed of the method; 0 means 1
	Seed    uint64 // of the folds, the same for all methods

	Align       []string // alignments to apply before learning (see Alignments); nil means AsRecorded
	Calibration []bool   // rows whose labels may be used while their group is left out; they are not scored
	Few         int      // use only this many of their labels per class and group, the first ones; 0 uses all
	Tradeoff    float64  // how far the class means of mdm move towards those of the calibration rows, 0 to 1

	Decisions bool // keep the decisions, for WriteDecisions
	Monitor   Monitor

	known []bool // calibration rows whose labels are used
}

// GroupScore is the score of a method on one left-out group.
type GroupScore struct {
	Group    string `json:"group"`
	Repeat   int    `json:"repeat"` // from 0
	N        int    `json:"n"`
	Accuracy Number `json:"accuracy"`
	Kappa    Number `json:"kappa"`
}

// GroupRow is a method with one alignment of the groups. The JSON names must not change.
type GroupRow struct {
	Method     string       `json:"method"`
	Align      string       `json:"align"`
	Accuracy   Number       `json:"accuracy"` // means over the groups, with standard deviations
	AccuracySD Number       `json:"accuracy_sd"`
	Kappa      Number       `json:"kappa"`
	KappaSD    Number       `json:"kappa_sd"`
	Seconds    float64      `json:"seconds"`
	Groups     []GroupScore `json:"groups"`
	Error      string       `json:"error,omitempty"`

	way       string
	folds     []float64 // accuracy of each fold of each repeat
	decisions []foldDecisions
	warnings  text.FitWarnings
}

// foldDecisions are the decisions on the left-out rows of one fold.
type foldDecisions struct {
	repeat int
	*Decisions
}

// GroupResult is the result of a LeaveOut. The JSON names must not change.
type GroupResult struct {
	Train  string      `json:"train"`
	Groups string      `json:"groups"`
	Rows   []*GroupRow `json:"rows"`
	Pairs  []Pair      `json:"pairs,omitempty"`

	plan *LeaveOut
}

// check returns a *rao.OptionError if the settings contradict each other or the data.
func (l *LeaveOut) check(methods []method.Spec) error {
	if err := l.Groups.check(l.Folds); err != nil {
		return err
	}
	if l.aligns() && l.Data.Stack == nil {
		return rao.Optionf("align", "{align} needs matrices, but %s; leave out {align}",
			text.NoMatrices(l.Data.Source, l.Data.Image))
	}
	if err := l.Check(methods, l.Calibration != nil); err != nil {
		return err
	}
	return l.Groups.checkClasses(l.Data.Labels, len(l.Data.Classes))
}

func (l *LeaveOut) aligns() bool {
	return slices.ContainsFunc(l.Align, func(a string) bool { return a != AsRecorded })
}

// Check returns a *rao.OptionError if the settings contradict each other. It needs no data. calibrated reports whether
// there are rows for calibration.
func (l *LeaveOut) Check(methods []method.Spec, calibrated bool) error {
	aligns := l.aligns()
	rotates := slices.ContainsFunc(l.Align, func(a string) bool {
		way, _ := alignmentOf(a)
		return way.rotate
	})
	other := slices.IndexFunc(methods, func(s method.Spec) bool { return !moves(s.Method) })
	switch {
	case aligns && l.Folds > 0:
		return rao.Optionf("align", "{align} moves one group at a time and cannot be used with folds of groups; "+
			"leave out {cv}")
	case l.repeats() > 1 && l.Folds == 0 && l.Others == nil:
		return rao.Optionf("repeats", "{repeats=%d} would leave out the same groups %d times; give a number of random "+
			"folds ({cv}), or leave out {repeats}", l.Repeats, l.Repeats)
	case aligns && l.Others != nil:
		return rao.Optionf("align",
			"{align} moves one group at a time and cannot be used with repeats of other groups; leave out {repeats}")
	case !calibrated && rotates:
		return rao.Optionf("calibrate",
			"{align=rotate} needs labels of the left-out group; select the labeled rows with {calibrate=NAME=VALUE}")
	case !calibrated && (l.Few > 0 || l.Tradeoff > 0):
		return rao.Optionf("calibrate", "{tradeoff} and {few} use labels of the left-out group; select the labeled "+
			"rows with {calibrate=NAME=VALUE}")
	case l.Folds > 0 && l.Tradeoff > 0:
		return rao.Optionf("tradeoff",
			"{tradeoff} moves the class means to one group at a time and cannot be used with folds of groups; leave "+
				"out {cv}")
	case l.Few > 0 && l.Tradeoff == 0 && !rotates:
		return rao.Optionf("few", "{few} limits the labels for calibration, but nothing uses these labels; add "+
			"{tradeoff} or {align=rotate}")
	case l.Tradeoff > 0 && other >= 0:
		return rao.Optionf("tradeoff", "{tradeoff} moves the class means of mdm, but %s has none; leave out the "+
			"method or {tradeoff}", methods[other])
	}
	return nil
}

// moves reports whether the class means of a method can be moved towards the class means of a recording.
func moves(m *method.Method) bool {
	_, err := m.Option("tradeoff")
	return err == nil
}

// Run leaves out every group for every method and alignment. If a row fails, its field Error contains the reason. An
// interrupted run returns the finished rows. Run returns an error only if the settings contradict each other or the
// data.
func (l *LeaveOut) Run(ctx context.Context, methods []method.Spec) (*GroupResult, error) {
	if err := l.check(methods); err != nil {
		return nil, err
	}
	l.knowFew()
	if folds, err := evaluate.LeaveOneGroupOut(l.Groups.Of); err == nil {
		l.Monitor.noteCopies(l.Data, folds)
	}
	ways := l.Align
	if ways == nil {
		ways = []string{AsRecorded}
	}
	r := &GroupResult{Train: l.Data.Source, plan: l}
	for _, s := range methods {
		for _, way := range ways {
			row, ended := par.Await(ctx, l.Monitor.Abandon, func() *GroupRow { return l.row(ctx, s, way) })
			if !ended || ctx.Err() != nil {
				return r, nil
			}
			if row.Error != "" {
				l.Monitor.note("%s: %s", aligned(s, way), row.Error)
			}
			if w := row.warnings.String(); w != "" {
				l.Monitor.note("%s: %s", aligned(s, way), w)
			}
			r.Rows = append(r.Rows, row)
		}
	}
	r.Pairs = l.pairs(r.Rows)
	return r, nil
}

func (l *LeaveOut) repeats() int { return max(1, l.Repeats) }

func (l *LeaveOut) groups(repeat int) *Groups {
	if repeat == 0 || l.Others == nil {
		return l.Groups
	}
	return l.Others[repeat-1]
}

// aligned returns the name of a method, followed by the alignment of the recordings unless it is AsRecorded.
func aligned(s method.Spec, way string) string {
	if way == AsRecorded {
		return s.String()
	}
	return fmt.Sprintf("%s, %s", s, way)
}

// row leaves out every fold of groups for one method and alignment.
func (l *LeaveOut) row(ctx context.Context, s method.Spec, way string) *GroupRow {
	row := &GroupRow{Method: s.String(), Align: way, way: way}
	if l.Tradeoff > 0 {
		row.Align += fmt.Sprintf(", tradeoff %g", l.Tradeoff)
	}
	start := time.Now()
	show, done := l.Monitor.start(aligned(s, way))
	defer done()
	seed := Seed(s)
	for repeat := range l.repeats() {
		own := s
		if _, err := s.Method.Option("seed"); err == nil && l.repeats() > 1 {
			err := own.Set(evaluate.Setting{Name: "seed", Value: strconv.FormatUint(seed+uint64(repeat), 10)})
			if err != nil {
				row.Error = err.Error()
				return row
			}
		}
		folds := l.groups(repeat).folds(l.Folds, l.Seed+uint64(repeat))
		for i, out := range folds {
			if err := l.fold(ctx, row, repeat, out, own, way); err != nil {
				name := l.groups(repeat).Names[out[0]]
				if strings.HasPrefix(name, "fold ") {
					name = fmt.Sprintf("%s of %d", name, len(folds))
				} else {
					name = "group " + name
				}
				row.Error = fmt.Sprintf("%s: %s", name, l.Monitor.message(err))
				return row
			}
			show.Send(rao.Event{Stage: "groups", Done: repeat*len(folds) + i + 1, Total: l.repeats() * len(folds)})
		}
	}
	accuracy, kappa := make([]float64, len(row.Groups)), make([]float64, len(row.Groups))
	for i, s := range row.Groups {
		accuracy[i], kappa[i] = float64(s.Accuracy), float64(s.Kappa)
	}
	row.Accuracy, row.AccuracySD = meanSD(accuracy)
	row.Kappa, row.KappaSD = meanSD(kappa)
	row.Seconds = time.Since(start).Seconds()
	return row
}

// fold fits the method on the other groups, classifies the left-out groups, and adds their scores to row.
func (l *LeaveOut) fold(ctx context.Context, row *GroupRow, repeat int, out []int, s method.Spec,
	way string) error {
	d, err := l.aligned(ctx, out[0], way)
	if err != nil {
		return err
	}
	groups := l.groups(repeat)
	left := func(i int) bool { return slices.Contains(out, groups.Of[i]) }
	train := where(d.N(), func(i int) bool { return !left(i) })
	test := where(d.N(), func(i int) bool { return left(i) && !l.calibrates(i) })
	if len(test) == 0 {
		return errors.New("all observations of the group are used for calibration, so none remain for prediction; " +
			"calibrate with fewer")
	}
	mod, _, err := fit(ctx, s, d, train)
	if err != nil {
		return err
	}
	row.warnings.Add(mod.Warnings)
	if l.Tradeoff > 0 {
		if err := l.approach(ctx, mod, d, where(d.N(), func(i int) bool { return left(i) && l.known[i] })); err != nil {
			return err
		}
	}
	decided, err := decide(ctx, mod, d, test)
	if err != nil {
		return err
	}
	for _, k := range out {
		at := where(len(test), func(i int) bool { return groups.Of[test[i]] == k })
		if len(at) == 0 {
			continue // all of its rows are used for calibration
		}
		scores, err := decided.Score(at...)
		if err != nil {
			return err
		}
		row.Groups = append(row.Groups, GroupScore{groups.Names[k], repeat, len(at), Number(scores.Accuracy),
			Number(scores.Kappa)})
	}
	row.folds = append(row.folds, evaluate.Accuracy(decided.Truth, decided.Label))
	if l.Decisions {
		row.decisions = append(row.decisions, foldDecisions{repeat, decided})
	}
	return nil
}

func (l *LeaveOut) calibrates(i int) bool { return l.Calibration != nil && l.Calibration[i] }

// Err returns an error if the run was interrupted or a row failed.
func (r *GroupResult) Err(ctx context.Context) error {
	if ctx.Err() != nil {
		if len(r.Rows) == 0 {
			return ctx.Err()
		}
		return errors.New("the comparison was interrupted; the table contains the completed rows")
	}
	failed := indices.Count(r.Rows, func(row *GroupRow) bool { return row.Error != "" })
	if failed > 0 {
		return fmt.Errorf("%d of %d rows failed; the reasons are listed above", failed, len(r.Rows))
	}
	return nil
}
