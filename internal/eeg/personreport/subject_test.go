package personreport

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/eeg"
	_ "rao/eeg/spatial" // xdawn
	"rao/internal/eeg/synth"
	"rao/internal/testkit"
	"rao/method"
	"rao/recipe"
	"rao/report"
)

// hands returns two recordings of imagined hand movements.
func hands(t *testing.T) ([]*eeg.Recording, Options) {
	t.Helper()
	var recs []*eeg.Recording
	for seed := range uint64(2) {
		r := testkit.Must(synth.Rhythms(20, seed+1))(t)
		recs = append(recs, r)
	}
	spec := testkit.Must(method.ParseSpec("mdm"))(t)
	return recs, Options{Title: "Hands", Method: spec, Trials: eeg.TrialOptions{
		Classes: synth.RhythmClasses, Start: 0.5, Stop: 3.5, SignalOptions: recipe.SignalOptions{
			Bands: []recipe.Band{{Low: 8, High: 13}}, Estimator: "oas", Combine: "stacked"}}}
}

// The page has all sections, with their figures, and the same bytes each time.
func TestPageOfHands(t *testing.T) {
	recs, opt := hands(t)
	var pages [2]bytes.Buffer
	for i := range pages {
		p := testkit.Must(Page(t.Context(), recs, opt))(t)
		figures := 0
		for _, s := range p.Sections {
			figures += len(s.Figures)
		}
		if len(p.Sections) != 7 || figures != 6 {
			t.Errorf("%d sections with %d figures", len(p.Sections), figures)
		}
		if s := p.Sections[5].Text; !strings.HasPrefix(s, "40 of 40 trials") ||
			!strings.Contains(s, "each recording in turn") {
			t.Errorf("decisions: %s", s)
		}
		testkit.NoError(t, report.HTML(&pages[i], *p))
	}
	testkit.EqualSlices(t, pages[0].Bytes(), pages[1].Bytes(), "two pages of the same recordings differ")
}

// The density of a sine of 10 Hz is its power, half the square of its amplitude, at 10 Hz.
func TestWelchHasThePowerOfASine(t *testing.T) {
	const rate = 128
	data := make([]float64, 20*rate)
	for i := range data {
		data[i] = 3 * math.Sin(2*math.Pi*10*float64(i)/rate)
	}
	r := testkit.Must(eeg.NewRecording([]string{"Cz"}, rate, data, nil))(t)
	s := testkit.Must(welch(r))(t)
	testkit.Near(t, s.band(0, 8, 12), 4.5, 1e-6, "power")
	if p := s.band(0, 20, 40); p > 1e-6 {
		t.Errorf("power %g without a sine", p)
	}
}

// Imagining a movement of one hand weakens the 10 Hz rhythm over the opposite side of the head, and other frequencies
// less.
func TestCoursesFindTheDesynchronization(t *testing.T) {
	recs, opt := hands(t)
	c := testkit.Must(courses(recs, opt.Trials.Classes, eeg.Class{}, 3.5))(t)
	channel, ten := slices.Index(recs[0].Channels, "C4"), slices.Index(c.hertz, 10)
	mean := func(m *mat.Dense, row int) float64 {
		sum, n := 0.0, 0.0
		for j, s := range c.seconds {
			if s > 1 {
				sum, n = sum+m.At(row, j), n+1
			}
		}
		return sum / n
	}
	left, right := mean(c.change[0][channel], ten), mean(c.change[1][channel], ten)
	if c.trials[0] != 19 || c.trials[1] != 19 { // the first trial of a recording has no second before it
		t.Errorf("%v trials", c.trials)
	}
	if !(left < -0.5 && right > left+0.5) {
		t.Errorf("at C4 the power changes by %g for the left hand and by %g for the right", left, right)
	}
	if got := c.shown(recs[0].Channels, false); len(got) != 3 || recs[0].Channels[got[1]] != "Cz" {
		t.Errorf("channels %v are shown", got)
	}
}

// A channel without contact and a noisy channel are named, and missing samples and breaks are left out.
func TestUnlikeChannelsAreNamed(t *testing.T) {
	recs, _ := hands(t)
	r := recs[0]
	n := len(r.Channels)
	data := make([]float64, r.Samples()*n)
	testkit.NoError(t, r.Read(data, 0, r.Samples()))
	for i := range r.Samples() {
		data[i*n+2] = 7
		data[i*n+5] *= 300
	}
	data[1000*n] = math.NaN()
	bad := testkit.Must(eeg.NewRecording(r.Channels, r.Rate, data, r.Events))(t)
	bad.Breaks = []int{3000}
	s := testkit.Must(welch(bad))(t)
	loud, quiet := s.unlike(bad.Channels)
	if !slices.Equal(loud, r.Channels[5:6]) || !slices.Equal(quiet, r.Channels[2:3]) {
		t.Errorf("much power: %v, little: %v", loud, quiet)
	}
	good := testkit.Must(welch(r))(t)
	if loud, quiet = good.unlike(r.Channels); loud != nil || quiet != nil {
		t.Errorf("of clean channels: %v and %v", loud, quiet)
	}
}

// If a result cannot be computed, the page explains why in its place.
func TestPageOfOneSmallRecording(t *testing.T) {
	recs, opt := hands(t)
	r := recs[0]
	for i := range r.Channels {
		r.Channels = slices.Clone(r.Channels)
		r.Channels[i] = "ch" + string(rune('a'+i))
	}
	p := testkit.Must(Page(t.Context(), recs[:1], opt))(t)
	if s := p.Sections[4]; len(s.Figures) > 0 || !strings.Contains(s.Text, "not drawn") {
		t.Errorf("patterns without places: %+v", s)
	}
	testkit.Contains(t, p.Sections[5].Text, "a fifth of the trials", "decisions")
	if regionOf("Fp1") != "frontal" || regionOf("PO7") != "occipital" || regionOf("EOG") != "other channels" {
		t.Error("regions of channels")
	}
}

// The page of evoked potentials shows the mean trials of the classes in microvolts, computed from the sums of the
// trials, and the patterns of the method.
func TestPageOfEvokedPotentials(t *testing.T) {
	rec := testkit.Must(synth.Evoked(80, 1))(t)
	spec := testkit.Must(method.ParseSpec("xdawn"))(t)
	opt := Options{Method: spec, Trials: eeg.TrialOptions{
		Classes: synth.EvokedClasses, Stop: 0.5, SignalOptions: recipe.SignalOptions{
			Bands: []recipe.Band{{Low: 1, High: 20}}, Estimator: "none",
			Combine: "stacked"}}}
	recs := []*eeg.Recording{rec}
	p := testkit.Must(Page(t.Context(), recs, opt))(t)
	names := map[string]report.Section{}
	for _, s := range p.Sections {
		names[s.Heading] = s
	}
	if len(names["Responses to the events"].Figures) != 1 || len(names["Spatial patterns"].Figures) != 1 ||
		names["Drift between recordings"].Table == nil {
		t.Errorf("%+v", p.Sections)
	}
	cut := testkit.Must(eeg.CutTrials(t.Context(), recs, opt.Trials))(t)
	mean, counts := averages(cut)
	want := 0.0
	for k, l := range cut.Labels {
		if l == 2 {
			want += cut.Signals.At(k, 12*125+30) / 20 // P4, 0.12 s after a light on the left
		}
	}
	got := mean[2].At(12, 30)
	if counts[2] != 20 || math.Abs(got-want) > 1e-12*math.Abs(want) || got < 3 {
		t.Errorf("%d trials, mean %g, want %g", counts[2], got, want)
	}
}
