package eeg

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"rao/cmd/rao/internal/tooltest"
	"rao/eeg"
	_ "rao/eeg/spatial" // xdawn
	"rao/internal/eeg/live"
	"rao/internal/testkit"
)

// cued writes a recording in which a cue shows the class and a start marker, after a varying delay, begins the trial. A
// trial is a rhythm at one of two channels, under a strong 30 Hz hum.
func cued(t *testing.T, path string) {
	t.Helper()
	const rate, trials, length = 120, 16, 4 * 120
	rng := rand.New(rand.NewPCG(8, 1))
	data := make([]float64, trials*length*2)
	var events []eeg.Event
	for k := range trials * length {
		trial := k / length
		for c := range 2 {
			v := rng.NormFloat64() + 5*math.Sin(2*math.Pi*30*float64(k)/rate)
			if c == trial%2 {
				v += 2 * math.Sin(2*math.Pi*10*float64(k)/rate)
			}
			data[2*k+c] = v
		}
	}
	for trial := range trials {
		at := trial*length + 10
		events = append(events, eeg.Event{Sample: at, Label: []string{"left", "right"}[trial%2]},
			eeg.Event{Sample: at + 40 + 7*(trial%5), Label: "start"})
		if trial == 3 { // an anchor without a cue begins nothing
			events = append(events, eeg.Event{Sample: at + 200, Label: "start"})
		}
	}
	rec := testkit.Must(eeg.NewRecording([]string{"C3", "C4"}, rate, data, events))(t)
	rec.Source = "cued"
	testkit.NoError(t, live.SaveRecording(path, rec))
}

// With a notch filter, another rate and an anchor, calibrate learns from the same trials that rao eeg cov --causal cuts
// with the same flags. Both models make the same decisions on the stream, bit for bit.
func TestCalibratePreparesAsCovDoes(t *testing.T) {
	at := testkit.Folder(t)
	cued(t, at("cued.xdf"))
	for name, prepare := range map[string][]string{
		"notch":    {"--notch", "30"},
		"slower":   {"--resample", "80"},
		"faster":   {"--resample", "150"},
		"average":  {"--reference", "average", "--estimator", "oas"},
		"channel":  {"--reference", "C3", "--resample", "80"},
		"together": {"--notch", "30,45", "--resample", "60", "--bands", "8-13"},
	} {
		how := append([]string{"--classes", "left,right", "--anchor", "start", "--start", "0.25", "--stop", "1.75"},
			prepare...)
		var r calibrateResult
		tooltest.Decode(t, &r, append([]string{"eeg", "calibrate", at("cued.xdf"), "--out", at(name + ".rao")},
			how...)...)
		if !slices.Equal(r.Counts, []int{8, 8}) || r.Skipped != 0 {
			t.Errorf("%s: %+v", name, r)
		}
		must(t, append([]string{"eeg", "cov", at("cued.xdf"), "--causal", "--out", at(name + ".npz")}, how...)...)
		must(t, "fit", "mdm", "--data", at(name+".npz"), "--out", at(name+"-cov.rao"))
		decide := func(m string) []streamLine {
			return timeless(t, must(t, "eeg", "stream", "--model", m, at("cued.xdf"), "--step", "0.5",
				"--json"))
		}
		if a, b := decide(at(name+".rao")), decide(at(name+"-cov.rao")); len(a) < 100 || !slices.Equal(a, b) {
			t.Errorf("%s: %d decisions, another model than of rao eeg cov", name, len(a))
		}
	}
	for want, flags := range map[string][]string{
		"--notch":           {"--notch", "fifty"},
		"notch is at":       {"--notch", "70"},
		"one event":         {"--anchor", "a,b"},
		"ratio of integers": {"--resample", "33.3337"},
		"no model could be fitted to 8 trials of left, 8 trials of right": {"--reference", "average"},
	} {
		tooltest.Fails(t, want, append([]string{"eeg", "calibrate", at("cued.xdf"), "--out", at("x.rao"), "--classes",
			"left,right", "--stop", "1"}, flags...)...)
	}
}

// A speller is learned live. calibrate cuts the same trials as rao eeg cov --causal --signals with a baseline, and both
// models spell the same symbols with the same probabilities.
func TestCalibrateLearnsASpeller(t *testing.T) {
	at := testkit.Folder(t)
	for seed, name := range []string{"train.xdf", "test.xdf"} {
		must(t, "data", "recording", "--paradigm", "p300", "--trials", "3", "--seed", string(rune('1'+seed)), "--out",
			at(name))
	}
	windows := [][]string{
		{"--start", "0.1", "--stop", "0.5", "--baseline", "0.55,0.65"},
		{"--stop", "0.6", "--baseline", "-0.1,0"},
		{"--start", "0.1", "--stop", "0.6"},
	}
	if testing.Short() {
		windows = windows[:1]
	}
	for _, how := range windows {
		how = append(how, "--classes", "target,other", "--bands", "0.5-12", "--order", "2", "--resample", "50")
		var r calibrateResult
		tooltest.Decode(t, &r, append([]string{"eeg", "calibrate", at("train.xdf"), "--method",
			"xdawn:evoked=target:filters-per-class=2", "--out", at("live.rao")}, how...)...)
		if !slices.Equal(r.Counts, []int{60, 300}) || r.Skipped != 0 || r.Decided < 300 || r.Balanced < 0.55 ||
			r.Balanced > float64(r.Right)/float64(r.Decided) {
			t.Errorf("%v: %v, %d of %d right, balanced %g", how, r.Counts, r.Right, r.Decided, r.Balanced)
		}
		must(t, append([]string{"eeg", "cov", at("train.xdf"), "--causal", "--signals", "--out", at("t.npz")},
			how...)...)
		must(t, "fit", "xdawn", "--data", at("t.npz"), "--evoked", "target", "--filters-per-class", "2", "--out",
			at("fit.rao"))
		spell := func(m string) string {
			return must(t, "eeg", "stream", "--model", m, at("test.xdf"), "--speller", "matrix",
				"--new-symbol", "begin")
		}
		if a, b := spell(at("live.rao")), spell(at("fit.rao")); a == "" || a != b {
			t.Errorf("%v: live %s, from a file %s", how, a, b)
		}
	}
	for want, flags := range map[string][]string{
		"or for evoked responses a method of trials, xdawn": {"--method", "lda"},
		"xdawn:estimator=oas":                               {"--method", "xdawn", "--estimator", "oas"},
		"needs a method on trials":                          {"--baseline", "-0.1,0"},
		"two numbers of seconds":                            {"--method", "xdawn", "--baseline", "x"},
	} {
		tooltest.Exits(t, 2, want, append([]string{"eeg", "calibrate", at("train.xdf"), "--out",
			at("x.rao"), "--classes", "target,other", "--stop", "0.6"}, flags...)...)
	}
}
