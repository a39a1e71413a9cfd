package report_test

import (
	"fmt"

	"rao/report"
)

// A figure can be written as SVG, PNG or PDF, or shown on a page.
func ExampleBars() {
	f := report.Bars("Accuracy on the test set", []report.Bar{
		{Label: "SQFA", Value: 0.934, Low: 0.929, High: 0.939, Highlight: true},
		{Label: "PCA", Value: 0.878, Low: 0.871, High: 0.884},
	}, report.Axis{Label: "accuracy", Percent: true})
	fmt.Println(f.Alt)
	// Output: accuracy. SQFA 93.4 %; PCA 87.8 %
}
