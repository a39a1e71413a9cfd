// Package report draws figures and writes HTML pages.
//
// Each function draws one figure, from plain numbers or from a model. A figure can be written as SVG, PNG or PDF, or as
// part of a self-contained HTML page:
//
//	f := report.Bars("Accuracy on the test set", []report.Bar{
//		{Label: "SQFA", Value: 0.934, Low: 0.929, High: 0.939, Highlight: true},
//		{Label: "PCA", Value: 0.878, Low: 0.871, High: 0.884},
//	}, report.Axis{Label: "accuracy", Percent: true})
//	err := f.WriteFile("accuracy.svg")
//	err = report.HTML(w, report.Page{Title: "Digits", Sections: []report.Section{
//		{Heading: "Accuracy", Figures: []*report.Figure{f}},
//	}})
//
// [Bars] compares methods, [Filters] shows learned filters as images, and [Ellipses] shows classes and filters in
// planes. [Confusion] draws a confusion matrix, [Lines] draws curves, [Scatter] draws points, and [ScalpMap] draws
// weights over the head. [Learned] returns the figures of what a model has learned.
//
// The colors are safe for color-blind readers. Each figure has a description in words (Alt), and pages follow the
// reader's choice of a dark or light theme. The same input gives the same bytes.
//
// # Caveats
//
// Constructors panic with mat.ErrShape if lengths differ. Values that are not finite are left out or shown as a dash.
// The layout assumes that the reader has Helvetica or Arial.
package report
