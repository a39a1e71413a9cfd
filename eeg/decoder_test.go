package eeg

import (
	"context"
	"testing"

	"rao/classify"
	"rao/internal/testkit"
	"rao/model"
	"rao/recipe"
	"rao/stream"
)

// A decoder of the samples of a recording makes the same decisions as Predict on its trials.
func TestDecoderDecidesAsPredictDoes(t *testing.T) {
	rec, ctx := synthetic(t, 8), context.Background()
	cut := testkit.Must(CutTrials(ctx, []*Recording{rec}, TrialOptions{Classes: leftRight(), Stop: 1, Causal: true,
		SignalOptions: recipe.SignalOptions{Bands: []recipe.Band{{Low: 8, High: 24}}}}))(t)
	x := cut.Stacks[0]
	mdm := testkit.Must(classify.FitMDM(ctx, x, cut.Labels, cut.Classes, classify.MDMOptions{}))(t)
	m := &model.Model{Method: "test", Classes: cut.Classes, Classifier: mdm,
		Input:    model.Schema{Kind: model.KindMatrices, Dim: 3, Channels: rec.Channels, Recipe: cut.Recipe},
		Training: model.TrainingOnMatrices(x, cut.Labels, 2)}
	want := testkit.Must(m.Predict(ctx, model.Matrices(x)))(t)
	d := testkit.Must(stream.NewDecoder(m, stream.DecoderOptions{Step: 0.01}))(t)
	k := 0
	err := d.Push(t.Context(), rec.data, func(one model.Decision) error {
		if k == x.Count || one.At != int64(cut.Sample[k]+100) {
			return nil
		}
		if one.Label != want.Label[k] || one.Rejected != want.Rejected[k] || one.Outlier != want.Outlier[k] {
			t.Errorf("trial %d: %+v, predict says class %d", k, one, want.Label[k])
		}
		testkit.Close(t, "log-posterior", one.LogPosterior, want.LogPosterior.RawRowView(k), 1e-9)
		k++
		return nil
	})
	if err != nil || k != x.Count {
		t.Fatalf("%d of %d trials, error %v", k, x.Count, err)
	}
}
