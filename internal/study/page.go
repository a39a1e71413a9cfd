package study

import (
	"context"
	"fmt"
	"math"
	"path/filepath"

	"rao/dataset"
	"rao/evaluate"
	"rao/internal/datafigures"
	"rao/internal/text"
	"rao/report"
)

// Page shows the rows of a comparison: a table with bars, the convergence of the fits, learning curves, and a section
// for each method. footer should contain the name of the program.
func (c *Comparison) Page(ctx context.Context, r *Rows, footer string) (report.Page, error) {
	p := report.Page{
		Title: "Methods compared",
		Subtitle: fmt.Sprintf("%s of %s to learn from, %s of %s to test",
			text.Plural(c.Train.N(), "observation", "observations"), filepath.Base(r.Train),
			text.Plural(c.Test.N(), "observation", "observations"), filepath.Base(r.Test)),
		Sections: []report.Section{r.Section()},
		Footer:   footer,
	}
	if f := r.Convergence(); f != nil {
		p.Sections = append(p.Sections, report.Section{Heading: "How the fits went", Figures: []*report.Figure{f}})
	}
	if s := r.curveSection(c.Test.N()); s != nil {
		p.Sections = append(p.Sections, *s)
	}
	for _, row := range r.Rows {
		if row.Scores == nil {
			continue
		}
		s, err := row.section(ctx, c.Test)
		if err != nil {
			return p, err
		}
		p.Sections = append(p.Sections, s)
	}
	return p, nil
}

// Section returns the section with the table and the bars of all methods.
func (r *Rows) Section() report.Section {
	header, cells := r.Table()
	for i, row := range r.Rows {
		if row.Scores == nil {
			cells[i][1] = "failed: " + row.Error
		}
	}
	return report.Section{
		Heading: "Accuracy",
		Text: "Share of test observations that were classified correctly. Bars show the 95 % Wilson interval; the " +
			"time next to each is the time of the fit.",
		Table:   &report.Table{Header: header, Rows: cells},
		Figures: []*report.Figure{r.Figure(true)},
		Note: "All methods are tested on the same observations, so overlapping intervals do not show that two " +
			"methods are equally good.",
	}
}

// Figure draws the accuracies, with the times of the fits if times is true.
func (r *Rows) Figure(times bool) *report.Figure {
	var bars []report.Bar
	best := r.Best()
	for _, row := range r.Rows {
		if row.Scores == nil {
			continue
		}
		right := 0
		for i := range row.Scores.Confusion {
			right += row.Scores.Confusion[i][i]
		}
		ci, err := evaluate.WilsonInterval(right, row.Scores.N, 0.95)
		if err != nil {
			continue // without observations there is no bar
		}
		b := report.Bar{Label: row.Method, Value: row.Scores.Accuracy, Low: ci.Low, High: ci.High,
			Highlight: row == best}
		if times {
			b.Note = text.Seconds(row.FitSeconds)
		}
		bars = append(bars, b)
	}
	return report.Bars("Accuracy on the test data", bars, accuracyAxis(bars))
}

// accuracyAxis returns an axis that starts below the lowest interval, to make differences visible.
func accuracyAxis(bars []report.Bar) report.Axis {
	low := 1.0
	for _, b := range bars {
		low = min(low, b.Low)
	}
	low = max(0, math.Floor((low-0.05)*10)/10)
	return report.Axis{Label: "accuracy", Percent: true, Min: low, Max: 1}
}

// Convergence draws the objectives of the iterative methods, or returns nil if no method is iterative.
func (r *Rows) Convergence() *report.Figure {
	var lines []report.Line
	for _, row := range r.Rows {
		if row.Model != nil && len(row.Model.Report.History) > 1 {
			lines = append(lines, report.Line{Name: row.Method, Y: row.Model.Report.History})
		}
	}
	if lines == nil {
		return nil
	}
	return datafigures.Convergence("Objective after each iteration", lines, "objective of each method")
}

// mostConfusions is the largest number of classes in a confusion matrix.
const mostConfusions = 20

// section shows the result of one method: its filters or prototypes, the features of the test data, and the confusion
// matrix.
func (row *Row) section(ctx context.Context, test *dataset.Data) (report.Section, error) {
	s := report.Section{Heading: row.Method}
	var err error
	if s.Figures, err = report.Learned(row.Model, row.Method); err != nil {
		return s, err
	}
	if row.Model.Features() > 0 && test.Labels != nil {
		f, err := datafigures.Features(ctx, row.Model, test, 2)
		if err != nil {
			return s, err
		}
		if f != nil {
			s.Figures = append(s.Figures, f)
		}
	}
	if s.Table, err = datafigures.PatternTable(row.Model); err != nil {
		return s, err
	}
	if s.Table != nil {
		s.Note = "A pattern shows how a source appears at the channels. A positive weight favors the class when the " +
			"source is strong, a negative one when it is weak."
	}
	if len(row.Model.Classes) <= mostConfusions {
		s.Figures = append(s.Figures,
			report.Confusion("Confusions of "+row.Method, row.Scores.Confusion, row.Model.Classes))
	}
	s.Text = fmt.Sprintf("Accuracy %s, balanced accuracy %s, kappa %.3f, log loss %.3f, calibration error %.3f.",
		text.Percent(row.Scores.Accuracy), text.Percent(row.Scores.BalancedAccuracy), row.Scores.Kappa,
		row.Scores.LogLoss, row.Scores.ECE)
	return s, nil
}
