// Package report shows results: it draws figures and writes pages.
//
// Every figure is made by one function from plain numbers. It can be written as SVG, as
// PNG, or into an HTML page that is one file and needs no network:
//
//	f := report.Bars("Accuracy on the test set", []report.Bar{
//		{Label: "SQFA", Value: 0.934, Low: 0.929, High: 0.939, Highlight: true},
//		{Label: "PCA", Value: 0.878, Low: 0.871, High: 0.884},
//	}, report.BarsOptions{Axis: report.Axis{Label: "accuracy", Percent: true}})
//	err := f.WriteFile("accuracy.svg")
//	err = report.HTML(w, report.Page{Title: "Digits", Sections: []report.Section{{Heading: "Accuracy", Figures:
//	[]*report.Figure{f}}}})
//
// [Bars] compares methods, [Filters] shows learned filters as images, and [Ellipses] classes and
// filters in planes. [Confusion] draws a confusion matrix, [Convergence] and [Lines] curves,
// [Scatter] points, [matricesFigure] prototypes as heat maps, [ScalpMap] weights over the head,
// [reliability] calibration.
//
// Readers of any color vision can distinguish the colors. Each figure says in words
// what it shows (Alt), and pages follow the reader's choice of a dark or light screen.
// The same input gives the same bytes.
//
// # Caveats
//
// Constructors panic with mat.ErrShape when lengths contradict each other. Values
// that are not finite are left out or shown as a dash. Text in SVG uses the reader's
// Helvetica or Arial, whose widths the layout assumes.
package report
