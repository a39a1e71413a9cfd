package experiment

import (
	"context"
	"errors"
	"time"

	"rao/report"
	"rao/sqfa"
	"rao/synth"
)

// trainingTimes is figure 12: seconds of a fit from statistics over the dimension.
func trainingTimes(ctx context.Context, r *Run) error {
	dims := []int{64, 128, 256, 512}
	if r.Short {
		dims = dims[:2]
	}
	t := r.Table("seconds", "Fit from the statistics of ten classes, nine filters, noise 0.01", "dimensions", "sqfa, s", "passes", "smsqfa, s", "passes", "bdm, s", "passes")
	opts := []struct {
		name string
		opt  sqfa.Options
	}{
		{"sqfa", sqfa.Options{}},
		{"smsqfa", sqfa.Options{}},
		{"bdm", sqfa.Options{}},
	}
	opts[1].opt.Distance.Name = "affine_invariant"
	opts[2].opt.Distance.Name = "bhattacharyya"
	lines := make([]report.Line, len(opts))
	for _, n := range dims {
		stats := synth.Synthetic(10, n, r.Seed)
		row := []any{n}
		for i, o := range opts {
			o.opt.Filters, o.opt.Noise = 9, 0.01
			start := time.Now()
			m, err := sqfa.Fit(ctx, stats, o.opt)
			if m == nil || ctx.Err() != nil {
				return errors.Join(ctx.Err(), err)
			}
			s := time.Since(start).Seconds()
			row = append(row, Seconds(s), m.Report.Passes)
			lines[i].Name = o.name
			lines[i].X, lines[i].Y = append(lines[i].X, float64(n)), append(lines[i].Y, s)
		}
		t.Add(row...)
	}
	r.Figure("seconds", report.Lines("Time of a fit over the dimension", lines, report.PlotOptions{
		X: report.Axis{Label: "dimensions", Log: true}, Y: report.Axis{Label: "seconds", Log: true}, Markers: true}))
	return nil
}
