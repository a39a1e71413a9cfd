package main

import (
	"context"
	"fmt"
	"strconv"

	"rao"
	"rao/evaluate"
	"rao/method"
	"rao/report"
)

// curvePoint is what a method reaches when it learns from a part of the training data; its
// JSON names do not change.
type curvePoint struct {
	Train    int    `json:"train"` // observations that were learned from
	Accuracy number `json:"accuracy"`
}

// curve adds to every row that has scores what its method reaches with a half of the training
// data, a quarter, and so on: parts with the shares of the classes, each within the next. The
// whole is the row's own.
func (a *app) curve(ctx context.Context, c *comparison, r *compareResult, list []*method.Method, set method.Settings,
	halvings int) error {
	parts := [][]int{nil}
	rows := make([]int, c.train.N())
	for i := range rows {
		rows[i] = i
	}
	for k := range halvings {
		half, err := evaluate.StratifiedSplit(picked(c.train.Labels, rows), 0.5, uint64(k+1))
		if err != nil {
			return fmt.Errorf("--curve %d: after %s: %w; take fewer halvings", halvings,
				plural(k, "halving", "halvings"), err)
		}
		rows = picked(rows, half.Train)
		parts = append(parts, rows)
	}
	for i, row := range r.Rows {
		if row.scores == nil {
			continue
		}
		show, done := a.progress("learning curve of " + row.Method)
		for k := len(parts) - 1; k > 0; k-- {
			p, err := c.onPart(ctx, list[i], set, parts[k])
			if err != nil {
				done()
				return fmt.Errorf("--curve: %s on %d observations: %w", row.Method, len(parts[k]), err)
			}
			row.Curve = append(row.Curve, p)
			show.Send(rao.Event{Stage: "parts", Done: len(parts) - k, Total: len(parts) - 1})
		}
		done()
		row.Curve = append(row.Curve, curvePoint{c.train.N(), row.Accuracy})
	}
	return nil
}

// onPart learns from a part of the training data and scores on the test data.
func (c *comparison) onPart(ctx context.Context, m *method.Method, set method.Settings, part []int) (curvePoint,
	error) {
	mod, err := m.Fit(ctx, method.Source{Data: c.train.Subset(part), SpareData: true}, m.Only(set), nil)
	if err != nil && (!rao.IsNotConverged(err) || ctx.Err() != nil) {
		return curvePoint{}, err
	}
	s, err := method.Score(ctx, mod, c.test)
	if err != nil {
		return curvePoint{}, err
	}
	return curvePoint{len(part), number(s.Accuracy)}, nil
}

// printCurve prints the learning curves, a row a method.
func (a *app) printCurve(r *compareResult) {
	var header []string
	var rows [][]string
	for _, row := range r.Rows {
		if row.Curve == nil {
			continue
		}
		header = []string{"learned from"} // alike for all rows
		cells := []string{row.Method}
		for _, p := range row.Curve {
			header = append(header, strconv.Itoa(p.Train))
			cells = append(cells, percent(float64(p.Accuracy)))
		}
		rows = append(rows, cells)
	}
	if len(rows) > 0 {
		fmt.Fprintln(a.out)
		a.table(header, rows)
	}
}

// curveSection draws the learning curves, nil where there are none.
func curveSection(r *compareResult, test int) *report.Section {
	var lines []report.Line
	for _, row := range r.Rows {
		l := report.Line{Name: row.Method}
		for _, p := range row.Curve {
			ci, err := evaluate.WilsonInterval(int(float64(p.Accuracy)*float64(test)+0.5), test, 0.95)
			if err != nil {
				return nil // no observations, no curve
			}
			l.X, l.Y = append(l.X, float64(p.Train)), append(l.Y, float64(p.Accuracy))
			l.Low, l.High = append(l.Low, ci.Low), append(l.High, ci.High)
		}
		if row.Curve != nil {
			lines = append(lines, l)
		}
	}
	if lines == nil {
		return nil
	}
	return &report.Section{
		Heading: "Learning curves",
		Text: "What each method reaches on the test data when it learns from a part of the training data: halves " +
			"with the shares of the classes, each part within the next. Bands are 95 % Wilson intervals.",
		Figures: []*report.Figure{report.Lines("Accuracy over the number of training observations", lines,
			report.PlotOptions{X: report.Axis{Label: "training observations", Log: true},
				Y: report.Axis{Label: "accuracy", Percent: true}, Markers: true})},
	}
}
