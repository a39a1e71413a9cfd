package eeg

import (
	"slices"
	"strings"
	"testing"

	"rao/internal/testkit"
	"rao/recipe"
)

func openTest(t *testing.T, file string, opt RecordingOptions) *Recording {
	t.Helper()
	r := testkit.Must(OpenRecording("testdata/"+file, opt))(t)
	t.Cleanup(func() { r.Close() })
	return r
}

// values reads samples first to first+count-1.
func values(t *testing.T, r *Recording, first, count int) []float64 {
	t.Helper()
	x := make([]float64, count*len(r.Channels))
	testkit.NoError(t, r.Read(x, first, count))
	return x
}

func TestRunOfTheBNCIDatabase(t *testing.T) {
	for _, path := range []string{"data{2}", "data{2}.X"} {
		r := openTest(t, "bnci.mat", RecordingOptions{Path: path, Drop: []string{"ch2"}})
		if r.Rate != 250 || r.Samples() != 40 || !slices.Equal(r.Channels, []string{"ch1", "ch3"}) {
			t.Errorf("%g Hz, %d samples, %v", r.Rate, r.Samples(), r.Channels)
		}
		if want := []Event{{Sample: 0, Code: 1, Label: "left hand"},
			{Sample: 20, Code: 2, Label: "feet"}}; !slices.Equal(r.Events, want) {
			t.Errorf("events %v, want %v", r.Events, want)
		}
		testkit.EqualSlices(t, values(t, r, 3, 2), []float64{130, 132, 140, 142}, "values")
	}
	r := openTest(t, "bnci.mat", RecordingOptions{Path: "data{1}", Channels: []string{"C3", "Cz", "C4"}})
	testkit.EqualSlices(t, r.Channels, []string{"C3", "Cz", "C4"}, "channels")
}

func TestBerlinSet(t *testing.T) {
	r := openTest(t, "berlin.mat", RecordingOptions{Channels: []string{"C4", "C3"}})
	want := []Event{{Sample: 2, Code: -1, Label: "left hand"}, {Sample: 10, Code: 1, Label: "feet"},
		{Sample: 30, Label: "unlabeled"}}
	if r.Rate != 100 || !slices.Equal(r.Channels, []string{"C4", "C3"}) || !slices.Equal(r.Events, want) {
		t.Errorf("%g Hz, %v, %v", r.Rate, r.Channels, r.Events)
	}
	testkit.EqualSlices(t, values(t, r, 39, 1), []float64{392, 390}, "values")
}

func TestPlainSignalsOfAMatFile(t *testing.T) {
	r := openTest(t, "plain.mat", RecordingOptions{Path: "EEG1", Rate: 50})
	if r.Rate != 50 || r.Samples() != 40 || len(r.Events) != 0 {
		t.Errorf("%g Hz, %d samples, %v", r.Rate, r.Samples(), r.Events)
	}
}

func TestMatFilesWithoutARecording(t *testing.T) {
	for _, c := range []struct {
		file string
		opt  RecordingOptions
		want string
	}{
		{"bnci.mat", RecordingOptions{}, "data contains 2 recordings; name one with option path, such as data{1}, or " +
			"several, such as data{1:2}"},
		{"bnci.mat", RecordingOptions{Path: "data{3}"}, "it has no element {3}"},
		{"bnci.mat", RecordingOptions{Path: "data{1}.classes"}, "the signals are of class cell and shape 1×2"},
		{"bnci.mat", RecordingOptions{Path: "data{1}.Y"}, `it has no field "Y"; its fields are X, trial, y`},
		{"bnci.mat", RecordingOptions{Path: "data{1}", Rate: 100}, "the sampling rate of the file is 250 Hz, not 100"},
		{"bnci.mat", RecordingOptions{Path: "data{1}", Channels: []string{"C3"}}, "has 3 channels, but the list of " +
			"channels has 1 name"},
		{"plain.mat", RecordingOptions{}, "name the part that contains the signals with option path"},
		{"plain.mat", RecordingOptions{Path: "EEG1"}, "no sampling rate (fs); give it with option rate"},
	} {
		_, err := OpenRecording("testdata/"+c.file, c.opt)
		testkit.ErrorContains(t, err, c.want, c.file, c.opt)
	}
}

// Filters start anew at a break, and no trial reaches across.
func TestBreaks(t *testing.T) {
	whole := synthetic(t, 4)
	part := *whole
	part.Breaks = []int{1000}
	half := *whole
	half.data, half.samples = whole.data[1000*3:], whole.samples-1000
	for _, causal := range []bool{false, true} {
		got := testkit.Must(part.filtered(recipe.Band{Low: 8, High: 12}, 0, causal))(t)
		want := testkit.Must(half.filtered(recipe.Band{Low: 8, High: 12}, 0, causal))(t)
		testkit.EqualSlices(t, got.data[3000:], want.data, "causal", causal,
			"the second piece is not filtered on its own")
	}
	testkit.Contains(t, testkit.Must(part.invalid(950, 100))(t), "reaches across sample 1000")
	for _, first := range []int{900, 1000} {
		testkit.Equal(t, testkit.Must(part.invalid(first, 100))(t), "", first)
	}
}

// A trial that overlaps a span marked bad is left out.
func TestSpansMarkedBad(t *testing.T) {
	r := synthetic(t, 4)
	r.Events = append(r.Events, Event{Sample: 300, Duration: 50, Label: "BAD_blink"}, Event{Sample: 500, Label: "bad"},
		Event{Sample: 600, Duration: 9, Label: "badge "})
	for first, bad := range map[int]bool{200: false, 201: true, 349: true, 350: false, 450: false} {
		why := testkit.Must(r.invalid(first, 100))(t)
		testkit.Equal(t, strings.Contains(why, `touches the span "BAD_blink" (samples 300 to 349)`), bad, first, why)
	}
}
