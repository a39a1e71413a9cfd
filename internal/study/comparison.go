package study

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"rao/internal/par"
	"slices"
	"strings"
	"time"

	"rao"
	"rao/classify"
	"rao/dataset"
	"rao/evaluate"
	"rao/gaussian"
	"rao/internal/memory"
	"rao/internal/recipes"
	"rao/internal/scoring"
	"rao/internal/text"
	"rao/method"
	"rao/model"
)

// Comparison fits methods on training data and scores them on test data.
type Comparison struct {
	Train, Test *dataset.Data
	Stats       *gaussian.Statistics // of the training data; see Estimate
	Before      time.Duration        // spent on the data before the fits; it is part of every method's total
	Neighbors   int                  // also classify the features with this many nearest neighbors; 0: do not
	Measures    []string             // additional measures to compute, see [evaluate.Measure]
	First       bool                 // the first of two classes is the positive one
	Seconds     float64              // time per decision, for bits per minute; 0: the window of the data's recipe
	Monitor     Monitor
}

// Row is the result of one method of a comparison. The JSON names must not change.
type Row struct {
	Method       string             `json:"method"`
	Accuracy     Number             `json:"accuracy"`
	Kappa        Number             `json:"kappa"`
	KNNAccuracy  *Number            `json:"knn_accuracy,omitempty"` // of nearest neighbors on the same features
	Measures     []evaluate.Measure `json:"measures,omitempty"`     // the requested measures that are defined
	Objective    Number             `json:"objective"`
	FitSeconds   float64            `json:"fit_seconds"`
	TotalSeconds float64            `json:"total_seconds"`
	PeakBytes    uint64             `json:"peak_bytes"`
	Status       string             `json:"status,omitempty"`
	Error        string             `json:"error,omitempty"`

	Curve []CurvePoint `json:"curve,omitempty"` // with fewer training data

	Model  *model.Model     `json:"-"`
	Scores *evaluate.Scores `json:"-"`
}

// Rows is the result of a comparison. The JSON names must not change.
type Rows struct {
	Train string `json:"train"`
	Test  string `json:"test"`
	Rows  []*Row `json:"rows"`

	measures []string
	notRun   int // number of methods skipped after an interruption
}

// Estimate computes the statistics of the training data once, if one of the methods learns from them.
func (c *Comparison) Estimate(methods []method.Spec) error {
	if c.Train.X == nil || recipes.Fills(c.Train.Missing) || c.Train.Weights != nil || !slices.ContainsFunc(methods,
		func(s method.Spec) bool { return s.Method.Covariances(c.Train) }) {
		return nil
	}
	_, dim := c.Train.X.Dims()
	if err := memory.Check("compare", memory.Statistics(len(c.Train.Classes), dim)); err != nil {
		return err
	}
	start := time.Now()
	var err error
	if c.Stats, err = gaussian.Estimate(c.Train.X, c.Train.Labels, c.Train.Classes); err != nil {
		return fmt.Errorf("%s: %w", c.Train.Source, err)
	}
	c.Before += time.Since(start)
	return nil
}

// Run fits and scores every method. If a method fails, the field Error of its row contains the reason.
func (c *Comparison) Run(ctx context.Context, methods []method.Spec) *Rows {
	r := &Rows{Train: c.Train.Source, Test: c.Test.Source, measures: c.Measures}
	for i, s := range methods {
		if ctx.Err() != nil {
			r.notRun = len(methods) - i
			break
		}
		show, done := c.Monitor.start(fmt.Sprintf("%s (%d of %d)", s, i+1, len(methods)))
		row, ended := par.Await(ctx, c.Monitor.Abandon, func() *Row { return c.runMethod(ctx, s, show) })
		if !ended {
			row = &Row{Method: s.String(), Error: interrupted}
		}
		done()
		if row.Error != "" && ctx.Err() == nil {
			c.Monitor.note("%s", named(s.String(), row.Error))
		}
		r.Rows = append(r.Rows, row)
	}
	return r
}

// named returns an error message that starts with the name of its method.
func named(method, message string) string {
	if strings.HasPrefix(message, method+" ") || strings.HasPrefix(message, method+": ") {
		return message
	}
	return method + ": " + message
}

// interrupted is the error of a row whose method did not end soon after the context.
const interrupted = "interrupted"

func (c *Comparison) runMethod(ctx context.Context, s method.Spec, show rao.Progress) *Row {
	row := &Row{Method: s.String()}
	if err := row.run(ctx, c, s, show); ctx.Err() != nil && err != nil {
		row.Error = interrupted
	} else if err != nil {
		row.Error = c.Monitor.message(err)
	}
	return row
}

func (row *Row) run(ctx context.Context, c *Comparison, s method.Spec, show rao.Progress) error {
	if err := memory.Check(s.String(), memory.Footprint(s.Memory(method.InMemory{Data: c.Train}))); err != nil {
		return err
	}
	peak := memory.WatchPeak()
	defer func() { row.PeakBytes = peak.Stop() }()
	start := time.Now()
	mod, err := s.Fit(ctx, method.InMemory{Data: c.Train, Stats: c.Stats}, show)
	if err != nil && !rao.HasModel(err) {
		return err
	}
	if err != nil && ctx.Err() == nil {
		c.Monitor.note("%s", c.Monitor.message(err))
	}
	for _, warning := range mod.Warnings {
		c.Monitor.note("%s: %s", s, warning)
	}
	row.Model = mod
	row.FitSeconds = time.Since(start).Seconds()
	row.Objective, row.Status = Number(mod.Report.Objective), string(mod.Report.Status)
	if row.Scores, err = method.Score(ctx, mod, c.Test); err != nil {
		return err
	}
	row.Accuracy, row.Kappa = Number(row.Scores.Accuracy), Number(row.Scores.Kappa)
	if err := row.measure(c.Measures, evaluate.MeasureOptions{First: c.First,
		Seconds: cmp.Or(c.Seconds, recipes.Seconds(c.Test.Recipe))}); err != nil {
		return err
	}
	row.TotalSeconds = (time.Since(start) + c.Before).Seconds()
	row.KNNAccuracy, err = c.neighbors(ctx, mod)
	return err
}

// resampled is the largest number of test observations for which intervals of measures are computed.
const resampled = 100_000

// measure computes the named measures with bootstrap intervals.
func (row *Row) measure(names []string, opt evaluate.MeasureOptions) error {
	if len(names) == 0 {
		return nil
	}
	if opt.Resamples = 1000; row.Scores.N > resampled {
		opt.Resamples = 0
	}
	all, err := row.Scores.Measures(opt)
	if err != nil {
		return err
	}
	for _, name := range names {
		for _, m := range all {
			if m.Name == name {
				row.Measures = append(row.Measures, m)
			}
		}
	}
	return nil
}

// neighbors returns the accuracy of nearest neighbors on the features of the model, or nil if the model has no features
// or nearest neighbors were not requested.
func (c *Comparison) neighbors(ctx context.Context, m *model.Model) (*Number, error) {
	if c.Neighbors == 0 || m.Filters() == nil {
		return nil, nil
	}
	z, err := m.Transform(ctx, model.BatchOf(c.Train))
	if err != nil {
		return nil, err
	}
	knn, opt := *m, classify.KNNOptions{K: c.Neighbors}
	if knn.Classifier, err = classify.FitKNN(z.X, c.Train.Labels, m.Classes, opt); err != nil {
		return nil, err
	}
	s, err := method.Score(ctx, &knn, c.Test)
	if err != nil {
		return nil, err
	}
	accuracy := Number(s.Accuracy)
	return &accuracy, nil
}

// Best returns the row with the highest accuracy, or nil if all methods failed.
func (r *Rows) Best() *Row {
	var best *Row
	for _, row := range r.Rows {
		if row.Scores != nil && (best == nil || row.Accuracy > best.Accuracy) {
			best = row
		}
	}
	return best
}

// Err returns an error if a method failed or did not run to completion.
func (r *Rows) Err(ctx context.Context) error {
	var failed []string
	for _, row := range r.Rows {
		if row.Error != "" {
			failed = append(failed, row.Method)
		}
	}
	switch {
	case ctx.Err() != nil && len(r.Rows) == 0:
		return ctx.Err()
	case ctx.Err() != nil:
		left := ""
		if r.notRun > 0 {
			left = fmt.Sprintf(", with %s still to run", text.Plural(r.notRun, "method", "methods"))
		}
		return fmt.Errorf("interrupted during %s%s; the table contains the completed methods",
			r.Rows[len(r.Rows)-1].Method, left)
	case len(failed) == 0:
		return nil
	case len(failed) == len(r.Rows):
		return errors.New("all methods failed; the reasons are listed above")
	}
	return fmt.Errorf("%d of %d methods failed: %s; the table contains the others",
		len(failed), len(r.Rows), strings.Join(failed, ", "))
}

// Table returns one line per method.
func (r *Rows) Table() (header []string, rows [][]string) {
	header = []string{"method", "accuracy", "kappa", "objective", "fit", "total", "peak memory"}
	neighbors := slices.ContainsFunc(r.Rows, func(row *Row) bool { return row.KNNAccuracy != nil })
	if neighbors {
		header = slices.Insert(header, 3, "kNN")
	}
	for _, row := range r.Rows {
		cells := row.cells()
		if neighbors && len(cells) > 3 {
			knn := "-"
			if row.KNNAccuracy != nil {
				knn = text.Percent(float64(*row.KNNAccuracy))
			}
			cells = slices.Insert(cells, 3, knn)
		}
		if row.Scores != nil {
			cells = slices.Insert(cells, 3, row.measureCells(r.measures)...)
		}
		rows = append(rows, cells)
	}
	for i, name := range r.measures {
		header = slices.Insert(header, 3+i, scoring.MeasureTitle(name))
	}
	return header, rows
}

// measureCells returns a cell for each name, "-" if the measure is not defined.
func (row *Row) measureCells(names []string) []string {
	cells := make([]string, len(names))
	for i, name := range names {
		cells[i] = "-"
		if m := scoring.Named(row.Measures, name); m != nil {
			cells[i] = fmt.Sprintf("%.3f", m.Value)
			if m.Interval != nil {
				cells[i] += fmt.Sprintf(" (%.3f-%.3f)", m.Interval.Low, m.Interval.High)
			}
		}
	}
	return cells
}

func (row *Row) cells() []string {
	if row.Scores == nil {
		if row.Error == interrupted {
			return []string{row.Method, interrupted}
		}
		return []string{row.Method, "failed"}
	}
	objective := "-"
	if row.Objective != 0 {
		objective = fmt.Sprintf("%.5g", float64(row.Objective))
	}
	name := row.Method
	if row.Status == string(rao.StatusCanceled) {
		name += " (cut short)"
	}
	return []string{name, text.Percent(float64(row.Accuracy)), fmt.Sprintf("%.3f", float64(row.Kappa)), objective,
		text.Seconds(row.FitSeconds), text.Seconds(row.TotalSeconds),
		fmt.Sprintf("%.0f MiB", float64(row.PeakBytes)/(1<<20))}
}
