package live

import (
	"context"
	"io"
	"math"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"rao/eeg"
	_ "rao/eeg/spatial"
	"rao/internal/eeg/format/signal"
	"rao/internal/eeg/synth"
	"rao/internal/testkit"
	"rao/method"
	"rao/model"
	"rao/recipe"
)

// evokedModel learns from the first half of a recording; the trials of the second half are returned.
func evokedModel(t *testing.T, rec *eeg.Recording, signals bool) (*model.Model, *eeg.Trials) {
	t.Helper()
	opt := eeg.TrialOptions{Classes: synth.EvokedClasses, Start: 0.05, Stop: 0.55, Causal: true,
		SkipInvalid:   true,
		SignalOptions: recipe.SignalOptions{Bands: []recipe.Band{{Low: 1, High: 20}}, Order: 2, Estimator: "oas"}}
	name := "mdm"
	if signals {
		opt.Estimator, opt.Baseline, name = "none", [2]float64{-0.1, 0}, "xdawn"
	}
	trials := testkit.Must(eeg.CutTrials(context.Background(), []*eeg.Recording{rec}, opt))(t)
	spec := testkit.Must(method.ParseSpec(name))(t)
	m := testkit.Must(spec.Fit(context.Background(), method.InMemory{Data: trials.Data()}, nil))(t)
	return m, trials
}

// An invalid sample loses the event whose trial contains it, and not the events to come, which a recording marks at its
// start.
func TestFaultsLoseOnlyTheirEvents(t *testing.T) {
	rec := testkit.Must(synth.Evoked(40, 3))(t)
	m, trials := evokedModel(t, rec, true)
	n := len(rec.Channels)
	data := testkit.Must(signal.Samples(rec, n))(t)
	data[(rec.Events[10].Sample+100)*n] = math.NaN()
	broken := testkit.Must(eeg.NewRecording(rec.Channels, rec.Rate, data, rec.Events))(t)
	broken.Units = rec.Units
	var decided []int
	s := &EventSession{Start: 0.05, AtEvent: func(e eeg.Event, _ Decision, _ time.Duration) error {
		decided = append(decided, e.Sample+13)
		return nil
	}}
	s.Model, s.Skip, s.Keep = m, true, true
	testkit.NoError(t, s.Run(t.Context(), Recorded(broken), InfoOf(broken), ""))
	want := slices.DeleteFunc(trials.Sample, func(first int) bool { return first == rec.Events[10].Sample+13 })
	testkit.EqualSlices(t, decided, want, "trials with a decision")
}

// Decisions at events equal those of the model on trials cut at the events, for trials with a baseline and for
// covariances, also from a log. Each event has its own decision.
func TestDecisionsAtEvents(t *testing.T) {
	for _, signals := range []bool{true, false} {
		rec := testkit.Must(synth.Evoked(40, 3))(t)
		m, trials := evokedModel(t, rec, signals)
		d := trials.Data()
		want := testkit.Must(m.Predict(context.Background(), model.BatchOf(d)))(t)
		path := filepath.Join(t.TempDir(), "log.xdf")
		for pass := range 2 {
			log := path
			if pass == 1 {
				log = ""
				rec = testkit.Must(eeg.OpenRecording(path, eeg.RecordingOptions{Kinds: []string{"all"}}))(t)
			}
			n := 0
			s := &EventSession{Start: 0.05, AtEvent: func(e eeg.Event, got Decision, _ time.Duration) error {
				p := math.Exp(want.LogPosterior.At(n, want.Label[n]))
				if got.Label != want.Label[n] || math.Abs(got.Probability-p) > 1e-9 ||
					trials.Sample[n] != e.Sample+13 {
					t.Errorf("signals %v, pass %d, event %d: %+v, want %d with %g", signals, pass, n, got,
						want.Label[n], p)
				}
				n++
				return nil
			}}
			s.Model = m
			live := Recorded(rec)
			if err := s.Run(context.Background(), live, InfoOf(rec), log); err != nil && err != io.EOF {
				t.Fatal(err)
			}
			if n != len(trials.Labels) || n+s.Late != 40 || s.Late > 1 || s.Latency.N != int64(n) {
				t.Errorf("%d decisions of %d events, %d late", n, len(trials.Labels), s.Late)
			}
		}
	}
}
