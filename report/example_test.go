package report_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"rao/report"
)

// This example draws a figure and writes a page that contains it.
func ExampleHTML() {
	bars := report.Bars("Accuracy", []report.Bar{
		{Label: "SQFA", Value: 0.934, Low: 0.929, High: 0.939, Highlight: true},
		{Label: "PCA", Value: 0.878, Low: 0.871, High: 0.884},
	}, report.Axis{Label: "accuracy", Percent: true})
	dir, err := os.MkdirTemp("", "report")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	f, err := os.Create(filepath.Join(dir, "digits.html"))
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	err = report.HTML(f, report.Page{Title: "Digits",
		Sections: []report.Section{{Heading: "Accuracy", Figures: []*report.Figure{bars}}}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(bars.Alt)
	// Output: accuracy. SQFA 93.4 %; PCA 87.8 %
}

// This example draws curves with a legend and axes. Alt describes the figure for people who cannot see it.
func ExampleLines() {
	f := report.Lines("Filters", []report.Line{
		{Name: "SQFA", X: []float64{1, 2, 4, 8}, Y: []float64{0.41, 0.63, 0.82, 0.91}},
		{Name: "PCA", X: []float64{1, 2, 4, 8}, Y: []float64{0.30, 0.45, 0.64, 0.83}},
	}, report.PlotOptions{X: report.Axis{Label: "filters"}, Y: report.Axis{Label: "accuracy", Percent: true}})
	fmt.Println(f.Alt)
	// Output: accuracy against filters. SQFA: 4 points from 0.41 to 0.91. PCA: 4 points from 0.3 to 0.83.
}
