package datafigures

import (
	"cmp"
	"fmt"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rao/model"
	"rao/report"
)

// FilterCurves draws each column of filters (n×k, one filter per column) as a curve over the n input columns of the
// model.
func FilterCurves(m *model.Model, filters *mat.Dense) *report.Figure {
	n, k := filters.Dims()
	lines := make([]report.Line, k)
	for j := range lines {
		lines[j] = report.Line{Name: fmt.Sprintf("filter %d", j+1), Y: mat.Col(nil, j, filters)}
	}
	label := "column, from 0"
	if names := m.Input.Columns; names != nil && n <= 12 {
		label += ": " + strings.Join(names, ", ")
	}
	return report.Lines("Filters of "+m.Method, lines, report.PlotOptions{X: report.Axis{Label: label},
		Y: report.Axis{Label: "weight"}, Markers: true})
}

// Convergence draws the objective of fits against the iteration, including the start.
func Convergence(title string, fits []report.Line, objective string) *report.Figure {
	return report.Lines(title, fits, report.PlotOptions{X: report.Axis{Label: "iteration"},
		Y: report.Axis{Label: cmp.Or(objective, "objective")}})
}
