package model

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"rao"
	"rao/classify"
	"rao/eeg"
	"rao/lvq"
	"rao/spd"
)

// recorded is a recording of 40 trials of 2 s with a rhythm of 10 Hz at C3 or C4, and a
// model of it as fit makes one of causally filtered trials.
func recorded(t testing.TB, fit func(x *spd.Stack, labels []int) Classifier) (*Model, *eeg.Recording, *eeg.Trials) {
	t.Helper()
	const rate, seconds, trials = 128, 2, 40
	channels := []string{"C3", "Cz", "C4"}
	r := rand.New(rand.NewPCG(3, 3))
	data := make([]float64, trials*seconds*rate*3)
	var events []eeg.Event
	for k := range trials * seconds * rate {
		trial := k / (seconds * rate)
		if k%(seconds*rate) == 0 {
			events = append(events, eeg.Event{Sample: k, Code: 1 + trial%2})
		}
		for c := range 3 {
			data[3*k+c] = r.NormFloat64()
		}
		data[3*k+2*(trial%2)] += math.Sin(2 * math.Pi * 10 * float64(k) / rate)
	}
	rec, err := eeg.NewRecording(channels, rate, data, events)
	if err != nil {
		t.Fatal(err)
	}
	cut, err := eeg.CutTrials(ctx, []*eeg.Recording{rec},
		eeg.TrialOptions{Classes: []eeg.Class{{Name: "left", Code: 1}, {Name: "right", Code: 2}},
			Stop: seconds, Bands: []eeg.Band{{Low: 8, High: 24}}, Causal: true})
	if err != nil {
		t.Fatal(err)
	}
	x := cut.Stacks[0]
	return &Model{Method: "test", Classes: cut.Classes,
		Input:      Schema{Kind: KindMatrices, Dim: 3, Channels: channels, Recipe: cut.Recipe},
		Classifier: fit(x, cut.Labels), Training: TrainingOnMatrices(x, cut.Labels, 2)}, rec, cut
}

func prototypes(t testing.TB) func(x *spd.Stack, labels []int) Classifier {
	return func(x *spd.Stack, labels []int) Classifier {
		p, err := lvq.FitPLRSQ(context.Background(), x, labels, nil,
			lvq.Options{Epochs: 2, CalibrationFolds: -1, Sigma2: 1})
		if err != nil && !rao.IsNotConverged(err) {
			t.Fatal(err)
		}
		return p
	}
}

func nearest(t testing.TB) func(x *spd.Stack, labels []int) Classifier {
	return func(x *spd.Stack, labels []int) Classifier {
		m, err := classify.FitMDM(context.Background(), x, labels, []string{"left", "right"}, classify.MDMOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
}

// samples returns all samples of a recording.
func samples(t testing.TB, rec *eeg.Recording) []float64 {
	t.Helper()
	x := make([]float64, rec.Samples()*len(rec.Channels))
	if err := rec.Read(x, 0, rec.Samples()); err != nil {
		t.Fatal(err)
	}
	return x
}

// decisions pushes the samples in small blocks.
func decisions(t testing.TB, d *Decoder, x []float64) []Decision {
	t.Helper()
	var out []Decision
	for len(x) > 0 {
		n := min(len(x), 7*d.Width())
		err := d.Push(x[:n], func(one Decision) error {
			one.LogPosterior = slices.Clone(one.LogPosterior)
			out = append(out, one)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		x = x[n:]
	}
	return out
}

func TestDecoderDecidesAsPredictDoes(t *testing.T) {
	for name, fit := range map[string]func(x *spd.Stack, labels []int) Classifier{"plrsq": prototypes(t),
		"mdm": nearest(t)} {
		m, rec, cut := recorded(t, fit)
		want, err := m.Predict(ctx, Matrices(cut.Stacks[0]))
		if err != nil {
			t.Fatal(err)
		}
		d, err := NewDecoder(m, DecoderOptions{})
		if err != nil {
			t.Fatal(err)
		}
		got := decisions(t, d, samples(t, rec))
		if len(got) != cut.Stacks[0].Count {
			t.Fatalf("%s: %d decisions on %d trials", name, len(got), cut.Stacks[0].Count)
		}
		for i, one := range got {
			if one.Label != want.Label[i] || one.Rejected != want.Rejected[i] || one.Outlier != want.Outlier[i] {
				t.Errorf("%s: trial %d: %+v, predict says class %d", name, i, one, want.Label[i])
			}
			for c, v := range one.LogPosterior {
				if math.Abs(v-want.LogPosterior.At(i, c)) > 1e-9 {
					t.Errorf("%s: trial %d has log-posterior %v, predict says %v",
						name, i, v, want.LogPosterior.At(i, c))
				}
			}
		}
	}
}

func TestDecoderFindsChannelsByName(t *testing.T) {
	m, rec, _ := recorded(t, prototypes(t))
	d, err := NewDecoder(m, DecoderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	x := samples(t, rec)
	want := decisions(t, d, x)
	var turned []float64
	for k := 0; k < len(x); k += 3 {
		turned = append(turned, x[k+2], 99*float64(k), x[k+1], x[k])
	}
	d, err = NewDecoder(m, DecoderOptions{Channels: []string{"C4", "ECG", "Cz", "C3"}, Rate: 128})
	if err != nil {
		t.Fatal(err)
	}
	for i, one := range decisions(t, d, turned) {
		if one.Probability != want[i].Probability || one.Label != want[i].Label {
			t.Errorf("window %d: %+v, with the channels in order %+v", i, one, want[i])
		}
	}
}

func TestDecoderRefusesWhatContradictsTheTraining(t *testing.T) {
	m, _, _ := recorded(t, nearest(t))
	bands := eeg.StreamOptions{Window: 2, Bands: []eeg.Band{{Low: 1, High: 4}}}
	for want, opt := range map[string]DecoderOptions{
		"rate: 256 Hz here, 128 Hz in the training":   {Rate: 256},
		"channel Cz is missing":                       {Channels: []string{"C3", "C4", "Pz"}},
		"bands: 1-4 Hz here, 8-24 Hz in the training": {Stream: &bands},
		"two channels are named \"C4\"":               {Channels: []string{"C4", "C4", "Cz", "C3"}},
		"window: 1 s here, 2 s in the " +
			"training": {Stream: &eeg.StreamOptions{Window: 1, Bands: []eeg.Band{{Low: 8, High: 24}}}},
		"filter order: 3 here, 5 in the " +
			"training": {Stream: &eeg.StreamOptions{Window: 2, Order: 3, Bands: []eeg.Band{{Low: 8, High: 24}}}},
		"estimator: oas here, sample in the " +
			"training": {Stream: &eeg.StreamOptions{Window: 2, Bands: []eeg.Band{{Low: 8, High: 24}},
			Covariance: spd.CovarianceOptions{Estimator: spd.OAS}}},
		"windows of 2 s every -1 s are 256 and -128":    {Step: -1},
		"channels C3, Cz, C4 are missing; the signal h": {Channels: []string{"a"}},
	} {
		if _, err := NewDecoder(m, opt); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want it to say %q", err, want)
		}
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
	if d, err = NewDecoder(&unknown, DecoderOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := d.Push(make([]float64, 3), nil); err == nil || !strings.Contains(err.Error(), "it is not known how") {
		t.Errorf("got %v", err)
	}
}

// A stream that follows a session undoes a change of gain, begins at the training's mean,
// and learns without changing the model.
func TestDecoderAdaptsAndLearns(t *testing.T) {
	m, _, cut := recorded(t, nearest(t))
	x := cut.Stacks[0]
	stage, centered, err := FitAdaptation(ctx, AdaptCenter, 0, x, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	m.Stages, m.Classifier = []Stage{stage}, prototypes(t)(centered, cut.Labels)
	d, err := NewDecoder(m, DecoderOptions{Adapt: AdaptCausal})
	if err != nil {
		t.Fatal(err)
	}
	right := 0
	for k := range 3 * x.Count {
		a := slices.Clone(x.At(k % x.Count))
		for i := range a {
			a[i] *= 9
		}
		one, err := d.Observe(a)
		if err != nil {
			t.Fatal(err)
		}
		if k >= 2*x.Count && one.Label == cut.Labels[k%x.Count] {
			right++
		}
	}
	if right < 38 {
		t.Errorf("%d of %d decisions are right after the mean has moved", right, x.Count)
	}
	before, err := m.Predict(ctx, Matrices(x))
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Update(0); err != nil {
		t.Fatal(err)
	}
	after, err := m.Predict(ctx, Matrices(x))
	if err != nil {
		t.Fatal(err)
	}
	mine, err := d.Model().Predict(ctx, Matrices(x))
	if err != nil {
		t.Fatal(err)
	}
	if before.LogPosterior.At(0, 0) != after.LogPosterior.At(0, 0) ||
		mine.LogPosterior.At(0, 0) == after.LogPosterior.At(0, 0) {
		t.Error("an update changes the model, or does not change the decoder's own")
	}
}
