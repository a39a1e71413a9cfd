package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"rao/dataset"
	"rao/evaluate"
	"rao/internal/format/archive"
	"rao/model"
	"rao/report"
)

// writeComparison writes the page of rao compare.
func writeComparison(ctx context.Context, path string, c *comparison, r *compareResult) error {
	p := report.Page{
		Title: "Methods compared",
		Subtitle: fmt.Sprintf("%s of %s to learn from, %s of %s to test",
			plural(c.train.N(), "observation", "observations"), filepath.Base(r.Train),
			plural(c.test.N(), "observation", "observations"), filepath.Base(r.Test)),
		Sections: []report.Section{accuracySection(r)},
		Footer:   "rao " + version,
	}
	if f := convergenceFigure(r); f != nil {
		p.Sections = append(p.Sections, report.Section{Heading: "How the fits went", Figures: []*report.Figure{f}})
	}
	if s := curveSection(r, c.test.N()); s != nil {
		p.Sections = append(p.Sections, *s)
	}
	for _, row := range r.Rows {
		if row.scores == nil {
			continue
		}
		s, err := methodSection(ctx, row, c.test)
		if err != nil {
			return err
		}
		p.Sections = append(p.Sections, s)
	}
	return writePage(path, p)
}

func writePage(path string, p report.Page) error {
	return archive.WriteFile(path, func(w io.Writer) error { return report.HTML(w, p) })
}

// accuracySection holds the table and the bars of all methods.
func accuracySection(r *compareResult) report.Section {
	t := &report.Table{Header: []string{"method", "accuracy", "kappa", "kNN", "objective", "fit", "total",
		"peak memory"}}
	for _, row := range r.Rows {
		if row.scores == nil {
			t.Rows = append(t.Rows, []string{row.Method, "failed: " + row.Error})
			continue
		}
		t.Rows = append(t.Rows, row.cells())
	}
	return report.Section{
		Heading: "Accuracy",
		Text: "Share of test observations whose class was decided right. Bars carry the 95 % Wilson interval; the " +
			"time beside each is that of the fit.",
		Table:   t,
		Figures: []*report.Figure{accuracyFigure(r, true)},
		Note: "The same test observations serve all methods, so overlapping intervals do not show that two " +
			"methods are alike.",
	}
}

// accuracyFigure draws the accuracies, and the times of the fits beside them where asked for.
func accuracyFigure(r *compareResult, times bool) *report.Figure {
	var bars []report.Bar
	best := bestRow(r)
	for _, row := range r.Rows {
		if row.scores == nil {
			continue
		}
		ci, err := evaluate.WilsonInterval(correct(row.scores), row.scores.N, 0.95)
		if err != nil {
			continue // no observations, no bar
		}
		b := report.Bar{Label: row.Method, Value: row.scores.Accuracy, Low: ci.Low, High: ci.High,
			Highlight: row == best}
		if times {
			b.Note = seconds(row.FitSeconds)
		}
		bars = append(bars, b)
	}
	return report.Bars("Accuracy on the test data", bars, report.BarsOptions{Axis: barAxis(bars)})
}

// barAxis starts below the shortest bar, so that differences can be seen, and says
// so by its numbers.
func barAxis(bars []report.Bar) report.Axis {
	low := 1.0
	for _, b := range bars {
		low = min(low, b.Low)
	}
	low = max(0, math.Floor((low-0.05)*10)/10)
	return report.Axis{Label: "accuracy", Percent: true, Min: low, Max: 1}
}

func correct(s *evaluate.Scores) int {
	n := 0
	for i := range s.Confusion {
		n += s.Confusion[i][i]
	}
	return n
}

func bestRow(r *compareResult) *compareRow {
	var best *compareRow
	for _, row := range r.Rows {
		if row.scores != nil && (best == nil || row.Accuracy > best.Accuracy) {
			best = row
		}
	}
	return best
}

// convergenceFigure draws the objectives of the methods that iterate, nil if none
// does.
func convergenceFigure(r *compareResult) *report.Figure {
	var lines []report.Line
	for _, row := range r.Rows {
		if row.model != nil && len(row.model.Report.History) > 1 {
			lines = append(lines, report.Line{Name: row.Method, Y: row.model.Report.History})
		}
	}
	if lines == nil {
		return nil
	}
	return report.Convergence("Objective after each iteration", lines, "objective of each method")
}

// methodSection shows one method: its filters or prototypes, where they put the test data, and
// its confusions.
func methodSection(ctx context.Context, row *compareRow, test *dataset.Data) (report.Section, error) {
	s := report.Section{Heading: row.Method}
	var err error
	if s.Figures, err = report.Learned(row.model, row.Method); err != nil {
		return s, err
	}
	if row.model.HasFeatures() && test.Labels != nil {
		f, err := plotFeatures(ctx, row.model, test, 2)
		if err != nil {
			return s, err
		}
		if f != nil {
			s.Figures = append(s.Figures, f)
		}
	}
	if s.Table, err = patternTable(row.model); err != nil {
		return s, err
	}
	if s.Table != nil {
		s.Note = "A pattern is how a source shows at the channels. A positive weight speaks for the class when the " +
			"source is strong, a negative one when it is weak."
	}
	if len(row.model.Classes) <= printable {
		s.Figures = append(s.Figures,
			report.Confusion("Confusions of "+row.Method, row.scores.Confusion, row.model.Classes))
	}
	s.Text = fmt.Sprintf("Accuracy %s, balanced accuracy %s, kappa %.3f, log loss %.3f, calibration error %.3f.",
		percent(row.scores.Accuracy), percent(row.scores.BalancedAccuracy), row.scores.Kappa, row.scores.LogLoss,
		row.scores.ECE)
	return s, nil
}

// filterFigure draws the filters of a model whose observations are images, nil for
// others.
func filterFigure(m *model.Model, name string) *report.Figure {
	return report.FilterImages("Filters of "+name, m.Filters(), m.Input.Image)
}

// writeFigure writes a figure as SVG and PNG beside each other and returns the
// names.
func writeFigure(dir, name string, f *report.Figure) error {
	for _, ext := range []string{".svg", ".png"} {
		if err := f.WriteFile(filepath.Join(dir, name+ext)); err != nil {
			return err
		}
	}
	return nil
}

// makeFolder creates the folder of an output.
func makeFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("create folder %s: %w; choose another --out", dir, cause(err))
	}
	return archive.Probe(filepath.Join(dir, "index.html"))
}

// indent shifts the lines that print writes.
func (a *app) indent(print func()) {
	out := a.out
	var b bytes.Buffer
	a.out = &b
	print()
	a.out = out
	for _, line := range strings.Split(strings.TrimRight(b.String(), "\n"), "\n") {
		fmt.Fprintln(a.out, "  "+line)
	}
}
