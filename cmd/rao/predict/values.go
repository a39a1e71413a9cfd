package predict

import (
	"context"
	"fmt"
	"io"

	"rao/cmd/rao/internal/app"
	"rao/internal/datapart"
	"rao/internal/format/archive"
	"rao/internal/predictions"
	"rao/internal/text"
	"rao/model"
)

// predictValues writes the numbers that a regression model predicts.
func predictValues(ctx context.Context, a *app.App, m *model.Model, data *app.DataFlags, out string,
	rejects bool) error {
	if rejects {
		return app.Usagef("--reject-below: the %s model predicts the number %s, not classes; omit --reject-below",
			m.Method, m.Target())
	}
	var values []float64
	err := archive.WriteFile(out, func(w io.Writer) (err error) {
		values, err = predictions.WriteValues(ctx, w, m, data.Reader(ctx, a, "predict", m))
		return err
	})
	if err != nil {
		return err
	}
	r := struct {
		N      int    `json:"n"`
		Target string `json:"target"`
		Out    string `json:"out"`
	}{len(values), m.Target(), out}
	return a.Emit(r, func() {
		fmt.Fprintf(a.Out, "%s of %s written to %s\n", text.Plural(r.N, "value", "values"), r.Target, out)
	})
}

// evaluateValues scores the numbers that a regression model predicts.
func evaluateValues(ctx context.Context, a *app.App, m *model.Model, data *app.DataFlags, allow bool) error {
	target := data.Opt.Y
	if target == "" {
		target = m.Target()
	}
	data.Opt.Y = ""
	d, y, err := data.OpenTargets(ctx, a, target)
	if err != nil {
		return err
	}
	values, err := m.Values(ctx, model.BatchOf(d))
	if err != nil {
		return fmt.Errorf("%s: %w", d.Source, err)
	}
	res := &app.Regression{Method: m.Method, Target: m.Target(), N: d.N()}
	res.Score(values, y)
	part := datapart.Of(datapart.Like(d, m.Input.Columns, m.Input.Channels), a.Hashing)
	res.Overlap = a.WarnOverlap(m, d.Source, part, allow)
	return a.Emit(res, func() { res.Print(a) })
}
