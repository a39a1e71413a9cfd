package report_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"rao/report"
)

// A figure, and a page that holds it.
func ExampleHTML() {
	bars := report.Bars("Accuracy", []report.Bar{
		{Label: "SQFA", Value: 0.934, Low: 0.929, High: 0.939, Highlight: true},
		{Label: "PCA", Value: 0.878, Low: 0.871, High: 0.884},
	}, report.BarsOptions{Axis: report.Axis{Label: "accuracy", Percent: true}})
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
