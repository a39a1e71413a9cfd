package model

import (
	"strings"
	"testing"

	"rao/internal/testkit"
)

// What looks only back decides alike on a whole recording and live, and changes the
// probabilities.
func TestCausalAdaptationsDecideAlikeLive(t *testing.T) {
	m, _, cut := recorded(t, nearest(t))
	x := cut.Stacks[0]
	m.RejectBelow = 0
	plain, err := m.Predict(ctx, Matrices(x))
	if err != nil {
		t.Fatal(err)
	}
	for _, how := range []string{AdaptCausal, AdaptBias} {
		stage, adapted, err := FitAdaptation(ctx, how, 0.1, x, nil, []float64{0.7, 0.3})
		if err != nil {
			t.Fatal(how, err)
		}
		fit := *m
		fit.Stages, fit.Classifier = []Stage{stage}, nearest(t)(adapted, cut.Labels)
		whole, err := fit.Predict(ctx, Matrices(x))
		if err != nil {
			t.Fatal(how, err)
		}
		d, err := NewDecoder(&fit, DecoderOptions{})
		if err != nil {
			t.Fatal(how, err)
		}
		for k := range x.Count {
			one, err := d.Observe(x.At(k))
			if err != nil {
				t.Fatal(how, err)
			}
			testkit.Close(t, how+": log-probabilities live", one.LogPosterior, whole.LogPosterior.RawRowView(k), 1e-12)
		}
		if last := x.Count - 1; whole.LogPosterior.At(last, 0) == plain.LogPosterior.At(last, 0) {
			t.Errorf("%s changes nothing", how)
		}
	}
	for want, a := range map[string]*Adaptation{"unknown adaptation": {How: "x"}, "rate of the adaptation": {How: AdaptBias, Rate: 2}, "sum to": {How: AdaptBias, Shares: []float64{1, 1}}} {
		if err := a.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not say %q", err, want)
		}
	}
}
