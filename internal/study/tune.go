package study

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"rao/dataset"
	"rao/evaluate"
	"rao/internal/fitmemory"
	"rao/internal/memory"
	"rao/internal/recipes"
	"rao/internal/scoring"
	"rao/internal/text"
	"rao/method"
)

// Tuning is a search over the options of a method by cross-validation on the data.
type Tuning struct {
	Data       *dataset.Data
	Method     method.Spec // with the settings that all candidates share
	Candidates []evaluate.Candidate
	Folds      []evaluate.Fold
	Score      string // see [evaluate.SearchOptions]
	First      bool   // the first of two classes is the positive one
	// Seconds is the time per decision, for bits per minute; 0 means the window in the recipe of the data, if known.
	Seconds   float64
	Threshold string // rule for choosing a decision threshold of two classes; empty: none
	Monitor   Monitor
}

// TuneRow is a candidate of a search. The JSON names must not change.
type TuneRow struct {
	Options  evaluate.Candidate `json:"options"`
	Accuracy Number             `json:"accuracy"`
	SD       Number             `json:"accuracy_sd"`
	Kappa    Number             `json:"kappa"`
	LogLoss  Number             `json:"log_loss"`
	Score    Number             `json:"score"` // the score for the choice, averaged over the folds; losses are negative
	Close    bool               `json:"close"` // its log loss exceeds the lowest by at most one standard error
	Error    string             `json:"error,omitempty"`
}

// TuneResult is the result of a search. The JSON names must not change.
type TuneResult struct {
	Method string             `json:"method"`
	Score  string             `json:"score"`
	Folds  int                `json:"folds"`
	Best   evaluate.Candidate `json:"best"`
	Rows   []TuneRow          `json:"rows"`
	Out    string             `json:"out,omitempty"`
	// Threshold is the smallest probability of the second of two classes at which that class is chosen. It is 0 if no
	// threshold was learned.
	Threshold float64 `json:"threshold,omitempty"`

	Chosen method.Spec `json:"-"` // with the best options
	At     int         `json:"-"` // index of the best row
}

// Run tries the candidates. After an interruption it returns the rows of the finished candidates together with the
// error.
func (t *Tuning) Run(ctx context.Context) (*TuneResult, error) {
	m := t.Method.Method
	name := "tune " + m.Name
	if err := memory.Check(name, fitmemory.Tuning(t.Method, t.Data, len(t.Folds))); err != nil {
		return nil, err
	}
	t.Monitor.noteCopies(t.Data, t.Folds)
	show, done := t.Monitor.start(name)
	res, err := m.Tune(ctx, t.Data, t.Method.Settings, t.Candidates, t.Folds,
		evaluate.SearchOptions{Score: t.Score, First: t.First, Progress: show, Abandon: t.Monitor.Abandon,
			Seconds: cmp.Or(t.Seconds, recipes.Seconds(t.Data.Recipe))})
	done()
	if err != nil && (res == nil || ctx.Err() == nil) {
		return nil, err
	}
	r := &TuneResult{Method: m.Name, Score: t.Score, Folds: len(t.Folds), At: res.Best,
		Best: res.Trials[res.Best].Candidate}
	if err != nil {
		tried := finished(res)
		r.rows(tried, &t.Monitor)
		return r, fmt.Errorf("the search was interrupted after %d of %s; no model was written", len(tried.Trials),
			text.Plural(len(res.Trials), "candidate", "candidates"))
	}
	r.rows(res, &t.Monitor)
	if w := res.Trials[res.Best].Warning; w != "" {
		t.Monitor.note("%s: %s", strings.TrimSpace(m.Name+" "+r.Best.String()), w)
	}
	if r.Chosen, err = t.Method.With(r.Best...); err != nil {
		return nil, err
	}
	if t.Threshold == "" {
		return r, nil
	}
	if r.Threshold, err = chooseThreshold(ctx, r.Chosen, t.Data, t.Folds, t.Threshold); err != nil {
		return nil, err
	}
	return r, nil
}

func (r *TuneResult) rows(res *evaluate.SearchResult, m *Monitor) {
	nan := Number(math.NaN())
	for _, t := range res.Trials {
		row := TuneRow{Options: t.Candidate, Accuracy: nan, SD: nan, Kappa: nan, LogLoss: nan, Score: nan}
		if t.Err != nil {
			row.Error = m.message(t.Err)
		} else {
			row.Accuracy, row.SD, row.Kappa = Number(t.Mean.Accuracy), Number(t.AccuracySD), Number(t.Mean.Kappa)
			row.LogLoss, row.Score, row.Close = Number(t.Mean.LogLoss), Number(t.Score), t.Close
		}
		r.Rows = append(r.Rows, row)
	}
}

// Table returns one line per candidate.
func (r *TuneResult) Table() (header []string, rows [][]string) {
	header = []string{"options", "accuracy", "kappa", "log loss", ""}
	other := !slices.Contains([]string{"accuracy", "kappa", "log_loss"}, r.Score)
	if other {
		header = slices.Insert(header, 4, scoring.MeasureTitle(r.Score))
	}
	for _, t := range r.Rows {
		mark := ""
		switch {
		case t.Options.String() == r.Best.String():
			mark = "best"
		case t.Close:
			mark = "close"
		}
		label := t.Options.String()
		row := []string{label, "failed", "", "", mark}
		score := ""
		if t.Error == "" {
			label = cmp.Or(label, "as given")
			row = []string{label, fmt.Sprintf("%s ± %.2f", text.Percent(float64(t.Accuracy)), 100*float64(t.SD)),
				fmt.Sprintf("%.3f", float64(t.Kappa)), fmt.Sprintf("%.4f", float64(t.LogLoss)), mark}
			score = fmt.Sprintf("%.4f", math.Abs(float64(t.Score)))
		}
		if other {
			row = slices.Insert(row, 4, score)
		}
		rows = append(rows, row)
	}
	return header, rows
}

// finished returns only the trials that finished before the context was canceled. Best is not set.
func finished(r *evaluate.SearchResult) *evaluate.SearchResult {
	return &evaluate.SearchResult{Trials: slices.DeleteFunc(slices.Clone(r.Trials), func(t evaluate.Trial) bool {
		return t.Err == nil && t.Mean == nil || errors.Is(t.Err, context.Canceled)
	})}
}
