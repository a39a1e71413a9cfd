package eeg

import (
	"bufio"
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rao/cmd/rao/internal/app"
	"rao/cmd/rao/internal/tooltest"
	"rao/eeg"
	"rao/internal/eeg/live"
	"rao/internal/testkit"
	"rao/model"
)

// brainVision writes samples × channels as a recording with a trial of two classes each second.
func brainVision(t *testing.T, base, unit string, channels []string, data []float64) string {
	t.Helper()
	testkit.NoError(t, writeBrainVision(base, "", unit, 100, 100, channels, data))
	return base + ".vhdr"
}

// stimulated returns noise in microvolts with a channel that contains the class.
func stimulated(seed uint64, trials int) []float64 {
	r := rand.New(rand.NewPCG(seed, 26))
	var data []float64
	for k := range 100 * trials {
		stim := 0.0
		if k%100 < 50 {
			stim = float64(1 + k/100%2)
		}
		data = append(data, 10*r.NormFloat64(), 10*r.NormFloat64(), 10*r.NormFloat64(), 5*stim+r.NormFloat64()/100)
	}
	return data
}

// A recording from which no trial was cut is reported.
func TestRecordingsWithoutTrialsAreReported(t *testing.T) {
	dir := t.TempDir()
	names := []string{"C3", "Cz", "C4", "STI 014"}
	a := brainVision(t, filepath.Join(dir, "a"), "µV", names, stimulated(1, 20))
	c := brainVision(t, filepath.Join(dir, "c"), "µV", names, stimulated(3, 1)) // too short for the trials
	out := filepath.Join(dir, "P.npz")
	none := "no trials from " + c + "; --list shows"
	tooltest.Exits(t, 0, none, "eeg", "cov", a, c, "--classes", "1,2", "--start", "0.1", "--stop", "1.1",
		"--skip-invalid", "--out", out)
	testkit.NoError(t, os.WriteFile(strings.TrimSuffix(c, "vhdr")+"vmrk", []byte("Brain Vision Data Exchange Marker "+
		"File, Version 1.0\n[Marker Infos]\nMk1=Stimulus,S  7,1,1,0\n"), 0o644))
	tooltest.Exits(t, 0, none, "eeg", "cov", c, a, "--classes", "1,2", "--stop", "1", "--out", out, "--force")
}

// A stimulus channel is not EEG: cross-validation on noise is at chance level, and the same recording in volts and in
// microvolts gives the same matrices.
func TestNoiseWithAStimulusChannelIsNoise(t *testing.T) {
	at := testkit.Folder(t)
	names := []string{"C3", "Cz", "C4", "STI 014"}
	var volts []float64
	for _, v := range stimulated(2, 100) {
		volts = append(volts, v/1e6)
	}
	a := brainVision(t, at("a"), "µV", names, stimulated(1, 100))
	b := brainVision(t, at("b"), "V", names, volts)
	said := tooltest.Succeeds(t, "eeg", "cov", a, b, "--classes", "1,2", "--stop", "1", "--out", at("P.npz"))
	testkit.Contains(t, said, "not EEG: STI 014 (stim); --kinds all")
	if strings.Contains(said, "no trials from") {
		t.Error(said)
	}
	var r struct {
		Rows []struct{ Accuracy float64 }
	}
	tooltest.Decode(t, &r, "compare", "--data", at("P.npz"), "--groups", "recording", "--methods", "mdm,tslda")
	for _, row := range r.Rows {
		if math.Abs(row.Accuracy-0.5) > 0.12 { // 200 trials: three deviations
			t.Errorf("accuracy %g on noise", row.Accuracy)
		}
	}
	testkit.Equal(t, len(r.Rows), 2, "rows")
	must(t, "fit", "mdm", "--data", at("P.npz"), "--out", at("m.rao"))
	testkit.Contains(t, must(t, "show", at("m.rao")), "3 channels, in V")
	tooltest.Fails(t, `"C3" is listed twice`, "eeg", "cov", a, "--classes", "1,2", "--stop", "1", "--channels", "C3,C3",
		"--out", at("x.npz"))
	tooltest.Fails(t, "is in V; give the amplitude with its unit", "eeg", "cov", a, "--classes", "1,2", "--stop", "1",
		"--reject", "100",
		"--out", at("x.npz"))
}

// follow decodes a live signal and returns the decisions and the messages.
func follow(t *testing.T, m *model.Model, signal pieces, info *live.Info, onError, log string) ([]streamLine, string,
	error) {
	t.Helper()
	var out, said bytes.Buffer
	a := &app.App{Err: &said}
	w := &decisionWriter{json: true, out: bufio.NewWriter(&out), model: m}
	s := &live.Session{Model: m, Skip: onError == "skip", Note: a.Note, Write: w.write}
	s.Options.Step = 0.5
	err := s.Run(context.Background(), &signal, info, log)
	a.Note("%s", s.Summary())
	return timeless(t, out.String()), said.String(), err
}

// inMicrovolts returns a live signal of four channels with the given samples, in microvolts.
func inMicrovolts(data []float64) (p pieces, info *live.Info) {
	for k := 0; k < len(data)/4; k += 25 {
		piece := live.Piece{}
		for i := range 25 {
			piece.Times = append(piece.Times, 1000+float64(k+i)/100)
			for _, v := range data[4*(k+i) : 4*(k+i+1)] {
				piece.Values = append(piece.Values, float64(float32(v)))
			}
		}
		p = append(p, piece)
	}
	return p, &live.Info{Name: "amp", Channels: []string{"C3", "Cz", "C4", "STI 014"}, Width: 4, Rate: 100,
		Units: slices.Repeat([]string{"microvolts"}, 4), Exact32: true}
}

// voltModel returns a model of a recording in microvolts, which was read in volts.
func voltModel(t *testing.T, dir string) (path string, m *model.Model) {
	t.Helper()
	rec := brainVision(t, filepath.Join(dir, "train"), "µV", []string{"C3", "Cz", "C4", "STI 014"}, stimulated(3, 20))
	data, path := filepath.Join(dir, "train.npz"), filepath.Join(dir, "volt.rao")
	must(t, "eeg", "cov", rec, "--classes", "1,2", "--stop", "1", "--causal", "--bands", "5-30", "--out", data)
	must(t, "fit", "mdm", "--data", data, "--out", path)
	m = testkit.Must(model.Load(path))(t)
	return path, m
}

// A model in volts makes identical decisions, bit for bit, on a stream in microvolts, on the file, and on the log of
// the stream.
func TestLiveUnitsMeetThoseOfTheModel(t *testing.T) {
	dir := t.TempDir()
	path, m := voltModel(t, dir)
	data := stimulated(4, 12)
	file := brainVision(t, filepath.Join(dir, "test"), "µV", []string{"C3", "Cz", "C4", "STI 014"}, data)
	log := filepath.Join(dir, "log.xdf")
	signal, info := inMicrovolts(data)
	decided, said, err := follow(t, m, signal, info, "stop", log)
	if err != nil || len(decided) != 23 || slices.ContainsFunc(decided, func(l streamLine) bool { return l.Outlier }) {
		t.Fatalf("%v, %d decisions: %v; %s", err, len(decided), decided, said)
	}
	for _, rec := range []string{file, log} {
		if again := timeless(t, must(t, "eeg", "stream", "--model", path, rec, "--step", "0.5",
			"--json")); !slices.Equal(again, decided) {
			t.Errorf("%s decides otherwise:\n%v\n%v", filepath.Base(rec), again, decided)
		}
	}
	info.Units = nil
	signal, _ = inMicrovolts(data)
	raw, said, err := follow(t, m, signal, info, "stop", "")
	if err != nil || !strings.Contains(said, "unit of the signal is unknown; the values are assumed to be in V") ||
		slices.Equal(raw, decided) {
		t.Errorf("without a unit: %v, %s", err, said)
	}
	info.Units = slices.Repeat([]string{"degC"}, 4)
	s := &live.Session{Model: m}
	testkit.ErrorContains(t, s.Run(t.Context(), &signal, info, ""), "channel C3 is in degC", "degrees")
}

// If only some channels have no known unit, the note names them.
func TestChannelsWithoutAUnitAreNamed(t *testing.T) {
	dir := t.TempDir()
	path := brainVision(t, filepath.Join(dir, "a"), "µV", []string{"C3", "Cz", "C4", "STI 014"}, stimulated(1, 10))
	head := testkit.Must(os.ReadFile(path))(t)
	testkit.NoError(t, os.WriteFile(path, bytes.Replace(head, []byte("STI 014,,1,µV"), []byte("STI 014,,1,n/a"), 1),
		0o644))
	cov := func() string {
		said := tooltest.Succeeds(t, "eeg", "cov", path, "--kinds", "all", "--classes", "1,2", "--stop", "1", "--out",
			filepath.Join(dir, "P.npz"))
		return said
	}
	testkit.Contains(t, cov(), "the unit of channel STI 014 is unknown", "does not name the channel")
	testkit.NoError(t, os.WriteFile(path, bytes.ReplaceAll(head, []byte("1,µV"), []byte("1,n/a")), 0o644))
	testkit.Contains(t, cov(), "the unit of its channels is unknown", "does not name the file")
}

// If a recording marks a channel of the model as bad, a message warns the user.
func TestBadChannelsOfAStreamAreReported(t *testing.T) {
	dir := t.TempDir()
	path, _ := voltModel(t, dir)
	rec := testkit.Must(eeg.NewRecording([]string{"C3", "Cz", "C4", "Pz"}, 100, stimulated(8, 4), nil))(t)
	rec.Source, rec.Units, rec.Bad = "made", []string{"uV", "uV", "uV", "uV"}, []string{"Cz", "Pz"}
	in := filepath.Join(dir, "made.xdf")
	testkit.NoError(t, live.SaveRecording(in, rec))
	tooltest.Exits(t, 0, "the model uses channels that are marked as bad: Cz;", "eeg", "stream", "--model", path,
		in)
}

// NaN samples and constant channels are reported, and the session continues. Its log gives the same decisions.
func TestFaultsOfALiveSignalAreReported(t *testing.T) {
	dir := t.TempDir()
	path, m := voltModel(t, dir)
	data := stimulated(5, 20)
	data[4*460+1] = math.NaN() // at Cz
	data[4*461+1] = math.Inf(1)
	data[4*470+3] = math.NaN()    // of a channel that the model does not use
	for k := 800; k < 1200; k++ { // C4 is off
		data[4*k+2] = 7
	}
	log := filepath.Join(dir, "log.xdf")
	signal, info := inMicrovolts(data)
	decided, said, err := follow(t, m, slices.Clone(signal), info, "skip", log)
	if err != nil || len(decided) == 0 || decided[len(decided)-1].At < 1950 {
		t.Fatalf("the session ended: %v, %v; %s", err, decided, said)
	}
	for _, want := range []string{"left out: sample 460: channel Cz of the stream is NaN;",
		"flat for a window or longer: C4", "no longer flat: C4", "2 left out"} {
		testkit.Contains(t, said, want)
	}
	testkit.Equal(t, strings.Count(said, "left out: sample"), 1, "one fault is told more than once", said)
	for _, l := range decided {
		if l.At > 462 && l.At < 562 || l.At <= 462 && l.At > 460 {
			t.Errorf("a decision on a window with a gap: %+v", l)
		}
	}
	again := timeless(t, must(t, "eeg", "stream", "--model", path, log, "--step", "0.5", "--on-error",
		"skip",
		"--json"))
	testkit.EqualSlices(t, again, decided, "decisions from the log")
	if _, _, err := follow(t, m, slices.Clone(signal), info, "stop", ""); err == nil ||
		!strings.Contains(err.Error(), "sample 460") {
		t.Errorf("with --on-error stop: %v", err)
	}
}

// A calibration uses only good EEG channels, in volts, and leaves out a trial with a NaN sample.
func TestCalibrationChoosesChannels(t *testing.T) {
	dir := t.TempDir()
	data := stimulated(6, 20)
	rec := testkit.Must(eeg.NewRecording([]string{"C3", "Cz", "C4", "STI 014"}, 100, data, nil))(t)
	for k := range 20 {
		rec.Events = append(rec.Events, eeg.Event{Sample: 100 * k, Label: []string{"left", "right"}[k%2]})
	}
	data[4*350] = math.NaN()
	rec.Source, rec.Types, rec.Bad = "made", []string{"eeg", "eeg", "eeg", "stim"}, []string{"Cz"}
	rec.Units = []string{"uV", "uV", "uV", ""}
	in, out := filepath.Join(dir, "made.xdf"), filepath.Join(dir, "m.rao")
	testkit.NoError(t, live.SaveRecording(in, rec))
	args := []string{"eeg", "calibrate", in, "--classes", "left,right", "--stop", "1", "--out", out}
	status, printed, said := tooltest.Run(t, args...)
	if status != 0 || !strings.Contains(said, "not EEG: STI 014 (stim)") || !strings.Contains(said, "bad: Cz") ||
		!strings.Contains(said, "left out: sample 350") || !strings.Contains(printed, "1 trial left out") {
		t.Fatalf("%d: %s%s", status, printed, said)
	}
	m := testkit.Must(model.Load(out))(t)
	if s := m.Input.Recipe.Signal; !slices.Equal(s.Channels, []string{"C3", "C4"}) || s.Unit != "V" {
		t.Errorf("%+v", s)
	}
	tooltest.Fails(t, "names C3 twice", append(args, "--channels", "C3,C3")...)
}

// A calibration subtracts the average reference that a recording requests, unless the recorded reference is selected.
func TestCalibrationSubtractsTheAverageThatIsDue(t *testing.T) {
	args := []string{"eeg", "calibrate", "../../../eeg/testdata/joined_raw.fif", "--classes",
		"up=1,down=2", "--stop", "0.2", "--out", filepath.Join(t.TempDir(), "m.rao")}
	tooltest.Exits(t, 1, "mean of the channels is subtracted", args...)
	for _, reference := range []string{"average", "recorded"} {
		if _, _, said := tooltest.Run(t, append(args, "--reference", reference)...); strings.Contains(said,
			"should have an average reference") {
			t.Errorf("--reference %s: %s", reference, said)
		}
	}
	tooltest.Fails(t, `the signal has no channel "Oz"`, append(args, "--reference", "Oz")...)
}

// Bad channels are not used for learning. They are written unchanged, with their mark, and only to formats that support
// marks.
func TestCleanKeepsBadMarks(t *testing.T) {
	dir := t.TempDir()
	rec := filepath.Join(dir, "blinks.xdf")
	blinking(t, rec)
	all := testkit.Must(eeg.OpenRecording(rec, eeg.RecordingOptions{Kinds: []string{"all"}}))(t)
	all.Bad = []string{"C3"}
	in, out := filepath.Join(dir, "marked.xdf"), filepath.Join(dir, "clean.xdf")
	testkit.NoError(t, live.SaveRecording(in, all))
	args := []string{"eeg", "clean", in, "--eog", "EOG", "--low", "1", "--high", "40", "--suppress", "1", "--json",
		"--out"}
	status, printed, said := tooltest.Run(t, append(args, out)...)
	if status != 0 || !strings.Contains(said, "marked as bad: C3") || strings.Contains(printed, `"C3"`) {
		t.Fatalf("%d: %s%s", status, printed, said)
	}
	before, after := opened(t, in), opened(t, out)
	if !slices.Equal(after.Bad, []string{"C3"}) || !slices.Equal(after.Channels, before.Channels) {
		t.Fatalf("channels %v, bad %v", after.Channels, after.Bad)
	}
	for c, name := range after.Channels {
		x, y := make([]float64, 4*len(after.Channels)), make([]float64, 4*len(after.Channels))
		if before.Read(x, 500, 4) != nil || after.Read(y, 500, 4) != nil {
			t.Fatal("samples cannot be read")
		}
		testkit.Equal(t, (x[c] == y[c]), (name == "C3"), name, "was", x[c], "and is", y[c])
	}
	vhdr := filepath.Join(dir, "clean.vhdr")
	tooltest.Fails(t, "cannot mark channels as bad, and C3 is marked", append(args, vhdr)...)
	status, _, said = tooltest.Run(t, append(args, filepath.Join(dir, "sub-1_desc-clean_eeg.vhdr"))...)
	table, err := os.ReadFile(filepath.Join(dir, "sub-1_desc-clean_channels.tsv"))
	if status != 0 || err != nil || strings.Count(string(table), "bad") != 1 {
		t.Errorf("%d: %s%s, %v", status, said, table, err)
	}
	alone := filepath.Join(dir, "sub-1_desc-clean_eeg.vhdr") // without its data set, the table next to it counts
	if after := opened(t, alone); !slices.Equal(after.Bad, []string{"C3"}) || after.Types == nil {
		t.Errorf("%s: bad %v, kinds %v", alone, after.Bad, after.Types)
	}
	said = tooltest.Succeeds(t, "eeg", "convert", alone, "--out", filepath.Join(dir, "alone.npz"))
	testkit.Contains(t, said, "kinds and bad marks of its channels were read from "+dir)
	testkit.NoError(t, os.WriteFile(filepath.Join(dir, "sub-1_desc-clean_channels.tsv"), []byte("name\ttype\nX\tEEG\n"),
		0o600))
	testkit.ErrorContains(t, testkit.ErrorOf(eeg.OpenRecording(alone, eeg.RecordingOptions{})),
		"channels.tsv names no channel of the recording", "a table of another recording")
	fif := filepath.Join(dir, "clean.fif")
	tooltest.Exits(t, 2, "written as XDF", append(args, fif)...)
	testkit.Fails(t, testkit.ErrorOf(os.Stat(fif)), "a file was written")
}
