package eeg

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rao/cmd/rao/internal/app"
	"rao/cmd/rao/internal/tooltest"
	"rao/eeg"
	"rao/internal/eeg/live"
	"rao/internal/lsl"
	"rao/internal/testkit"
	"rao/model"
)

// These constants describe the recording for the tests of the live commands.
const (
	liveRate, liveTrials, liveSeconds = 100, 12, 2
)

// liveRecording writes an XDF file with trials of two seconds. Each trial follows a marker, left or right, and has a
// rhythm of 10 Hz at C3 or C4.
func liveRecording(t *testing.T, dir string) string {
	t.Helper()
	r := rand.New(rand.NewPCG(18, 3))
	var values []float64
	var cues []eeg.Event
	for k := range liveTrials*liveSeconds*liveRate + liveRate {
		trial := k / (liveSeconds * liveRate)
		if trial < liveTrials && k%(liveSeconds*liveRate) == 0 {
			cues = append(cues, eeg.Event{Sample: k, Label: []string{"left", "right"}[trial%2]})
		}
		row := []float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
		row[2*(trial%2)] += 1.5 * math.Sin(2*math.Pi*10*float64(k)/liveRate)
		values = append(values, row...)
	}
	rec := testkit.Must(eeg.NewRecording([]string{"C3", "Pz", "C4"}, liveRate, values, cues))(t)
	rec.Source, rec.Reference, rec.Types = "amp", "Cz", []string{"eeg", "eeg", "eeg"}
	path := filepath.Join(dir, "live.xdf")
	testkit.NoError(t, live.SaveRecording(path, rec))
	return path
}

// must runs the tool and returns its standard output.
func must(t *testing.T, args ...string) string {
	t.Helper()
	status, out, said := tooltest.Run(t, args...)
	if strings.Contains(said, "cannot be offered") || strings.Contains(said, "cannot search for streams") {
		t.Skipf("sockets on the loopback are refused here: %s", said)
	}
	if status != 0 {
		t.Fatalf("%q: exit status %d: %s", args, status, said)
	}
	return out
}

// liveModel fits a model to a recording, for live use.
func liveModel(t *testing.T, dir, recording string) string {
	t.Helper()
	data, out := filepath.Join(dir, "P.npz"), filepath.Join(dir, "m.rao")
	must(t, "eeg", "cov", recording, "--classes", "left,right", "--start", "0.25", "--stop", "1.75", "--bands", "8-13",
		"--causal", "--out", data)
	must(t, "fit", "mdm", "--data", data, "--out", out)
	return out
}

// timeless returns the lines of a stream without the times that decisions took.
func timeless(t *testing.T, text string) (lines []streamLine) {
	t.Helper()
	for s := bufio.NewScanner(strings.NewReader(text)); s.Scan(); {
		var line streamLine
		testkit.NoError(t, json.Unmarshal(s.Bytes(), &line), s.Text())
		line.LatencyMs = 0
		lines = append(lines, line)
	}
	return lines
}

// name returns a name that no other test on this machine uses.
func name(t *testing.T) string { return fmt.Sprintf("%s-%d", t.Name(), time.Now().UnixNano()) }

// aside runs the tool in a goroutine, and returns a function that waits for the result.
func aside(t *testing.T, args ...string) func() string {
	var status int
	var out, said string
	done := make(chan struct{})
	go func() {
		defer close(done)
		status, out, said = tooltest.Run(t, args...)
	}()
	return func() string {
		<-done
		if strings.Contains(said, "cannot be offered") {
			t.Skipf("sockets on the loopback are refused here: %s", said)
		}
		if status != 0 {
			t.Fatalf("%q: exit status %d: %s", args, status, said)
		}
		return out
	}
}

// Decisions on a played recording, on the file and on the session's log are the same, bit for bit.
func TestPlayedStreamsDecideAsTheirFiles(t *testing.T) {
	dir := t.TempDir()
	rec := liveRecording(t, dir)
	m, log, stream := liveModel(t, dir, rec), filepath.Join(dir, "log.xdf"), name(t)
	player := aside(t, "eeg", "play", rec, "--publish", stream, "--local", "--speed", "60", "--json")
	decided := timeless(t, must(t, "eeg", "stream", "--model", m, "--lsl", "name='"+stream+"'", "--local", "--lost",
		"0",
		"--wait", "60", "--step", "0.5", "--log", log, "--json"))
	var played playResult
	testkit.NoError(t, json.Unmarshal([]byte(player()), &played))
	if played.Samples != 2500 || played.Markers != liveTrials || played.Lost != 0 {
		t.Errorf("%+v", played)
	}
	if len(decided) != 48 {
		t.Fatalf("%d decisions", len(decided))
	}
	for _, file := range []string{rec, log} {
		again := timeless(t, must(t, "eeg", "stream", "--model", m, file, "--step", "0.5", "--json"))
		testkit.EqualSlices(t, again, decided, "decisions of", filepath.Base(file))
	}
	list := must(t, "eeg", "cov", log, "--list", "--json")
	if !strings.Contains(list, `"C3","Pz","C4"`) && !strings.Contains(list, "C3") {
		t.Errorf("the log: %s", list)
	}
}

// A model learned from a live signal equals the model learned from its log, byte for byte, and decides like a model
// fitted to the covariances that rao eeg cov computes from the recording.
func TestCalibrationIsReplayed(t *testing.T) {
	t.Parallel() // it waits for signals
	dir := t.TempDir()
	rec, stream := liveRecording(t, dir), name(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	how := []string{"--classes", "left,right", "--start", "0.25", "--stop", "1.75", "--bands", "8-13", "--json"}
	player := aside(t, "eeg", "play", rec, "--publish", stream, "--local", "--speed", "25")
	out := must(t, append([]string{"eeg", "calibrate", "--lsl", "name='" + stream + "'",
		"--markers", "name='" + stream + "-markers'", "--local", "--lost", "0",
		"--wait", "60", "--late", "20", "--log", at("log.xdf"), "--out", at("live.rao")}, how...)...)
	player()
	var result calibrateResult
	testkit.NoError(t, json.Unmarshal([]byte(out), &result))
	if !slices.Equal(result.Counts, []int{6, 6}) || result.Skipped != 0 || result.Decided != 8 || result.Right < 6 {
		t.Errorf("%+v", result)
	}
	for _, file := range []string{"log.xdf", "live.xdf"} {
		must(t, append([]string{"eeg", "calibrate", at(file), "--out", at("again.rao")}, how...)...)
		sameModel(t, at("live.rao"), at("again.rao"))
	}
	whole := liveModel(t, dir, rec)
	decide := func(m string) []streamLine {
		return timeless(t, must(t, "eeg", "stream", "--model", m, rec, "--step", "0.5", "--json"))
	}
	testkit.EqualSlices(t, decide(whole), decide(at("live.rao")),
		"another model than of the covariances of rao eeg cov")
}

// sameModel compares two models byte by byte.
func sameModel(t *testing.T, a, b string) {
	t.Helper()
	x := testkit.Must(os.ReadFile(a))(t)
	y := testkit.Must(os.ReadFile(b))(t)
	testkit.EqualSlices(t, x, y, filepath.Base(a), "and", filepath.Base(b), "are other bytes")
}

// pieces is a live signal that is already complete.
type pieces []live.Piece

func (p *pieces) Next(context.Context) (live.Piece, error) {
	if len(*p) == 0 {
		return live.Piece{}, io.EOF
	}
	next := (*p)[0]
	*p = (*p)[1:]
	return next, nil
}

func (p *pieces) Close() error { return nil }

// brokenSignal returns the signal of testkit.BrokenSignal.
func brokenSignal() (p pieces, info *live.Info) {
	testkit.BrokenSignal(func(times, values []float64, lost int64) {
		p = append(p, live.Piece{Times: times, Values: values, Begins: lost > 0, Lost: lost})
	})
	return p, &live.Info{Name: "broken", Channels: []string{"C3", "Pz", "C4"}, Width: 3, Rate: liveRate, Exact32: true}
}

// A gap restarts the window, and the log of the session gives the same decisions. Decisions are published with the time
// of the last sample of their window.
func TestGapsOfLiveSignals(t *testing.T) {
	dir := t.TempDir()
	m, err := model.Load(liveModel(t, dir, liveRecording(t, dir)))
	testkit.NoError(t, err)
	signal, info := brokenSignal()
	all := slices.Clone(signal)
	var out, said bytes.Buffer
	a := &app.App{Out: &out, Err: &said, JSON: true}
	w := &decisionWriter{json: true, out: bufio.NewWriter(&out), model: m}
	s := &live.Session{Model: m, Note: a.Note, Write: w.write}
	s.Options.Step = 0.5
	flags := &liveFlags{publish: name(t), network: networkFlags{local: true}}
	if s.Outlet, err = flags.offer(); err != nil {
		t.Skipf("sockets on the loopback are refused here: %v", err)
	}
	defer s.Outlet.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	inlet := testkit.Must(lsl.Open(ctx, s.Outlet.Info(), lsl.InletOptions{Raw: true}))(t)
	defer inlet.Close()
	testkit.NoError(t, s.Outlet.Wait(ctx))
	log := filepath.Join(dir, "log.xdf")
	testkit.NoError(t, s.Run(ctx, &signal, info, log))
	a.Note("%s", s.Summary())
	testkit.Contains(t, said.String(), "1 gap, 7 samples lost")
	lines := timeless(t, out.String())
	if len(lines) != 10+9 { // 6.3 s and 5.7 s, less the window of 1.5 s each
		t.Errorf("%d decisions: %v", len(lines), lines)
	}
	again := timeless(t, must(t, "eeg", "stream", "--model", filepath.Join(dir, "m.rao"), log, "--step",
		"0.5",
		"--json"))
	testkit.EqualSlices(t, again, lines, "decisions from the log")
	var got lsl.Chunk
	for n := 0; n < len(lines); n += got.Len() {
		testkit.NoError(t, inlet.Pull(ctx, &got))
		for k := range got.Len() {
			last := int(lines[n+k].At) - 1
			if want := all[last/30].Times[last%30]; got.Texts[3*k] != lines[n+k].Label || got.Times[k] != want {
				t.Errorf("decision %d: %q at %v, want %q at %v", n+k, got.Texts[3*k:3*k+3], got.Times[k],
					lines[n+k].Label, want)
			}
		}
	}
}

// Options that do not match the signal are rejected by name before the first decision.
func TestLiveSignalsThatDoNotFit(t *testing.T) {
	t.Parallel() // it waits for streams
	dir := t.TempDir()
	m := liveModel(t, dir, liveRecording(t, dir))
	offer := func(change func(*lsl.Info)) string {
		info := lsl.Info{Name: name(t), Type: "EEG", ChannelCount: 3, Rate: liveRate, Reference: "Cz",
			Channels: []lsl.Channel{{Label: "C3"}, {Label: "C4"}, {Label: "Pz"}}}
		change(&info)
		o, err := lsl.NewOutlet(info, lsl.OutletOptions{Local: true})
		if err != nil {
			t.Skipf("sockets on the loopback are refused here: %v", err)
		}
		t.Cleanup(func() { o.Close() })
		return info.Name
	}
	for want, change := range map[string]func(*lsl.Info){
		"rate: 250 Hz here, 100 Hz in training": func(i *lsl.Info) { i.Rate = 250 },
		"channel C4 is missing":                 func(i *lsl.Info) { i.Channels[1].Label = "C6" },
		"has 4 channels without names":          func(i *lsl.Info) { i.ChannelCount, i.Channels = 4, nil },
		"reference":                             func(i *lsl.Info) { i.Reference = "A1" },
		"contains text":                         func(i *lsl.Info) { i.Format = lsl.Text },
		"has no sampling rate":                  func(i *lsl.Info) { i.Rate = 0 },
	} {
		stream := offer(change)
		tooltest.Exits(t, 1, want, "eeg", "stream", "--model", m, "--lsl", "name='"+stream+"'", "--local")
	}
	for want, line := range map[string][]string{
		"no stream matches":              {"--lsl", "name='nobody'", "--wait", "0.05"},
		"write, for example, type='EEG'": {"--lsl", "EEG"},
		"give either --lsl":              {"--lsl", "name='a'", "--brainflow", "127.0.0.1:1"},
		"leave out the recording":        {"--lsl", "name='a'", "x"},
		"need --lsl":                     {"--publish", "x"},
		"give --rows, --eeg and --rate":  {"--brainflow", "127.0.0.1:1"},
		"give rows from 0 to 3": {"--brainflow", "127.0.0.1:0", "--rows", "4", "--eeg", "1-4", "--rate",
			"100"},
		"--eeg selects 3 rows": {"--brainflow", "127.0.0.1:0", "--rows", "4", "--eeg", "1-3", "--eeg-names",
			"a,b"},
	} {
		tooltest.Fails(t, want, append([]string{"eeg", "stream", "--model", m, "--local"}, line...)...)
	}
}

// A live session continues after NaN samples, even if no other channels can replace them.
func TestLiveSessionGoesOnAfterBadSamples(t *testing.T) {
	dir := t.TempDir()
	path, _ := voltModel(t, dir)
	data := stimulated(5, 10)
	for k := 300; k < 310; k++ {
		data[4*k+1] = math.NaN()
	}
	rec := testkit.Must(eeg.NewRecording([]string{"C3", "Cz", "C4", "STI 014"}, 100, data, nil))(t)
	rec.Source, rec.Units = "made", []string{"uV", "uV", "uV", ""}
	in, stream := filepath.Join(dir, "made.xdf"), name(t)
	testkit.NoError(t, live.SaveRecording(in, rec))
	player := aside(t, "eeg", "play", in, "--publish", stream, "--local", "--speed", "20")
	status, out, said := tooltest.Run(t, "eeg", "stream", "--model", path, "--lsl", "name='"+stream+"'", "--local",
		"--lost", "0", "--wait", "60", "--step", "0.5")
	player()
	if status != 0 || !strings.Contains(said, "left out: sample 300") || strings.Count(out, "\n") < 12 {
		t.Errorf("%d: %s%s", status, out, said)
	}
}
