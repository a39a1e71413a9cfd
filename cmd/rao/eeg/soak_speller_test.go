//go:build linux

package eeg

import (
	"bufio"
	"bytes"
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"rao/eeg"
	"rao/internal/testkit"
)

// words collects the output of a process, and finds the parts that match a pattern.
type words struct {
	text    bytes.Buffer
	pattern *regexp.Regexp
	found   chan string
}

func (w *words) Write(p []byte) (int, error) {
	n, err := w.text.Write(p)
	if m := w.pattern.FindSubmatch(w.text.Bytes()); m != nil && w.found != nil {
		w.found <- string(m[1])
		w.found = nil
	}
	return n, err
}

func (w *words) String() string { return w.text.String() }

// A speller with markers, artifacts and a page for the participant loses no samples or markers, and its log contains
// the played signal bit for bit. RAO_SOAK sets the duration, in real time and with the page open in Chromium if it is
// installed. The default is half a minute of signal, played ten times as fast.
func TestSoakOfSpeller(t *testing.T) {
	testkit.SkipShort(t, "some seconds")
	length, speed := 52*time.Second, "10"
	if os.Getenv("RAO_SOAK") != "" {
		length, speed = soakLength(t), "1"
	}
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	symbols := strconv.Itoa(max(2, int(length/(26*time.Second))))
	must(t, "data", "recording", "--paradigm", "p300", "--trials", "6", "--seed", "1", "--out", at("train.xdf"))
	must(t, "data", "recording", "--paradigm", "p300", "--trials", symbols, "--seed", "2", "--blinks", symbols, "--out",
		at("test.xdf"))
	must(t, "eeg", "cov", at("train.xdf"), "--classes", "target,other", "--stop", "0.6", "--bands", "0.5-12", "--order",
		"2", "--resample", "50", "--signals", "--baseline", "-0.1,0", "--causal", "--out", at("trials.npz"))
	must(t, "fit", "xdawn", "--data", at("trials.npz"), "--evoked", "target", "--filters-per-class", "2", "--out",
		at("m.rao"))
	stream := name(t)
	player := aside(t, "eeg", "play", at("test.xdf"), "--publish", stream, "--local", "--speed", speed, "--json")
	ctx, cancel := context.WithTimeout(context.Background(), length+2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "rao", "eeg", "stream", "--model", at("m.rao"), "--lsl", "name='"+stream+"'",
		"--markers", "name='"+stream+"-markers'", "--local", "--lost", "1", "--wait", "30", "--speller", "matrix",
		"--new-symbol", "begin", "--artifacts", "20", "--feedback", "127.0.0.1:0", "--log", at("log.xdf"))
	page := make(chan string, 1)
	said := &words{pattern: regexp.MustCompile(`page is (http://\S+)`), found: page}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, said
	testkit.NoError(t, cmd.Start())
	states := make(chan int, 1)
	select {
	case url := <-page:
		go watchPage(ctx, url+"/events", states)
		if browser, err := exec.LookPath("chromium"); err == nil && os.Getenv("RAO_SOAK") != "" {
			shown := exec.Command(browser, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0",
				"--user-data-dir="+at("browser"), url)
			shown.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			if err := shown.Start(); err == nil {
				t.Log("the page is open in ", browser)
				defer func() { _ = shown.Wait() }()
				defer func() { _ = syscall.Kill(-shown.Process.Pid, syscall.SIGKILL) }()
			}
		}
	case <-time.After(30 * time.Second):
		t.Fatalf("no page: %s", said.String())
	}
	err := cmd.Wait()
	played := player()
	if err != nil {
		t.Fatalf("%v: %s", err, said.String())
	}
	source, log := opened(t, at("test.xdf")), opened(t, at("log.xdf"))
	t.Logf("%v at speed %s, %d samples, %d events, %d states of the page; %s", length, speed, source.Samples(),
		len(source.Events), <-states, lastLine(said.String()))
	if !strings.Contains(played, `"lost":0`) || strings.Contains(said.String(), "restarts") || len(log.Breaks) > 0 {
		t.Errorf("samples were lost: %s; %s", played, said.String())
	}
	if log.Samples() != source.Samples() || len(log.Events) != len(source.Events) {
		t.Fatalf("the log has %d samples and %d events of %d and %d", log.Samples(), len(log.Events), source.Samples(),
			len(source.Events))
	}
	a, b := make([]float64, len(source.Channels)*source.Samples()), make([]float64, len(log.Channels)*log.Samples())
	if source.Read(a, 0, source.Samples()) != nil || log.Read(b, 0, log.Samples()) != nil || !slices.Equal(a, b) {
		t.Error("the log differs from what was played")
	}
	right, attended := 0, attendedSymbols(source)
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	for i, symbol := range attended {
		if i < len(lines) && strings.Contains(lines[i], "\t"+symbol+"\t") {
			right++
		}
	}
	if len(lines) != len(attended) || 10*right < 8*len(attended) {
		t.Errorf("%d of %d symbols right: %s", right, len(attended), out.String())
	}
	testkit.Contains(t, said.String(), "artifacts in ", "no share of artifacts")
	if again := must(t, "eeg", "stream", "--model", at("m.rao"), at("log.xdf"), "--speller", "matrix",
		"--new-symbol", "begin", "--artifacts", "20"); again != out.String() {
		t.Errorf("the log spells %s, live %s", again, out.String())
	}
}

// watchPage counts the states that a page receives until it ends.
func watchPage(ctx context.Context, url string, states chan<- int) {
	n := 0
	defer func() { states <- n }()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return
	}
	defer answer.Body.Close()
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "data: ") {
			n++
		}
	}
}

// attendedSymbols returns the symbols that a simulated person attended to.
func attendedSymbols(r *eeg.Recording) (symbols []string) {
	for _, e := range r.Events {
		if symbol, ok := strings.CutPrefix(e.Label, "symbol-"); ok {
			symbols = append(symbols, symbol)
		}
	}
	return symbols
}
