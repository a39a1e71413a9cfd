package experiment

import (
	"context"
	"errors"
	"time"

	"rao/gaussian"
	"rao/internal/synth"
	"rao/report"
	"rao/sqfa"
)

// fitTimesProtocol is the protocol of figure 12.
const fitTimesProtocol = "Settings and data are the same as in figures 3 to 5. A fit includes preprocessing, the " +
	"classifier, and the statistics for methods that learn from them. The time is the median of three fits, or the " +
	"time of one fit if it takes more than twenty seconds. A short run fits once on a part of the data."

var fitTimesNotes = []string{
	"The paper's times are from a laptop with an Intel Core i7-1270P and 32 GB of memory (appendix D).",
}

// trainingTimes runs the experiment of figure 12 for one data set.
func trainingTimes(ctx context.Context, r *Run, t task, l *labeled) error {
	contenders := t.appendixMethods(r.Short)
	table := r.Table("seconds", "Fit time in seconds", "method", "fits", "fit, s")
	var bars []report.Bar
	seconds := map[string]float64{}
	for k, c := range contenders {
		var times []float64
		for len(times) < r.Pick(3, 1) && (len(times) == 0 || times[0] < 20) {
			o, err := t.run(ctx, r, l, c)
			if err != nil {
				return err
			}
			times = append(times, o.fit)
		}
		seconds[c.label] = quantile(times, 0.5)
		switch c.label { // methods that learn from statistics
		case "SQFA", "smSQFA", "BDM", "LDA", "PCA", "FA":
			seconds[c.label] += l.seconds
		}
		table.Add(c.label, Seconds(len(times)), Seconds(seconds[c.label])) // their number varies
		bars = append(bars, exactBar(c.label, seconds[c.label], k < 2))
		r.progress("methods", k+1, len(contenders))
	}
	r.bars("seconds", "Fit time in seconds", bars, report.Axis{Label: "seconds", Log: true})
	if r.Short {
		return nil
	}
	most := max(seconds["LDA"], seconds["ICA"], seconds["FA"])
	r.Claim("The training time of SQFA is comparable to that of LDA, ICA and FA (appendix D).",
		seconds["SQFA"] < 3*most,
		"SQFA takes %.2g s, and the slowest of the three %.2g s.", seconds["SQFA"], most).If("less than three " +
		"times the slowest")
	r.Claim("SQFA's training times are in the order of seconds (appendix D).", seconds["SQFA"] < 30,
		"%.2g s.", seconds["SQFA"]).If("below 30 s")
	return nil
}

// timesOverDimensions measures the time of fits from statistics with many dimensions.
func timesOverDimensions(ctx context.Context, r *Run) error {
	dims := []int{64, 128, 256, 512}
	if r.Short {
		dims = dims[:2]
	}
	t := r.Table("seconds", "Time to fit nine filters from the statistics of ten classes with noise "+
		"0.01", "dimensions", "sqfa, s",
		"passes", "smsqfa, s", "passes", "bdm, s", "passes")
	opts := []struct {
		name string
		opt  sqfa.Options
	}{{"sqfa", sqfa.Options{}}, {"smsqfa", sqfa.Options{Distance: gaussian.Riemann}},
		{"bdm", sqfa.Options{Distance: gaussian.Bhattacharyya}}}
	lines := make([]report.Line, len(opts))
	for _, n := range dims {
		stats := synth.Synthetic(10, n, r.Seed)
		row := []any{n}
		for i, o := range opts {
			o.opt.Filters, o.opt.Noise, o.opt.Start = 9, 0.01, "pca"
			start := time.Now()
			m, err := sqfa.Fit(ctx, stats, o.opt)
			if m == nil || ctx.Err() != nil {
				return errors.Join(ctx.Err(), err)
			}
			s := time.Since(start).Seconds()
			row = append(row, Seconds(s), m.Report.Passes)
			lines[i].Name = o.name
			point(&lines[i], float64(n), s)
		}
		t.Add(row...)
	}
	r.curves("seconds", "Fit time by dimension", lines, report.Axis{Label: "dimensions", Log: true},
		report.Axis{Label: "seconds", Log: true})
	return nil
}
