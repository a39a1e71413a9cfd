package experiment

import (
	"context"
	"fmt"
	"slices"

	"rao/method"
	"rao/report"
)

// sweep fits SQFA and related methods for several values of one option and draws the accuracy against the value.
func (r *Run) sweep(ctx context.Context, l *labeled, option, label string, values []float64, log bool,
	fixed ...setting) error {
	methods := slices.DeleteFunc([]string{"sqfa", "smsqfa", "bdm", "pca"}, func(m string) bool {
		return !accepts(m, option)
	})
	header := []string{label, methods[0]}
	for _, m := range methods[1:] {
		header = append(header, m, "p against "+methods[0])
	}
	t := r.Table("accuracy", "QDA accuracy in percent on the test set, with its 95 % interval. p is from McNemar's "+
		"test, adjusted within each row by Holm's method", header...)
	lines := make([]report.Line, len(methods))
	for i, m := range methods {
		lines[i].Name = m
	}
	for _, v := range values {
		var outcomes []*outcome
		for _, m := range methods {
			set := []setting{{option, number(v)}}
			for _, s := range fixed {
				if accepts(m, s.Name) {
					set = append(set, s)
				}
			}
			o, err := r.fitted(ctx, l, m, m, set...)
			if err != nil {
				return err
			}
			outcomes = append(outcomes, o)
		}
		p := mcnemarAgainstFirst(outcomes)
		row := []any{v}
		for i, o := range outcomes {
			i95 := o.interval()
			if row = append(row, fmt.Sprintf("%.2f (%s)", 100*o.accuracy(), percents(i95))); i > 0 {
				row = append(row, pValue(p[i]))
			}
			interval(&lines[i], v, o.accuracy(), i95.Low, i95.High)
		}
		t.Add(row...)
	}
	r.Figure("accuracy", report.Lines(fmt.Sprintf("Accuracy over the %s", label), lines, report.PlotOptions{
		X: report.Axis{Label: label, Log: log}, Y: report.Axis{Label: "QDA accuracy", Percent: true}, Markers: true,
		ErrorBars: true}))
	return nil
}

// accepts reports whether a method has an option. PCA, for example, does not use noise.
func accepts(name, option string) bool {
	m, err := method.Lookup(name)
	if err == nil {
		_, err = m.Option(option)
	}
	return err == nil
}

// sweepFilters fits a data set with 2 to 20 filters.
func sweepFilters(ctx context.Context, r *Run, _ task, l *labeled) error {
	values := []float64{2, 4, 6, 9, 12, 16, 20}
	if r.Short {
		values = []float64{2, 9}
	}
	return r.sweep(ctx, l, "filters", "number of filters", values, false, setting{"noise", "1"})
}

// sweepNoise fits a data set with different feature noise.
func sweepNoise(ctx context.Context, r *Run, _ task, l *labeled) error {
	values := []float64{0.01, 0.03, 0.1, 0.3, 1, 3, 10, 20}
	if r.Short {
		values = []float64{0.1, 1}
	}
	return r.sweep(ctx, l, "noise", "feature noise", values, true, setting{"filters", "9"})
}
