package stream

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/internal/covstream"
	"rao/internal/testkit"
	"rao/model"
	"rao/recipe"
	"rao/spd"
)

// live returns the recipe of windows of one band.
func live(window, low, high float64) recipe.Signal {
	return recipe.Signal{Window: window,
		SignalOptions: recipe.SignalOptions{Bands: []recipe.Band{{Low: low, High: high}}}}
}

// recorded returns a signal of 40 trials of 2 s with a rhythm at C3 or C4, and a model of its windows.
func recorded(t testing.TB) (*model.Model, []float64) {
	t.Helper()
	const rate, trials = 128, 40
	channels := []string{"C3", "Cz", "C4"}
	data, signal := testkit.Rhythm(trials, 2*rate), live(2, 8, 24)
	opt := testkit.Must(covstream.OptionsOf(&recipe.Recipe{Signal: &signal}))(t)
	s := testkit.Must(covstream.New(3, rate, opt))(t)
	x, labels := spd.NewStack(trials, 3), make([]int, 0, trials)
	testkit.NoError(t, s.Push(data, func(cov *mat.SymDense, _ int64) error {
		x.Set(len(labels), cov)
		labels = append(labels, len(labels)%2)
		return nil
	}))
	mdm := testkit.Must(classify.FitMDM(t.Context(), x, labels, []string{"left", "right"}, classify.MDMOptions{}))(t)
	return &model.Model{Method: "test", Classes: []string{"left", "right"}, Classifier: mdm,
		Input: model.Schema{Kind: model.KindMatrices, Dim: 3, Channels: channels,
			Recipe: opt.Recipe(channels, rate)},
		Training: model.TrainingOnMatrices(x, labels, 2)}, data
}

// decisions pushes the samples in small blocks.
func decisions(t testing.TB, d *Decoder, x []float64) []model.Decision {
	t.Helper()
	var out []model.Decision
	for len(x) > 0 {
		n := min(len(x), 7*d.Width())
		testkit.NoError(t, d.Push(t.Context(), x[:n], func(one model.Decision) error {
			one.LogPosterior = slices.Clone(one.LogPosterior)
			out = append(out, one)
			return nil
		}))
		x = x[n:]
	}
	return out
}

func TestDecoderFindsChannelsByName(t *testing.T) {
	m, x := recorded(t)
	d := testkit.Must(NewDecoder(m, DecoderOptions{}))(t)
	want := decisions(t, d, x)
	var turned []float64
	for k := 0; k < len(x); k += 3 {
		turned = append(turned, x[k+2], 99*float64(k), x[k+1], x[k])
	}
	d = testkit.Must(NewDecoder(m, DecoderOptions{Channels: []string{"C4", "ECG", "Cz", "C3"}, Rate: 128}))(t)
	for i, one := range decisions(t, d, turned) {
		if one.Probability != want[i].Probability || one.Label != want[i].Label {
			t.Errorf("window %d: %+v, with the channels in order %+v", i, one, want[i])
		}
	}
}

func TestDecoderRefusesWhatContradictsTheTraining(t *testing.T) {
	m, _ := recorded(t)
	bands, short, third, shrunk := live(2, 1, 4), live(1, 8, 24), live(2, 8, 24), live(2, 8, 24)
	third.Order, shrunk.Estimator = 3, "oas"
	for want, opt := range map[string]DecoderOptions{
		"rate: 256 Hz here, 128 Hz in training":                {Rate: 256},
		"channel Cz is missing":                                {Channels: []string{"C3", "C4", "Pz"}},
		"bands: 1-4 Hz here, 8-24 Hz in training":              {Signal: &bands},
		"two channels have the name \"C4\"":                    {Channels: []string{"C4", "C4", "Cz", "C3"}},
		"window: 1 s here, 2 s in training":                    {Signal: &short},
		"filter order: 3 here, 5 in training":                  {Signal: &third},
		"estimator: oas here, sample in training":              {Signal: &shrunk},
		"windows of 2 s every -1 s are 256 samples every -128": {Step: -1},
		"channels C3, Cz, C4 are missing; the signal h":        {Channels: []string{"a"}},
	} {
		testkit.ErrorContains(t, testkit.ErrorOf(NewDecoder(m, opt)), want, "want it to say")
	}
	zero := *m
	r := *m.Input.Recipe.Signal
	r.Causal = false
	zero.Input.Recipe.Signal = &r
	d, err := NewDecoder(&zero, DecoderOptions{})
	if err != nil || len(d.Notes()) != 1 || !strings.Contains(d.Notes()[0], "without a phase shift") {
		t.Errorf("a model trained without a phase shift: %v, %v", d.Notes(), err)
	}
	unknown := *m
	unknown.Input.Recipe = nil
	d = testkit.Must(NewDecoder(&unknown, DecoderOptions{}))(t)
	err = d.Push(t.Context(), make([]float64, 3), nil)
	testkit.ErrorContains(t, err, "does not record how")
}

// A decoder continues after samples that are not finite: windows restart after them, each fault is reported, and later
// decisions equal those of a signal that starts there. Without a handler for faults it stops.
func TestDecoderGoesOnAfterFaults(t *testing.T) {
	m, x := recorded(t)
	at := 3 * 40 // sample 40: two bad samples
	broken := slices.Clone(x)
	broken[at], broken[at+3] = math.NaN(), math.Inf(1)
	var faults []covstream.SampleError
	d := testkit.Must(NewDecoder(m, DecoderOptions{Step: 0.25, Fault: func(f *SampleError) {
		faults = append(faults,
			*f)
	}}))(t)
	got := decisions(t, d, broken)
	if len(faults) != 2 || !faults[0].Refused || faults[0].Repeated || !faults[1].Repeated || faults[0].Accepted != 40 {
		t.Errorf("faults %+v", faults)
	}
	fresh := testkit.Must(NewDecoder(m, DecoderOptions{Step: 0.25}))(t)
	want := decisions(t, fresh, x[at+6:])
	if len(got) != len(want) {
		t.Fatalf("%d decisions, %d of the signal behind the faults", len(got), len(want))
	}
	for i := range got {
		if got[i].At != want[i].At+42 || got[i].Probability != want[i].Probability {
			t.Errorf("decision %d: %+v, want %+v", i, got[i], want[i])
		}
	}
	fresh = testkit.Must(NewDecoder(m, DecoderOptions{}))(t)
	var fault *covstream.SampleError
	if err := fresh.Push(t.Context(), broken, nil); !errors.As(err, &fault) || !fault.Refused {
		t.Errorf("without a place for faults: %v", err)
	}
	ctx := testkit.Canceled()
	fresh = testkit.Must(NewDecoder(m, DecoderOptions{}))(t)
	testkit.ErrorIs(t, fresh.Push(ctx, x, func(model.Decision) error { return nil }), context.Canceled, "canceled")
}
