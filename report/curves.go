package report

import (
	"fmt"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rao/evaluate"
	"rao/model"
)

// FilterCurves draws the filters of a model as curves over the columns.
func FilterCurves(m *model.Model, filters *mat.Dense) *Figure {
	n, k := filters.Dims()
	lines := make([]Line, k)
	for j := range lines {
		lines[j] = Line{Name: fmt.Sprintf("filter %d", j+1), Y: mat.Col(nil, j, filters)}
	}
	label := "column, from 0"
	if names := m.Input.Columns; names != nil && n <= 12 {
		label += ": " + strings.Join(names, ", ")
	}
	return Lines("Filters of "+m.Method, lines, PlotOptions{X: Axis{Label: label},
		Y: Axis{Label: "weight"}, Markers: true})
}

// RiskCoverage draws the error rate of the most certain predictions against their fraction.
func RiskCoverage(curve *evaluate.RiskCurve) *Figure {
	return Lines("Error of the accepted decisions", []Line{{Name: "error", X: curve.Coverage,
		Y: curve.Risk}},
		PlotOptions{X: Axis{Label: "share of accepted decisions", Percent: true},
			Y: Axis{Label: "error", Percent: true}})
}
