package spd

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"rao/cmd/rao/internal/app"
	"rao/dataset"
	"rao/internal/suggest"
	"rao/internal/text"
	"rao/model"
)

// driftLimits are what may be, by name; see --limit.
type driftLimits struct {
	Shift    text.Number `json:"shift"`
	Outliers text.Number `json:"outliers"`
	Balance  text.Number `json:"balance"`
	Missing  text.Number `json:"missing"` // excess of missing values over the training, by column
	Unseen   text.Number `json:"unseen"`  // texts that the training did not have, by column
}

const limitHelp = "shift=0.5,outliers=0.05,balance=0.25,missing=0.1,unseen=0.05"

// parseLimits reads --limit over the defaults.
func parseLimits(s string) (driftLimits, error) {
	l := driftLimits{0.5, 0.05, 0.25, 0.1, 0.05}
	for _, item := range app.SplitList(s) {
		name, value, ok := strings.Cut(item, "=")
		v, err := strconv.ParseFloat(value, 64)
		if !ok || err != nil || !(v >= 0) || math.IsInf(v, 0) {
			return l, app.Usagef("--limit %q: want NAME=NUMBER with a number of 0 or more, such as %s", item, limitHelp)
		}
		switch name {
		case "shift":
			l.Shift = text.Number(v)
		case "outliers":
			l.Outliers = text.Number(v)
		case "balance":
			l.Balance = text.Number(v)
		case "missing":
			l.Missing = text.Number(v)
		case "unseen":
			l.Unseen = text.Number(v)
		default:
			return l, app.Usagef("--limit: %v", suggest.Unknown("limit", name, []string{"shift", "outliers",
				"balance", "missing", "unseen"}))
		}
	}
	return l, nil
}

// driftResult is what check --model prints; its JSON names do not change.
type driftResult struct {
	*model.Drift
	Outliers text.Number `json:"outliers"`
	Balance  text.Number `json:"balance"`
	Limit    driftLimits `json:"limit"`
	Beyond   []string    `json:"beyond"` // sentences on what is beyond a limit
}

// driftError is the end of a check that found more drift than may be.
type driftError struct{ msg string }

func (e *driftError) Error() string { return e.msg }

// ExitStatus tells this end from a failure of the check.
func (e *driftError) ExitStatus() int { return 3 }

// checkDrift compares data with what a model was fitted to.
func checkDrift(ctx context.Context, a *app.App, path string, data *app.DataFlags, limit string, all bool) error {
	limits, err := parseLimits(limit)
	if err != nil {
		return err
	}
	m, err := a.ModelFor(ctx, path, data, nil)
	if err != nil {
		return err
	}
	w, err := m.WatchDrift(0)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	err = data.Blocks(ctx, a, false, func(d *dataset.Data, _ int) error {
		if err := w.Add(ctx, model.BatchOf(d)); err != nil {
			return fmt.Errorf("%s: %w", d.Source, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	r := judge(w.Drift(), limits)
	if err := a.Emit(r, func() { printDrift(a, r, m.Input.Kind, all) }); err != nil {
		return err
	}
	if len(r.Beyond) > 0 {
		return &driftError{"beyond the limit: " + strings.Join(r.Beyond[:min(len(r.Beyond), worstShown)], "; ")}
	}
	return nil
}

// judge says what is beyond the limits, the largest shifts first.
func judge(d *model.Drift, l driftLimits) *driftResult {
	r := &driftResult{Drift: d, Outliers: text.Number(d.Outliers), Balance: text.Number(d.Balance), Limit: l,
		Beyond: []string{}}
	d.ByShift()
	for _, c := range d.Values {
		if c.Beyond(float64(l.Shift)) {
			r.Beyond = append(r.Beyond, fmt.Sprintf("%s is shifted by %.3g", c.Name, c.Shift))
		}
	}
	if d.Outliers > float64(l.Outliers) {
		r.Beyond = append(r.Beyond, text.Percent(d.Outliers)+" are outliers")
	}
	if d.Balance > float64(l.Balance) {
		r.Beyond = append(r.Beyond, fmt.Sprintf("the balance of the classes differs by %.2f", d.Balance))
	}
	for _, c := range d.Columns {
		if c.Excess() > float64(l.Missing) {
			r.Beyond = append(r.Beyond, fmt.Sprintf("%s has no value in %s of the rows, in the training in %s", c.Name,
				text.Percent(c.Missing), text.Percent(c.Training)))
		}
		if c.Unseen > float64(l.Unseen) {
			r.Beyond = append(r.Beyond, fmt.Sprintf("%s has texts that the training did not have in %s of the rows",
				c.Name, text.Percent(c.Unseen)))
		}
	}
	return r
}

func printDrift(a *app.App, r *driftResult, kind model.Kind, all bool) {
	what, note := "column", "shift of the mean in standard deviations of the training"
	if kind == model.KindMatrices {
		what, note = "channel", "shift of the mean logarithm of power in standard deviations of the training"
	}
	fmt.Fprintf(a.Out, "%s; %s\n", text.Plural(r.N, "observation", "observations"), note)
	shown := len(r.Values)
	if !all {
		shown = min(shown, 2*worstShown)
	}
	var rows [][]string
	for _, c := range r.Values[:shown] {
		rows = append(rows, []string{c.Name, fmt.Sprintf("%+.3f", c.Shift), fmt.Sprintf("%.3f", c.Spread),
			text.Percent(c.Missing)})
	}
	a.Table([]string{what, "shift", "spread", "missing"}, rows)
	if more := len(r.Values) - shown; more > 0 {
		fmt.Fprintf(a.Out, "and %d of smaller shift, which --all lists\n", more)
	}
	rows = nil
	for _, c := range r.Columns {
		if c.Missing > 0 || c.Training > 0 || c.Unseen > 0 {
			rows = append(rows, []string{text.Cell(c.Name), text.Percent(c.Missing), text.Percent(c.Training),
				text.Percent(c.Unseen)})
		}
	}
	if rows = rows[:min(len(rows), app.Printable)]; len(rows) > 0 {
		fmt.Fprintln(a.Out)
		a.Table([]string{"column of the table", "missing", "in training", "unseen texts"}, rows)
	}
	if len(r.Shares) == 0 {
		return
	}
	fmt.Fprintf(a.Out, "\noutliers %s; balance of the classes differs by %.3f\n", text.Percent(float64(r.Outliers)),
		float64(r.Balance))
	rows = nil
	for _, c := range r.Shares[:min(len(r.Shares), app.Printable)] {
		rows = append(rows, []string{text.Cell(c.Class), text.Percent(c.Training), text.Percent(c.Decided)})
	}
	a.Table([]string{"class", "training", "decided"}, rows)
}
