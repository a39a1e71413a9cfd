package study

import (
	"context"
	"fmt"
	"strconv"

	"rao"
	"rao/evaluate"
	"rao/internal/indices"
	"rao/internal/text"
	"rao/method"
	"rao/report"
)

// CurvePoint is the accuracy of a method on part of the training data. The JSON names must not change.
type CurvePoint struct {
	Train    int    `json:"train"` // number of observations learned from
	Accuracy Number `json:"accuracy"`
}

// Curve adds a learning curve to every row that has scores: the accuracy of its method with half of the training data,
// a quarter, and so on. The parts are stratified, and each part is contained in the next larger part. The last point is
// the accuracy of the row itself.
func (c *Comparison) Curve(ctx context.Context, r *Rows, methods []method.Spec, halvings int) error {
	parts := [][]int{nil}
	rows := where(c.Train.N(), func(int) bool { return true })
	for k := range halvings {
		half, err := evaluate.StratifiedSplit(indices.Pick(c.Train.Labels, rows), 0.5, uint64(k+1))
		if err != nil {
			return fmt.Errorf("after %s: %w; use fewer halvings",
				text.Plural(k, "halving", "halvings"), err)
		}
		rows = indices.Pick(rows, half.Train)
		parts = append(parts, rows)
	}
	for i, row := range r.Rows {
		if row.Scores == nil {
			continue
		}
		if err := c.curve(ctx, row, methods[i], parts[1:]); err != nil {
			return err
		}
		row.Curve = append(row.Curve, CurvePoint{c.Train.N(), row.Accuracy})
	}
	return nil
}

// curve fits the method to each part of the training data, the smallest first, and scores it on the test data.
func (c *Comparison) curve(ctx context.Context, row *Row, s method.Spec, parts [][]int) error {
	show, done := c.Monitor.start("learning curve of " + row.Method)
	defer done()
	for k := len(parts) - 1; k >= 0; k-- {
		observations := text.Plural(len(parts[k]), "observation", "observations")
		mod, _, err := fit(ctx, s, c.Train, parts[k])
		if err != nil {
			return fmt.Errorf("%s, learned from %s: %w", row.Method, observations, err)
		}
		scores, err := method.Score(ctx, mod, c.Test)
		if err != nil {
			return fmt.Errorf("%s, learned from %s: %w", row.Method, observations, err)
		}
		row.Curve = append(row.Curve, CurvePoint{len(parts[k]), Number(scores.Accuracy)})
		show.Send(rao.Event{Stage: "parts", Done: len(parts) - k, Total: len(parts)})
	}
	return nil
}

// CurveTable returns the learning curves, one line per method, or no rows without learning curves.
func (r *Rows) CurveTable() (header []string, rows [][]string) {
	for _, row := range r.Rows {
		if row.Curve == nil {
			continue
		}
		header = []string{"learned from"} // the same for all rows
		cells := []string{row.Method}
		for _, p := range row.Curve {
			header = append(header, strconv.Itoa(p.Train))
			cells = append(cells, text.Percent(float64(p.Accuracy)))
		}
		rows = append(rows, cells)
	}
	return header, rows
}

// curveSection draws the learning curves, or returns nil without learning curves.
func (r *Rows) curveSection(test int) *report.Section {
	var lines []report.Line
	for _, row := range r.Rows {
		l := report.Line{Name: row.Method}
		for _, p := range row.Curve {
			ci, err := evaluate.WilsonInterval(int(float64(p.Accuracy)*float64(test)+0.5), test, 0.95)
			if err != nil {
				return nil // without observations there is no curve
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
		Text: "Accuracy of each method on the test data when it learns from a part of the training data. The data " +
			"are halved repeatedly, keeping the class proportions. Bands are 95 % Wilson intervals.",
		Figures: []*report.Figure{report.Lines("Accuracy against the number of training observations", lines,
			report.PlotOptions{X: report.Axis{Label: "training observations", Log: true},
				Y: report.Axis{Label: "accuracy", Percent: true}, Markers: true})},
	}
}
