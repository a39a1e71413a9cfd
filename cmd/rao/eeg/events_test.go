package eeg

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"rao/cmd/rao/internal/tooltest"
	_ "rao/eeg/spatial" // xdawn
	"rao/internal/scoring"
	"rao/internal/testkit"
)

// A simulated speller decides the attended symbols with fewer flashes than the recordings contain. A decision at an
// event has the name of the event. Flags that contradict each other are rejected.
func TestSpellerFromRecordingsToSymbols(t *testing.T) {
	symbols := 10
	if testing.Short() {
		symbols = 4
	}
	at := testkit.Folder(t)
	must(t, "data", "recording", "--paradigm", "p300", "--trials", "6", "--seed", "1", "--out", at("train.xdf"))
	must(t, "data", "recording", "--paradigm", "p300", "--trials", strconv.Itoa(symbols), "--seed", "2", "--out",
		at("test.xdf"))
	must(t, "eeg", "cov", at("train.xdf"), "--classes", "target,other", "--stop", "0.6", "--bands", "0.5-12", "--order",
		"2", "--resample", "50", "--signals", "--baseline", "-0.1,0", "--causal", "--out", at("trials.npz"))
	must(t, "fit", "xdawn", "--data", at("trials.npz"), "--evoked", "target", "--filters-per-class", "2", "--out",
		at("p300.rao"))
	var want []string
	for _, e := range opened(t, at("test.xdf")).Events {
		if symbol, ok := strings.CutPrefix(e.Label, "symbol-"); ok {
			want = append(want, symbol)
		}
	}
	stream := []string{"eeg", "stream", "--model", at("p300.rao"), at("test.xdf"), "--json"}
	out := must(t, append(stream, "--speller", "matrix", "--new-symbol", "begin")...)
	right, flashes, n := 0, 0, 0
	for d := json.NewDecoder(strings.NewReader(out)); d.More(); n++ {
		var s spelled
		if err := d.Decode(&s); err != nil || n >= len(want) {
			t.Fatal(n, err)
		}
		if s.Symbol == want[n] {
			right++
		}
		flashes += s.Flashes
	}
	if n < len(want)-1 || right < n-1 || flashes > 60*n {
		t.Errorf("%d of %d symbols right after %d flashes:\n%s", right, n, flashes, out)
	}
	lines := strings.Split(strings.TrimSpace(must(t, append(stream, "--at", "target")...)), "\n")
	targets := 0
	for _, line := range lines {
		var e atEvent
		if err := json.Unmarshal([]byte(line), &e); err != nil || e.Event != "target" {
			t.Fatal(line, err)
		}
		if e.Label == "target" {
			targets++
		}
	}
	if len(lines) != 20*symbols || targets < 12*symbols {
		t.Errorf("%d of %d targets found", targets, len(lines))
	}
	must(t, "eeg", "cov", at("test.xdf"), "--classes", "target,other", "--stop", "0.6", "--bands", "0.5-12", "--order",
		"2", "--resample", "50", "--signals", "--baseline", "-0.1,0", "--causal", "--out", at("test.npz"))
	var measured struct {
		Measures []scoring.Measure `json:"measures"`
	}
	tooltest.Decode(t, &measured, "evaluate", "--model", at("p300.rao"), "--data", at("test.npz"), "--bootstrap", "0")
	_, _, said := tooltest.Run(t, append(slices.DeleteFunc(slices.Clone(stream), func(s string) bool {
		return s == "--json"
	}), "--at", "target,other")...)
	for _, m := range measured.Measures {
		if want := fmt.Sprintf("%s %.4f", scoring.MeasureTitle(m.Name), m.Value); slices.Contains([]string{"auc",
			"wolpaw_bits_per_minute", "confusion_bits_per_minute"}, m.Name) && !strings.Contains(said, want) {
			t.Errorf("the trials have %s, the stream %s", want, lastLine(said))
		}
	}
	for want, more := range map[string][]string{
		"needs --at":                  {"--start", "1"},
		"--attended: unknown class":   {"--speller", "matrix", "--attended", "yes"},
		"always flash together":       {"--speller", "target=AB,other=C"},
		"each event once":             {"--speller", "target"},
		"is for continuous decisions": {"--at", "target", "--step", "1"},
		"--markers needs --lsl":       {"--at", "target", "--markers", "type='Markers'"},
		"trial":                       nil, // it says to decide at events
		"--late needs --at, which":    {"--late", "2"},
	} {
		tooltest.Fails(t, want, append(stream, more...)...)
	}
}

// lastLine returns the last line of the output.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
