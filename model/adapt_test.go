package model

import (
	"strings"
	"testing"

	"rao/internal/testkit"
)

// A causal adaptation decides in the same way on a complete recording and live, and changes the probabilities.
func TestCausalAdaptationsDecideAlikeLive(t *testing.T) {
	m, x, labels := recorded(t, nearest(t))
	m.RejectBelow = 0
	plain := testkit.Must(m.Predict(ctx, Matrices(x)))(t)
	for _, how := range []Adapt{adaptCausal, adaptBias} {
		stage, adapted := testkit.Must2(FitAdaptation(ctx, how, 0.1, x, nil, []float64{0.7, 0.3}))(t, how)
		fit := *m
		fit.Stages, fit.Classifier = []Stage{stage}, nearest(t)(adapted, labels)
		whole := testkit.Must(fit.Predict(ctx, Matrices(x)))(t, how)
		d, err := NewDecoder(&fit, DecoderOptions{})
		testkit.NoError(t, err, how)
		for k := range x.Count {
			one, err := d.Observe(x.At(k))
			if err != nil {
				t.Fatal(how, err)
			}
			testkit.Close(t, string(how)+": log-probabilities live", one.LogPosterior, whole.LogPosterior.RawRowView(k),
				1e-12)
		}
		if last := x.Count - 1; whole.LogPosterior.At(last, 0) == plain.LogPosterior.At(last, 0) {
			t.Errorf("%s changes nothing", how)
		}
	}
	for want, a := range map[string]*Adaptation{"unknown adaptation": {How: "x"}, "rate of the " +
		"adaptation": {How: adaptBias, Rate: 2}, "sum to": {How: adaptBias, Shares: []float64{1, 1}}} {
		testkit.ErrorContains(t, testkit.ErrorOf(a.Out(Schema{Kind: KindMatrices, Dim: 2})), want)
	}
}

// An adaptation to complete recordings is rejected by name in a stream, and replaced by a causal one on request.
func TestStreamsRefuseWholeRecordings(t *testing.T) {
	m, x, labels := recorded(t, nearest(t))
	plain := *m
	for how, live := range map[Adapt]bool{adaptCenter: false, adaptSmooth: false, adaptBalanced: false,
		adaptCausal: true, adaptBias: true} {
		stage, adapted, err := FitAdaptation(ctx, how, 0, x, nil, []float64{0.5, 0.5})
		testkit.NoError(t, err, how)
		fit := plain
		fit.Stages, fit.Classifier = []Stage{stage}, nearest(t)(adapted, labels)
		_, err = NewDecoder(&fit, DecoderOptions{})
		if live != (err == nil) || !live && !strings.Contains(err.Error(), "adapts by "+string(how)) {
			t.Errorf("%s: error %v", how, err)
		}
		d, err := NewDecoder(&fit, DecoderOptions{Adapt: adaptCausal})
		testkit.Equal(t, how != adaptBias, err == nil, how, "followed causally: error", err)
		if !live && (len(d.Notes()) != 1 || !strings.Contains(d.Notes()[0], string(how))) {
			t.Errorf("%s, followed causally: notes %q", how, d.Notes())
		}
	}
	for want, opt := range map[string]DecoderOptions{"use causal": {Adapt: adaptBalanced},
		"not fitted to centered": {Adapt: adaptCausal}} {
		testkit.ErrorContains(t, testkit.ErrorOf(NewDecoder(&plain, opt)), want)
	}
}
