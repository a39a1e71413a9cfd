package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"rao/dataset"
	"rao/evaluate"
	"rao/gaussian"
	"rao/method"
	"rao/model"
	"rao/report"
)

// coverages are the shares of accepted observations that evaluate reports.
var coverages = []float64{1, 0.9, 0.8, 0.7, 0.5}

// riskAt is the error when only the surest are decided on.
type riskAt struct {
	Coverage  float64 `json:"coverage"`
	Risk      float64 `json:"risk"`
	Threshold float64 `json:"threshold"`
}

// evaluateResult adds to the scores what rejecting would bring.
type evaluateResult struct {
	*evaluate.Scores
	AURC number   `json:"aurc"`
	Risk []riskAt `json:"risk_coverage"`
	// Overlap is the share of the observations that the model was fitted to, as far as
	// its file knows.
	Overlap float64 `json:"overlap,omitempty"`
}

func evaluateCommand(a *app) *cobra.Command {
	var data dataFlags
	var html string
	var allow bool
	cmd := &cobra.Command{
		Use:   "evaluate",
		Short: "Accuracy, kappa, calibration, confusion and risk on labeled data",
		Long: `Classify labeled data and compare with the labels: accuracy, Cohen's kappa, log loss,
calibration error over 15 bins, confusion, and the error that remains when the least
certain are rejected. A note says when the model was fitted to some of them. --html
writes a page with the figures.

Of a model that rao regress wrote: R2, the mean absolute error and the root of the mean
squared error. The true numbers are the variable of the target's name, or that of --y.`,
		Example: "  rao evaluate --model model.rao --data test.npz --json",
		Args:    noArgs,
	}
	path := modelFlag(cmd)
	data.add(cmd, "data", "labeled data of the shape the model was fitted to")
	allowOverlap(cmd, &allow)
	a.hashesFlag(cmd, hashesIn)
	outputFlag(cmd, &html, "html", pageOutput, "html file to write: one page with the figures")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		m, err := a.modelFor(cmd.Context(), *path, &data, nil)
		if err != nil {
			return err
		}
		if m.Target() != "" {
			if html != "" {
				return usagef("--html draws decisions; %s predicts the number %s", *path, m.Target())
			}
			return a.evaluateValues(cmd.Context(), m, &data, allow)
		}
		e, err := a.evaluateModel(cmd.Context(), m, &data, html != "")
		if err != nil {
			return err
		}
		r := e.result()
		r.Overlap = a.warnOverlap(m, e.source, e.part.Part(), allow)
		if html != "" {
			if err := writeEvaluation(html, m, e, r); err != nil {
				return err
			}
			a.note("page written to %s", html)
		}
		return a.emit(r, func() { a.printScores(m.Classes, r) })
	}
	return cmd
}

// evaluation is a model's decisions on labeled data, added up.
type evaluation struct {
	source string
	scores *evaluate.Scorer
	curve  *evaluate.RiskCurve
	part   gaussian.PartBuilder
	bins   reliability
	seen   []*plotted // of the first block, where figures are drawn
}

// evaluateModel classifies the data a block at a time.
func (a *app) evaluateModel(ctx context.Context, m *model.Model, data *dataFlags, draw bool) (*evaluation, error) {
	e := &evaluation{scores: evaluate.NewScorer(len(m.Classes)), part: gaussian.PartBuilder{Hashing: a.hashing}}
	var notes model.Notes
	err := data.blocks(ctx, a, true, method.WithinMemory("evaluate", m, func(d *dataset.Data, _ int) error {
		truth, p, err := method.Decide(ctx, m, d)
		if err != nil {
			return err
		}
		notes.Add(p)
		if draw && e.seen == nil {
			if e.seen, err = plotClasses(ctx, m, d); err != nil {
				return err
			}
		}
		e.bins.add(truth, p)
		e.source = d.Source
		d.AddTo(&e.part)
		return e.scores.Add(truth, p.LogPosterior)
	}))
	if err != nil {
		return nil, err
	}
	for _, s := range notes.All() {
		a.note("%s: %s", e.source, s)
	}
	var exact bool
	if e.curve, exact = e.scores.Risk(); !exact {
		a.note("%s: more than a million observations: in the risk, those are accepted together whose probabilities "+
			"of an error agree to 0.03 %%", e.source)
	}
	return e, nil
}

func (e *evaluation) result() *evaluateResult {
	r := &evaluateResult{Scores: e.scores.Scores(), AURC: number(e.curve.AURC)}
	for _, c := range coverages {
		risk, threshold := e.curve.At(c)
		r.Risk = append(r.Risk, riskAt{c, risk, threshold})
	}
	return r
}

func (a *app) printScores(classes []string, r *evaluateResult) {
	s := r.Scores
	a.table([]string{"observations", fmt.Sprint(s.N)}, [][]string{
		{"accuracy", percent(s.Accuracy)},
		{"balanced accuracy", percent(s.BalancedAccuracy)},
		{"kappa", fmt.Sprintf("%.4f", s.Kappa)},
		{"log loss", fmt.Sprintf("%.4f", s.LogLoss)},
		{"calibration error", fmt.Sprintf("%.4f", s.ECE)},
	})
	fmt.Fprintln(a.out, "\nerror when only the surest are decided on")
	rows := make([][]string, len(r.Risk))
	for i, c := range r.Risk {
		rows[i] = []string{percent(c.Coverage), percent(c.Risk), fmt.Sprintf("%.3f", c.Threshold)}
	}
	a.table([]string{"decided", "error", "probability of at least"}, rows)
	if len(classes) > printable {
		return
	}
	fmt.Fprintln(a.out, "\nconfusion (rows: true class, columns: decision)")
	rows = make([][]string, len(classes))
	for i, name := range classes {
		rows[i] = []string{cell(name)}
		for _, n := range s.Confusion[i] {
			rows[i] = append(rows[i], fmt.Sprint(n))
		}
	}
	header := []string{""}
	for _, name := range classes {
		header = append(header, cell(name))
	}
	a.table(header, rows)
}

// writeEvaluation writes the page of rao evaluate.
func writeEvaluation(path string, m *model.Model, e *evaluation, r *evaluateResult) error {
	s := report.Section{Heading: "Scores", Table: &report.Table{Header: []string{"observations", "accuracy",
		"balanced accuracy", "kappa", "log loss", "calibration error"},
		Rows: [][]string{{fmt.Sprint(r.N), percent(r.Accuracy), percent(r.BalancedAccuracy),
			fmt.Sprintf("%.4f", r.Kappa), fmt.Sprintf("%.4f", r.LogLoss), fmt.Sprintf("%.4f", r.ECE)}}}}
	if len(m.Classes) <= printable {
		s.Figures = append(s.Figures, report.Confusion("Confusions", r.Confusion, m.Classes))
	}
	s.Figures = append(s.Figures, e.bins.figure(r.ECE), riskFigure(e.curve))
	p := report.Page{Title: "Evaluation of a " + m.Method + " model", Subtitle: e.source,
		Sections: []report.Section{s}, Footer: "rao " + version}
	if len(e.seen) > 0 {
		seen := report.Section{Heading: "The observations"}
		for _, f := range e.seen {
			seen.Figures = append(seen.Figures, f.figure)
		}
		p.Sections = append(p.Sections, seen)
	}
	figures, err := report.Learned(m, m.Method)
	if err != nil {
		return err
	}
	if len(figures) > 0 {
		p.Sections = append(p.Sections, report.Section{Heading: "What it learned", Figures: figures})
	}
	return p.WriteFile(path)
}
