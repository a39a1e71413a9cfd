package main

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"rao/dataset"
	"rao/internal/suggest"
	"rao/model"
)

// driftLimits are what may be, by name; see --limit.
type driftLimits struct {
	Shift    number `json:"shift"`
	Outliers number `json:"outliers"`
	Balance  number `json:"balance"`
}

const limitHelp = "shift=0.5,outliers=0.05,balance=0.25"

// parseLimits reads --limit over the defaults.
func parseLimits(s string) (driftLimits, error) {
	l := driftLimits{0.5, 0.05, 0.25}
	for _, item := range splitList(s) {
		name, value, ok := strings.Cut(item, "=")
		v, err := strconv.ParseFloat(value, 64)
		if !ok || err != nil || !(v >= 0) || math.IsInf(v, 0) {
			return l, usagef("--limit %q: want NAME=NUMBER with a number of 0 or more, such as %s", item, limitHelp)
		}
		switch name {
		case "shift":
			l.Shift = number(v)
		case "outliers":
			l.Outliers = number(v)
		case "balance":
			l.Balance = number(v)
		default:
			return l, usagef("--limit: %v", suggest.Unknown("limit", name, []string{"shift", "outliers", "balance"}))
		}
	}
	return l, nil
}

// driftResult is what check --model prints; its JSON names do not change.
type driftResult struct {
	*model.Drift
	Outliers number      `json:"outliers"`
	Balance  number      `json:"balance"`
	Limit    driftLimits `json:"limit"`
	Beyond   []string    `json:"beyond"` // sentences on what is beyond a limit
}

// driftError is the end of a check that found more drift than may be.
type driftError struct{ msg string }

func (e *driftError) Error() string { return e.msg }

// ExitStatus tells this end from a failure of the check.
func (e *driftError) ExitStatus() int { return 3 }

// checkDrift compares data with what a model was fitted to.
func (a *app) checkDrift(ctx context.Context, path string, data *dataFlags, limit string, all bool) error {
	limits, err := parseLimits(limit)
	if err != nil {
		return err
	}
	m, err := a.modelFor(ctx, path, data, nil)
	if err != nil {
		return err
	}
	w, err := m.WatchDrift(0)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	err = data.blocks(ctx, a, false, func(d *dataset.Data, _ int) error {
		if err := w.Add(ctx, model.BatchOf(d)); err != nil {
			return fmt.Errorf("%s: %w", d.Source, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	r := judge(w.Drift(), limits)
	if err := a.emit(r, func() { a.printDrift(r, m.Input.Kind, all) }); err != nil {
		return err
	}
	if len(r.Beyond) > 0 {
		return &driftError{"beyond the limit: " + strings.Join(r.Beyond[:min(len(r.Beyond), worstShown)], "; ")}
	}
	return nil
}

// judge says what is beyond the limits, the largest shifts first.
func judge(d *model.Drift, l driftLimits) *driftResult {
	r := &driftResult{Drift: d, Outliers: number(d.Outliers), Balance: number(d.Balance), Limit: l, Beyond: []string{}}
	d.ByShift()
	for _, c := range d.Values {
		if c.Beyond(float64(l.Shift)) {
			r.Beyond = append(r.Beyond, fmt.Sprintf("%s is shifted by %.3g", c.Name, c.Shift))
		}
	}
	if d.Outliers > float64(l.Outliers) {
		r.Beyond = append(r.Beyond, percent(d.Outliers)+" are outliers")
	}
	if d.Balance > float64(l.Balance) {
		r.Beyond = append(r.Beyond, fmt.Sprintf("the balance of the classes differs by %.2f", d.Balance))
	}
	return r
}

func (a *app) printDrift(r *driftResult, kind model.Kind, all bool) {
	what, note := "column", "shift of the mean in standard deviations of the training"
	if kind == model.KindMatrices {
		what, note = "channel", "shift of the mean logarithm of power in standard deviations of the training"
	}
	fmt.Fprintf(a.out, "%s; %s\n", plural(r.N, "observation", "observations"), note)
	shown := len(r.Values)
	if !all {
		shown = min(shown, 2*worstShown)
	}
	var rows [][]string
	for _, c := range r.Values[:shown] {
		rows = append(rows, []string{c.Name, fmt.Sprintf("%+.3f", c.Shift), fmt.Sprintf("%.3f", c.Spread),
			percent(c.Missing)})
	}
	a.table([]string{what, "shift", "spread", "missing"}, rows)
	if more := len(r.Values) - shown; more > 0 {
		fmt.Fprintf(a.out, "and %d of smaller shift, which --all lists\n", more)
	}
	if len(r.Shares) == 0 {
		return
	}
	fmt.Fprintf(a.out, "\noutliers %s; balance of the classes differs by %.3f\n", percent(float64(r.Outliers)),
		float64(r.Balance))
	rows = nil
	for _, c := range r.Shares[:min(len(r.Shares), printable)] {
		rows = append(rows, []string{cell(c.Class), percent(c.Training), percent(c.Decided)})
	}
	a.table([]string{"class", "training", "decided"}, rows)
}
