// Package personreport creates a report on one person's recordings: the quality of the signals, how they change after
// the events, and how well the classes can be decoded.
package personreport

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"rao"
	"rao/dataset"
	"rao/eeg"
	"rao/internal/eeg/trialevents"
	"rao/internal/modelinfo"
	"rao/internal/optionvalues"
	"rao/internal/text"
	"rao/internal/voltage"
	"rao/method"
	"rao/recipe"
	"rao/report"
)

// Options are the settings of the report.
type Options struct {
	Progress rao.Progress // receives the number of finished parts
	Title    string
	Trials   eeg.TrialOptions // classes, times and bands of the trials
	Method   method.Spec      // method that decodes the trials
	Footer   string           // such as the command
}

// Page creates a report on the recordings, which must have the same channels and rate. A section that cannot be
// computed contains the reason. It returns an error if the recordings cannot be read, no trials can be cut from them or
// the method cannot learn from them.
func Page(ctx context.Context, recs []*eeg.Recording, opt Options) (*report.Page, error) {
	done := func(parts int) { opt.Progress.Send(rao.Event{Stage: "parts of the page", Done: parts, Total: 5}) }
	t, err := eeg.CutTrials(ctx, recs, opt.Trials)
	if err != nil {
		return nil, err
	}
	opt.Trials.Note = nil // trials are cut again below, which would repeat the notes
	d := t.Data()
	p := &report.Page{Title: opt.Title, Footer: opt.Footer, Subtitle: fmt.Sprintf("%s, %s of %s, decided by %s",
		text.Plural(len(recs), "recording", "recordings"), text.Plural(d.N(), "trial", "trials"),
		strings.Join(d.Classes, ", "), opt.Method)}
	done(1)
	var spectra []*spectra
	for _, r := range recs {
		s, err := welch(r)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.Source, err)
		}
		spectra = append(spectra, s)
	}
	matrices, err := asMatrices(ctx, recs, t, opt.Trials)
	if err != nil {
		return nil, err
	}
	moved, why := drifts(ctx, matrices, t.Recording, len(recs))
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	done(2)
	power, err := courses(recs, opt.Trials.Classes, opt.Trials.Anchor, opt.Trials.Stop)
	if err != nil {
		return nil, err
	}
	done(3)
	decided, err := decode(ctx, d, t.Recording, opt.Method)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", opt.Method, err)
	}
	done(4)
	p.Sections = []report.Section{quality(recs, spectra, t, moved), events(recs), densities(recs, spectra),
		changes(recs[0].Channels, opt.Trials, power)}
	if opt.Trials.Estimator == optionvalues.EstimatorNone {
		p.Sections = append(p.Sections, responses(t, opt.Trials.Start), learnedPatterns(ctx, t, opt.Method))
	} else {
		p.Sections = append(p.Sections, patterns(ctx, recs, opt.Trials))
	}
	p.Sections = append(p.Sections, decisionSection(d, decided), driftSection(recs, d, decided, moved, why))
	return p, nil
}

// asMatrices returns the covariances of the trials. If t contains signals, not covariances, it cuts the trials again.
func asMatrices(ctx context.Context, recs []*eeg.Recording, t *eeg.Trials, opt eeg.TrialOptions) (*dataset.Data,
	error) {
	if t.Signals == nil {
		return t.Data(), nil
	}
	opt.Estimator, opt.Baseline, opt.Frequencies, opt.Harmonics = "oas", [2]float64{}, nil, 0
	again, err := eeg.CutTrials(ctx, recs, opt)
	if err != nil {
		return nil, err
	}
	return again.Data(), nil
}

func name(r *eeg.Recording) string { return filepath.Base(r.Source) }

// quality lists the recordings with their bad channels and artifacts.
func quality(recs []*eeg.Recording, s []*spectra, t *eeg.Trials, moved *drift) report.Section {
	table := &report.Table{Header: []string{"recording", "minutes", "channels", "marked bad", "much power",
		"little power", "trials", "artifacts"}}
	list := func(names []string) string {
		if len(names) == 0 {
			return "none"
		}
		return strings.Join(names, ", ")
	}
	for i, r := range recs {
		loud, quiet := s[i].unlike(r.Channels)
		trials, artifacts := 0, 0
		for k, of := range t.Recording {
			if of == i {
				trials++
				if moved != nil && moved.artifact[k] {
					artifacts++
				}
			}
		}
		share := "–"
		if moved != nil && trials > 0 {
			share = text.Percent(float64(artifacts) / float64(trials))
		}
		table.Rows = append(table.Rows, []string{name(r), fmt.Sprintf("%.1f", float64(r.Samples())/r.Rate/60),
			fmt.Sprint(len(r.Channels)), list(r.Bad), list(loud), list(quiet), fmt.Sprint(trials), share})
	}
	sec := report.Section{Heading: "Signals", Table: table, Note: "Much and little power: channels whose power from " +
		"1 to 40 Hz differs from the median of the channels by more than four robust standard deviations. Artifacts: " +
		"trials that are outliers to a Riemannian potato of all trials."}
	if len(t.Skipped) > 0 {
		sec.Text = fmt.Sprintf("%s left out: %s.", text.Plural(len(t.Skipped), "trial was", "trials were"),
			strings.Join(t.Skipped[:min(5, len(t.Skipped))], "; "))
	}
	return sec
}

// mostEvents is the maximum number of kinds of events in the table.
const mostEvents = 40

func events(recs []*eeg.Recording) report.Section {
	table := &report.Table{Header: []string{"event"}}
	var kinds []string
	counts := map[string][]int{}
	for i, r := range recs {
		table.Header = append(table.Header, name(r))
		for _, k := range trialevents.Count(r.Events) {
			if counts[k.String()] == nil {
				counts[k.String()] = make([]int, len(recs))
				kinds = append(kinds, k.String())
			}
			counts[k.String()][i] = k.Count
		}
	}
	sec := report.Section{Heading: "Events", Table: table}
	if len(kinds) > mostEvents {
		sec.Note = fmt.Sprintf("%d more kinds of events are not shown.", len(kinds)-mostEvents)
		kinds = kinds[:mostEvents]
	}
	for _, k := range kinds {
		row := []string{k}
		for _, n := range counts[k] {
			row = append(row, fmt.Sprint(n))
		}
		table.Rows = append(table.Rows, row)
	}
	return sec
}

// densities draws the mean spectrum of each group of channels.
func densities(recs []*eeg.Recording, s []*spectra) report.Section {
	unit := 1e12 // from V² to µV²
	label := "µV² per Hz, in decibels"
	if voltage.Common(recs[0].Units) != "V" {
		unit, label = 1, "power per Hz, in decibels"
	}
	var groups []string
	for _, c := range recs[0].Channels {
		if g := regionOf(c); !slices.Contains(groups, g) {
			groups = append(groups, g)
		}
	}
	var lines []report.Line
	for _, g := range groups {
		line := report.Line{Name: g}
		for k, f := range s[0].hertz {
			if f < 1 || f > math.Min(45, recs[0].Rate/2) {
				continue
			}
			sum, n := 0.0, 0.0
			for _, one := range s {
				for c, channel := range recs[0].Channels {
					if regionOf(channel) == g {
						sum, n = sum+one.density[c][k], n+1
					}
				}
			}
			line.X, line.Y = append(line.X, f), append(line.Y, 10*math.Log10(unit*sum/n))
		}
		lines = append(lines, line)
	}
	return report.Section{Heading: "Spectra", Figures: []*report.Figure{report.Lines("Power density by region", lines,
		report.PlotOptions{X: report.Axis{Label: "frequency in Hz"}, Y: report.Axis{Label: label}})},
		Note: "Welch's method: windows of 2 s with an overlap of half, mean over channels and recordings."}
}

// changes draws maps of power over time and frequency.
func changes(channels []string, opt eeg.TrialOptions, c *course) report.Section {
	sec := report.Section{Heading: "Power after the events"}
	if c == nil {
		sec.Text = "The trials are too short, or the rate too low, for maps over time and frequency."
		return sec
	}
	var figures []*report.Figure
	shown := c.shown(channels, opt.Estimator == optionvalues.EstimatorCorrelations)
	for k, class := range opt.Classes {
		for _, ch := range shown {
			if c.change[k] != nil {
				figures = append(figures, report.Contours(fmt.Sprintf("%s, %s", class.Name, channels[ch]),
					c.seconds, c.hertz, c.change[k][ch], report.ContoursOptions{Limit: 1,
						X: report.Axis{Label: "seconds after the event"}, Y: report.Axis{Label: "Hz"}}))
			}
		}
	}
	if figures == nil {
		sec.Text = "The maps compare with the second before each event, but no trial includes it."
		return sec
	}
	sec.Figures = []*report.Figure{report.Panels("Change of power (ERD and ERS)", len(shown), figures...)}
	sec.Note = fmt.Sprintf("Power in windows of %g s relative to the second before the event, mean over trials: −1 "+
		"is no power left (desynchronization, blue), 1 is twice the power (synchronization, red).", courseWindow)
	return sec
}

// patterns draws common spatial patterns for the frequency range from the lowest to the highest band.
func patterns(ctx context.Context, recs []*eeg.Recording, opt eeg.TrialOptions) report.Section {
	one := recipe.Band{Low: 8, High: 30}
	if len(opt.Bands) > 0 {
		one = opt.Bands[0]
	}
	for _, b := range opt.Bands {
		one.Low, one.High = math.Min(one.Low, b.Low), math.Max(one.High, b.High)
	}
	opt.Bands, opt.Estimator, opt.Delays, opt.Normalize = []recipe.Band{one}, "oas", nil, false
	opt.Baseline, opt.Frequencies, opt.Harmonics = [2]float64{}, nil, 0
	return patternSection(func() (*report.Figure, error) {
		t, err := eeg.CutTrials(ctx, recs, opt)
		if err != nil {
			return nil, err
		}
		csp, err := method.Lookup("csp")
		if err != nil {
			return nil, err
		}
		m, err := csp.Fit(ctx, method.InMemory{Data: t.Data()}, nil, nil)
		if m == nil || err != nil && !rao.HasModel(err) {
			return nil, err
		}
		f, err := modelinfo.Spatial(m)
		if err != nil || f == nil || f.Patterns == nil {
			return nil, fmt.Errorf("no patterns: %w", err)
		}
		return drawPatterns(fmt.Sprintf("Common spatial patterns, %g to %g Hz", one.Low, one.High), f.Patterns,
			t.Recipe)
	}())
}

// decisionSection shows the accuracy, the confusion matrix and the learning curve.
func decisionSection(d *dataset.Data, r *decoded) report.Section {
	last := len(r.share) - 1
	ci := r.accuracy[last]
	low, high := make([]float64, len(r.share)), make([]float64, len(r.share))
	for i, c := range r.accuracy {
		low[i], high[i] = c.Low, c.High
	}
	chance := 0
	for _, n := range d.Counts() {
		chance = max(chance, n)
	}
	words := fmt.Sprintf("%d of %d trials are decided correctly: %s (95 %% interval %s to %s), leaving out %s. "+
		"Always choosing the most frequent class gives %s.", r.right, r.n, text.Percent(r.share[last]),
		text.Percent(ci.Low), text.Percent(ci.High), r.by, text.Percent(float64(chance)/float64(d.N())))
	if len(d.Classes) == 2 && !math.IsNaN(r.auc) {
		words += fmt.Sprintf(" The area under the ROC curve is %.3f.", r.auc)
	}
	return report.Section{Heading: "Decisions", Text: words,
		Figures: []*report.Figure{report.Confusion("Confusion", r.confusion, d.Classes),
			report.Lines("Learning curve", []report.Line{{Name: "", X: r.learned, Y: r.share, Low: low, High: high}},
				report.PlotOptions{Markers: true, ErrorBars: true, X: report.Axis{Label: "trials learned from"},
					Y: report.Axis{Label: "accuracy", Percent: true, Min: 0, Max: 1}})},
		Note: "The learning curve uses the first trials of each class. Bars are 95 % Wilson intervals."}
}

func driftSection(recs []*eeg.Recording, d *dataset.Data, r *decoded, moved *drift, why error) report.Section {
	sec := report.Section{Heading: "Drift between recordings"}
	if moved == nil {
		sec.Text = fmt.Sprintf("Distances between trials are not computed: %v.", why)
		return sec
	}
	sec.Table = &report.Table{Header: []string{"recording", "accuracy", "distance of its mean to the first",
		"mean distance of its trials to their mean"}}
	var lines []report.Line
	for i, rec := range recs {
		accuracy := "–"
		if right, n := r.of(i, d.Labels); n > 0 {
			accuracy = text.Percent(float64(right) / float64(n))
		}
		sec.Table.Rows = append(sec.Table.Rows, []string{name(rec), accuracy, fmt.Sprintf("%.2f", moved.moved[i]),
			fmt.Sprintf("%.2f", moved.spread[i])})
		line := report.Line{Name: name(rec), X: moved.rows[i]}
		for _, number := range line.X {
			line.Y = append(line.Y, moved.from[int(number)-1])
		}
		lines = append(lines, line)
	}
	sec.Figures = []*report.Figure{report.Lines("Distance of each trial to the mean of the first recording", lines,
		report.PlotOptions{X: report.Axis{Label: "trial"}, Y: report.Axis{Label: "affine-invariant distance"}})}
	sec.Note = "A recording whose mean is further from the first than its trials are from their own mean has " +
		"drifted. Aligning recordings (rao tune --adapt center) may help then."
	return sec
}
