package eeg

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"rao/cmd/rao/internal/tooltest"
	"rao/internal/eeg/stopping"
	"rao/internal/testkit"
)

// With a rule, a decoder of short windows decides later and more accurately than from the first window. stream decides
// by the same rule. Models and rules that do not match are rejected.
func TestScoreAndStopping(t *testing.T) {
	trials := 30
	if testing.Short() {
		trials = 14
	}
	at := testkit.Folder(t)
	for seed, name := range []string{"a.xdf", "b.xdf", "c.xdf"} {
		must(t, "data", "recording", "--trials", strconv.Itoa(trials), "--seed", string(rune('1'+seed)), "--out",
			at(name))
	}
	must(t, "eeg", "cov", at("a.xdf"), "--classes", "left,right", "--start", "1", "--stop", "1.5", "--bands", "8-13",
		"--estimator", "oas", "--causal", "--out", at("a.npz"))
	must(t, "fit", "mdm", "--data", at("a.npz"), "--out", at("m.rao"))
	marks := []string{"--model", at("m.rao"), "--classes", "left,right", "--start", "0.5", "--stop", "4"}
	for range 2 { // the second run replaces the rule of the first
		must(t, append([]string{"eeg", "stopping", at("b.xdf"), "--risk", "0.1", "--out", at("stop.json")},
			marks...)...)
	}
	testkit.Contains(t, must(t, "verify", at("stop.json")), "stop.json: stopping rule, left, right, threshold ")
	rule := testkit.Must(os.ReadFile(at("stop.json")))(t)
	testkit.NoError(t, os.WriteFile(at("cut.json"), rule[:len(rule)-9], 0o644))
	_, out, _ := tooltest.Run(t, "verify", at("cut.json"))
	testkit.Contains(t, out, "cut.json: bad: ")
	score := func(more ...string) *stopping.ReplayScore {
		t.Helper()
		s := new(stopping.ReplayScore)
		tooltest.Decode(t, s, append(append([]string{"eeg", "score", at("c.xdf")}, marks...), more...)...)
		return s
	}
	plain, ruled := score(), score("--stopping", at("stop.json"), "--figure", at("time.png"))
	if plain.Trials != trials || ruled.Trials != trials || ruled.Accuracy < plain.Accuracy || ruled.Accuracy < 0.8 ||
		plain.Seconds < 0.499 || plain.Seconds > 0.7 || ruled.Seconds <= plain.Seconds || ruled.Seconds > 3.5 {
		t.Errorf("first window %g after %g s, rule %g after %g s", plain.Accuracy, plain.Seconds, ruled.Accuracy,
			ruled.Seconds)
	}
	if len(plain.Curve) < 30 || plain.Curve[len(plain.Curve)-1].Decided != 1 {
		t.Errorf("curve %+v", plain.Curve)
	}
	if b, err := os.ReadFile(at("time.png")); err != nil || !strings.HasPrefix(string(b), "\x89PNG") {
		t.Error("no picture", err)
	}
	for name, seen := range map[string]bool{"b.xdf": true, "c.xdf": false} {
		_, _, said := tooltest.Run(t, append([]string{"eeg", "score", at(name), "--stopping", at("stop.json")},
			marks...)...)
		testkit.Equal(t, strings.Contains(said, "was learned from"), seen, name, said)
	}
	classes := []string{"eeg", "score", at("c.xdf"), "--model", at("m.rao"), "--stop", "4", "--classes"}
	tooltest.Exits(t, 1, `rao: --classes: unknown class of the model "rigth"; did you mean right?`,
		append(classes, "left,rigth")...)
	// without a message, the score of one class would look like the score of both
	tooltest.Exits(t, 0, "class right has no trials in the recordings; check its event",
		append(classes, "left,right=none")...)
	long := append(slices.Clone(marks[:len(marks)-1]), "0.9") // trials shorter than a window of half a second
	tooltest.Exits(t, 0, "trials contain no window", append([]string{"eeg", "score", at("c.xdf")}, long...)...)
	all := strings.Count(must(t, "eeg", "stream", "--model", at("m.rao"), at("c.xdf"), "--step",
		"0.1"), "\n")
	few := strings.Count(must(t, "eeg", "stream", "--model", at("m.rao"), at("c.xdf"), "--step", "0.1",
		"--stopping", at("stop.json")), "\n")
	tooltest.Exits(t, 0, "the participant's page is http://127.0.0.1:", "eeg", "stream", "--model", at("m.rao"),
		at("c.xdf"), "--feedback", "127.0.0.1:0", "--stopping", at("stop.json"))
	if few < trials || few > all/4 {
		t.Errorf("%d decisions of %d windows", few, all)
	}
	must(t, "data", "recording", "--trials", strconv.Itoa(trials), "--blinks", "5", "--seed", "5", "--out",
		at("blinks.xdf"))
	var clean stopping.ReplayScore
	tooltest.Decode(t, &clean, append([]string{"eeg", "score", at("blinks.xdf"), "--artifacts", "20"}, marks...)...)
	if clean.Rejected < 5 || clean.Rejected > clean.Windows/5 || plain.Rejected != 0 || clean.Trials != trials {
		t.Errorf("%d of %d windows rejected with blinks, %d without", clean.Rejected, clean.Windows, plain.Rejected)
	}
	testkit.NoError(t, os.WriteFile(at("bad.json"), []byte(`{"kind":"stopping rule","classes":["x","y"]}`), 0o600))
	testkit.NoError(t, os.WriteFile(at("text.json"), []byte(`{"kind":"stopping rule","threshold":"x"}`), 0o600))
	for want, args := range map[string][]string{
		"not a stopping rule (field threshold is a JSON string, but must be a number)": append([]string{"score",
			at("c.xdf"), "--stopping", at("text.json")}, marks...),
		`its events are "left", "right"`: {"score", at("c.xdf"), "--model", at("m.rao"), "--classes", "left=7",
			"--stop", "3"},
		"every trial reaches beyond the recording": {"score", at("c.xdf"), "--model", at("m.rao"), "--classes",
			"left,right", "--start", "900", "--stop", "903"},
		"is for the classes":      append([]string{"score", at("c.xdf"), "--stopping", at("bad.json")}, marks...),
		"--classes is required":   {"score", at("c.xdf"), "--model", at("m.rao"), "--stop", "3"},
		"--stop must come after":  {"score", at("c.xdf"), "--model", at("m.rao"), "--classes", "left,right"},
		"unknown class of the m":  {"score", at("c.xdf"), "--model", at("m.rao"), "--classes", "u=left", "--stop", "3"},
		"no event begins a trial": {"score", at("c.xdf"), "--model", at("m.rao"), "--classes", "left=7", "--stop", "3"},
		"--out is required":       append([]string{"stopping", at("c.xdf")}, marks...),
		"--stopping accumulates":  {"stream", "--model", at("m.rao"), "--stopping", at("stop.json")},
	} {
		tooltest.Fails(t, want, append([]string{"eeg"}, args...)...)
	}
}
