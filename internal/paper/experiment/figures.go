package experiment

import (
	"rao/internal/scoring"
	"rao/report"
)

// bars adds a figure of bars.
func (r *Run) bars(name, title string, bars []report.Bar, axis report.Axis) {
	r.Figure(name, report.Bars(title, bars, axis))
}

// exactBar returns a bar without an interval.
func exactBar(label string, value float64, highlight bool) report.Bar {
	return report.Bar{Label: label, Value: value, Low: value, High: value, Highlight: highlight}
}

// curves adds a figure of lines with markers.
func (r *Run) curves(name, title string, lines []report.Line, x, y report.Axis) {
	r.Figure(name, report.Lines(title, lines, report.PlotOptions{X: x, Y: y, Markers: true}))
}

// accuracyFigure draws accuracies against the variable on the x axis.
func (r *Run) accuracyFigure(name, title string, x report.Axis, lines []report.Line) {
	r.curves(name, title, lines, x, report.Axis{Label: "test accuracy", Percent: true})
}

// point appends a point to a line.
func point(l *report.Line, x, y float64) { l.X, l.Y = append(l.X, x), append(l.Y, y) }

// interval appends a point with its interval to a line.
func interval(l *report.Line, x, y, low, high float64) {
	point(l, x, y)
	l.Low, l.High = append(l.Low, low), append(l.High, high)
}

// curve appends a point with its spread to a line.
func curve(l *report.Line, x float64, repetitions []float64) {
	mean, sd := scoring.MeanSD(repetitions)
	if len(repetitions) < 2 {
		sd = 0
	}
	interval(l, x, mean, mean-sd, mean+sd)
}
