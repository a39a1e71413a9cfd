package main

import (
	"context"
	"fmt"
	"io"

	"rao/internal/format/archive"
	"rao/method"
	"rao/model"
)

// predictValues writes the numbers that a regression predicts.
func (a *app) predictValues(ctx context.Context, m *model.Model, data *dataFlags, out string, rejects bool) error {
	if rejects {
		return usagef("--reject-below is for decisions; the %s model predicts the number %s", m.Method, m.Target())
	}
	n := 0
	err := archive.WriteFile(out, func(w io.Writer) (err error) {
		n, err = method.WriteValues(ctx, w, m, data.reader(ctx, a, "predict", m))
		return err
	})
	if err != nil {
		return err
	}
	r := struct {
		N      int    `json:"n"`
		Target string `json:"target"`
		Out    string `json:"out"`
	}{n, m.Target(), out}
	return a.emit(r, func() {
		fmt.Fprintf(a.out, "%s of %s written to %s\n", plural(n, "value", "values"), r.Target, out)
	})
}

// evaluateValues scores the numbers that a regression predicts.
func (a *app) evaluateValues(ctx context.Context, m *model.Model, data *dataFlags, allow bool) error {
	target := data.opt.Y
	if target == "" {
		target = m.Target()
	}
	data.opt.Y = ""
	d, y, err := a.openTargets(ctx, data, target)
	if err != nil {
		return err
	}
	values, err := m.Values(ctx, model.BatchOf(d))
	if err != nil {
		return fmt.Errorf("%s: %w", d.Source, err)
	}
	res := &regressResult{Method: m.Method, Target: m.Target(), N: d.N()}
	res.score(values, y)
	res.Overlap = a.warnOverlap(m, d.Source, partOf(d, a.hashing), allow)
	return a.emit(res, func() { a.printRegress(res) })
}
