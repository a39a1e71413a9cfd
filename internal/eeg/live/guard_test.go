package live

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/floats"

	"rao/eeg"
	"rao/internal/covstream"
	"rao/internal/eeg/splines"
	"rao/internal/eeg/synth"
	"rao/internal/electrodes"
	"rao/internal/testkit"
	"rao/method"
	"rao/model"
	"rao/recipe"
)

// handModel learns imagined hand movements from a simulated recording, with an estimator of covariances.
func handModel(t *testing.T, estimator string) *model.Model {
	t.Helper()
	rec := testkit.Must(synth.Rhythms(30, 1))(t)
	trials := testkit.Must(eeg.CutTrials(t.Context(), []*eeg.Recording{rec},
		eeg.TrialOptions{Classes: synth.RhythmClasses,
			Start: 0.5, Stop: 2.5, Causal: true, SignalOptions: recipe.SignalOptions{
				Bands: []recipe.Band{{Low: 8, High: 13}}, Estimator: recipe.Estimator(estimator)}}))(t)
	spec := testkit.Must(method.ParseSpec("mdm"))(t)
	return testkit.Must(spec.Fit(t.Context(), method.InMemory{Data: trials.Data()}, nil))(t)
}

// changed returns a simulated recording whose samples×channels a function changed.
func changed(t *testing.T, trials int, change func(data []float64, n int)) *eeg.Recording {
	t.Helper()
	rec := testkit.Must(synth.Rhythms(trials, 2))(t)
	n := len(rec.Channels)
	data := make([]float64, n*rec.Samples())
	testkit.NoError(t, rec.Read(data, 0, rec.Samples()))
	change(data, n)
	out := testkit.Must(eeg.NewRecording(rec.Channels, rec.Rate, data, rec.Events))(t)
	out.Units, out.Source = rec.Units, "changed"
	return out
}

// decisions runs a session on a recording as a live signal, and returns the decisions and messages.
func decisions(t *testing.T, s *Session, rec *eeg.Recording, log string) (decided []Decision, said string) {
	t.Helper()
	var notes []string
	s.Note = func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	s.Write = func(d Decision, _ time.Duration) error {
		d.LogPosterior = slices.Clone(d.LogPosterior)
		decided = append(decided, d)
		return nil
	}
	s.Options.Step = 0.5
	testkit.NoError(t, s.Run(t.Context(), Recorded(rec), InfoOf(rec), log), notes)
	return decided, strings.Join(append(notes, s.Summary()), "\n")
}

// interpolate replaces a channel by splines through all others.
func interpolate(t *testing.T, data []float64, names []string, channel int) {
	t.Helper()
	places := make([][3]float64, len(names))
	for c, name := range names {
		places[c], _ = electrodes.Position(name)
	}
	weights := testkit.Must(splines.Weights(slices.Delete(slices.Clone(places), channel, channel+1),
		places[channel:channel+1]))(t).RawRowView(0)
	for row := range slices.Chunk(data, len(names)) {
		row[channel] = floats.Dot(weights[:channel], row[:channel]) + floats.Dot(weights[channel:], row[channel+1:])
	}
}

// A channel that is marked as bad, flat, much too loud or NaN neither ends a session nor distorts it: the session
// decides like one on a recording with the channel interpolated, and its log gives the same decisions.
func TestBadChannelsAreInterpolatedLive(t *testing.T) {
	m, sample, rate := handModel(t, "oas"), handModel(t, "sample"), synth.RhythmRate
	const channel = 11 // Pz
	for name, fault := range map[string]func(t int, v float64) float64{
		markedBad: func(_ int, v float64) float64 { return 3 * v }, isFlat: func(int, float64) float64 { return 7 },
		isLoud:         func(k int, v float64) float64 { return v + 4000*math.Sin(0.3*float64(k)) },
		"not a number": func(int, float64) float64 { return math.NaN() },
	} {
		from := 10 * rate
		if name == markedBad {
			from = 0
		}
		rec := changed(t, 15, func(data []float64, n int) {
			for k := from; k < len(data)/n; k++ {
				data[k*n+channel] = fault(k, data[k*n+channel])
			}
		})
		want := changed(t, 15, func(data []float64, n int) { interpolate(t, data, rec.Channels, channel) })
		if name == markedBad {
			rec.Bad = []string{rec.Channels[channel]}
		}
		log := filepath.Join(t.TempDir(), "log.xdf")
		s := &Session{Model: m}
		got, said := decisions(t, s, rec, log)
		expected, _ := decisions(t, &Session{Model: m}, want, "")
		if len(got) != len(expected) || !strings.Contains(said, "interpolated") ||
			name != "not a number" && !strings.Contains(said, "Pz ("+name+")") {
			t.Errorf("%s: %d decisions of %d: %s", name, len(got), len(expected), said)
			continue
		}
		for i, d := range got { // once filters and windows have forgotten what came before
			if d.At > int64(from+8*rate) && math.Abs(d.Probability-expected[i].Probability) > 0.01 {
				t.Errorf("%s: at %d %g, interpolated %g", name, d.At, d.Probability, expected[i].Probability)
				break
			}
		}
		if singular, said := decisions(t, &Session{Model: sample}, rec, ""); len(singular) != len(got) {
			t.Errorf("%s: %d decisions of %d without shrinkage: %s", name, len(singular), len(got), said)
		}
		again := testkit.Must(eeg.OpenRecording(log, eeg.RecordingOptions{Kinds: []string{"all"},
			AsStored: true}))(t)
		replayed, _ := decisions(t, &Session{Model: m}, again, "")
		if !slices.EqualFunc(got, replayed, func(a, b Decision) bool {
			return a.At == b.At && a.Label == b.Label && math.Abs(a.Probability-b.Probability) < 1e-6
		}) {
			t.Errorf("%s: the log decides otherwise", name)
		}
		if name == markedBad {
			if kept, said := decisions(t, &Session{Model: m, Keep: true}, rec, ""); len(kept) != len(got) ||
				!strings.Contains(said, "decisions are unreliable") {
				t.Errorf("kept: %d decisions: %s", len(kept), said)
			}
		}
	}
}

// Decisions during blinks are rejected and their share is reported; few other decisions are rejected. If the signal
// changes permanently, artifact detection learns again.
func TestArtifactsAreRejectedLive(t *testing.T) {
	m := handModel(t, "oas")
	rec := testkit.Must(synth.Rhythms(50, 2))(t)
	blinking, at := testkit.Must2(synth.Blinks(rec, 12, 3))(t)
	s := &Session{Model: m, Artifacts: 30}
	decided, said := decisions(t, s, blinking, "")
	found, alarms, blinks := 0, 0, 0
	for _, peak := range at {
		if peak > 32*synth.RhythmRate {
			blinks++
			if slices.ContainsFunc(decided, func(d Decision) bool {
				return d.Artifact && d.Rejected && d.At >= int64(peak) && d.At < int64(peak)+2*synth.RhythmRate
			}) {
				found++
			}
		}
	}
	for _, d := range decided {
		near := slices.ContainsFunc(at, func(p int) bool {
			return d.At >= int64(p)-synth.RhythmRate && d.At < int64(p)+4*synth.RhythmRate
		})
		if d.Artifact && !near {
			alarms++
		}
	}
	if blinks < 6 || found < blinks || alarms > len(decided)/50 {
		t.Errorf("%d of %d blinks found, %d of %d other decisions rejected: %s", found, blinks, alarms, len(decided),
			said)
	}
	testkit.Contains(t, said, "% of the signal, ")
	testkit.Contains(t, said, "artifact detection starts now")
	s = &Session{Model: m, Artifacts: 10}
	mixed := changed(t, 40, func(data []float64, n int) {
		for k := 60 * synth.RhythmRate; k < len(data)/n; k++ { // another cap
			for c := range n - 1 {
				data[k*n+c] += 3 * data[k*n+(c+5)%n]
			}
		}
	})
	if _, said := decisions(t, s, mixed, ""); !strings.Contains(said, "artifact detection learns again") {
		t.Error(said)
	}
	s = &Session{Model: m, Artifacts: 2}
	testkit.ErrorContains(t, s.Run(t.Context(), Recorded(rec), InfoOf(rec), ""), "at least 6 s")
	s = &Session{Model: m, Bad: []string{"C17"}}
	testkit.ErrorContains(t, s.Run(t.Context(), Recorded(rec), InfoOf(rec), ""), `no channel "C17"`)
}

// A window is rejected if it overlaps a window with an artifact by half of the shorter one, so the shortest windows are
// rejected too.
func TestArtifactsTouchWindowsOfAnyLength(t *testing.T) {
	for samples, last := range map[int64]int64{50: 525, 125: 563, 250: 625, 750: 1125} {
		for end := int64(500); end < 1300; end++ {
			a := &artifacts{window: 250, ends: []int64{500}}
			if got := a.touch(samples, end); got != (end <= last) {
				t.Fatalf("a window of %d samples that ends at %d: %v", samples, end, got)
			}
		}
	}
}

// A calibration leaves out trials with a flat channel or an artifact, and learns from the others.
func TestCalibrationLeavesOutFaultyTrials(t *testing.T) {
	rec := changed(t, 40, func(data []float64, n int) {
		for k := 100 * synth.RhythmRate; k < 110*synth.RhythmRate; k++ {
			data[k*n+6] = 1
		}
	})
	blinking, _ := testkit.Must2(synth.Blinks(rec, 8, 3))(t)
	var notes []string
	spec := testkit.Must(method.ParseSpec("mdm"))(t)
	k := testkit.Must(NewCalibration(t.Context(), InfoOf(blinking), CalibrationOptions{Classes: synth.RhythmClasses,
		Start: 0.5, Artifacts: 30, Method: spec,
		Stream: covstream.Options{Window: 3, SignalOptions: recipe.SignalOptions{
			Bands:   []recipe.Band{{Low: 8, High: 13}},
			Combine: "stacked", Estimator: "oas"}},
		Note: func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }}))(t)
	testkit.NoError(t, k.Run(t.Context(), Recorded(blinking), nil))
	said := strings.Join(notes, "\n")
	if k.Model == nil || k.Counts[0]+k.Counts[1]+k.Skipped != 40 || k.Skipped < 4 ||
		!strings.Contains(said, "left out: flat: C3") || !strings.Contains(said, "the trial contains an artifact") {
		t.Errorf("%v, %d left out: %s", k.Counts, k.Skipped, said)
	}
}
