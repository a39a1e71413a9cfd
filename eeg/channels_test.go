package eeg

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rao/internal/eeg/format/signal"
	"rao/internal/testkit"
	"rao/internal/voltage"
	"rao/recipe"
)

func open(t *testing.T, path string, opt RecordingOptions) *Recording {
	t.Helper()
	r := testkit.Must(OpenRecording(path, opt))(t)
	t.Cleanup(func() { r.Close() })
	return r
}

// A file that MNE wrote (see testdata/make_fif.py): only EEG channels are read, the boundary between two recordings is
// a break, Latin-1 text is decoded, and the average reference is recorded as pending.
func TestJoinedRecordingOfMNE(t *testing.T) {
	r := open(t, "testdata/joined_raw.fif", RecordingOptions{})
	if !slices.Equal(r.Channels, []string{"Fz", "Cz", "C3", "C4"}) || !slices.Equal(r.Bad, []string{"C3"}) ||
		!slices.Equal(r.LeftOut, []string{"STI 014 (stim)", "EOG1 (eog)"}) {
		t.Errorf("channels %v, bad %v, left out %v", r.Channels, r.Bad, r.LeftOut)
	}
	testkit.EqualSlices(t, r.Breaks, []int{90}, "breaks")
	words := slices.DeleteFunc(slices.Clone(r.Events), func(e Event) bool { return e.Label == "" })
	testkit.EqualSlices(t, words, []Event{{Sample: 25, Label: "Zähler", Duration: 10}}, "events")
	opt := TrialOptions{Classes: []Class{{Name: "up", Code: 1}}, Stop: 0.2, SkipInvalid: true}
	said := ""
	opt.Note = func(err error) { said += err.Error() }
	testkit.Must(dropBad([]*Recording{r}))(t)
	done := testkit.Must(r.withPreparation(recipe.Preparation{Reference: []string{"average"}}))(t)
	b := testkit.Must(os.ReadFile("testdata/joined_average.f64"))(t)
	for i, v := range values(t, done, 0, 20) {
		if want := math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:])); math.Abs(v-want) > 1e-20 {
			t.Fatalf("value %d is %g, by MNE's projector %g", i, v, want)
		}
	}
	tr := testkit.Must(CutTrials(context.Background(), []*Recording{r}, opt))(t)
	if tr.Recipe.Signal.Unit != "V" || tr.Recipe.Signal.Reference != "average" {
		t.Errorf("%+v", tr)
	}
	testkit.Contains(t, said, "requests the average reference", "a reference that is due")
	opt.Stop = 0.7 // across the joint from the event at 30, and beyond the end from the one at 120
	testkit.ErrorContains(t, testkit.ErrorOf(CutTrials(context.Background(), []*Recording{r}, opt)),
		"sample 90, where the signal restarts", "a trial across the joint")
}

// brainVision writes a recording of three channels and returns the path of its header.
func brainVision(t *testing.T, dir, unit, markers string) string {
	t.Helper()
	write := func(name, text string) {
		testkit.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	var data []byte
	for k := range 200 {
		for c := range 3 {
			data = binary.LittleEndian.AppendUint16(data, uint16(int16(30*math.Sin(float64(k*(c+1))))))
		}
	}
	write("r.eeg", string(data))
	write("r.vmrk", "Brain Vision Data Exchange Marker File, Version 1.0\n[Marker Infos]\n"+markers)
	write("r.vhdr", "Brain Vision Data Exchange Header File Version 1.0\n[Common Infos]\nDataFile=r.eeg\n"+
		"MarkerFile=r.vmrk\nDataFormat=BINARY\nDataOrientation=MULTIPLEXED\nNumberOfChannels=3\n"+
		"SamplingInterval=10000\n[Binary Infos]\nBinaryFormat=INT_16\n[Channel Infos]\n"+
		fmt.Sprintf("Ch1=Fz,,0.5,%s\nCh2=Cz,,0.5,%s\nCh3=hEOG,,0.5,%s\n", unit, unit, unit))
	return filepath.Join(dir, "r.vhdr")
}

// One signal in volts, millivolts and microvolts is one recording.
func TestUnitsBecomeVolts(t *testing.T) {
	var first []float64
	for _, c := range []struct {
		unit  string
		times float64
	}{{"V", 1}, {"mV", 1e-3}, {"µV", 1e-6}, {"\xb5V", 1e-6}, {"nV", 1e-9}, {"", 1e-6}} {
		r := open(t, brainVision(t, t.TempDir(), c.unit, ""), RecordingOptions{})
		if !slices.Equal(r.Units, []string{"V", "V"}) || voltage.Common(r.Units) != "V" {
			t.Fatalf("%q: units %q", c.unit, r.Units)
		}
		got := values(t, r, 0, 200)
		if first == nil {
			first = got
		}
		for i, v := range got {
			if want := first[i] * c.times; math.Abs(v-want) > 1e-15*math.Abs(want) {
				t.Fatalf("%q: value %d is %g, want %g", c.unit, i, v, want)
			}
		}
		if err := r.load(); err != nil || !slices.Equal(values(t, r, 0, 200), got) {
			t.Errorf("%q: other values in memory: %v", c.unit, err)
		}
	}
	kept := open(t, brainVision(t, t.TempDir(), "µV", ""), RecordingOptions{AsStored: true})
	if got := values(t, kept, 0, 200); !slices.Equal(got, first) || voltage.Common(kept.Units) != "uV" {
		t.Errorf("as stored: %s", voltage.Common(kept.Units))
	}
	unknown := open(t, brainVision(t, t.TempDir(), "n/a", ""), RecordingOptions{})
	if voltage.Common(unknown.Units) != "" || !slices.Equal(values(t, unknown, 0, 200), first) {
		t.Errorf("an unknown unit: %q", unknown.Units)
	}
	volts := open(t, brainVision(t, t.TempDir(), "µV", ""), RecordingOptions{})
	opt := TrialOptions{Classes: []Class{{Name: "x", Code: 1}}, Stop: 0.5}
	if _, err := CutTrials(context.Background(), []*Recording{volts, unknown}, opt); err == nil ||
		!strings.Contains(err.Error(), "is in V, but") || !strings.Contains(err.Error(), "with option channel-unit") {
		t.Errorf("volts beside an unknown unit: %v", err)
	}
	said := open(t, brainVision(t, t.TempDir(), "n/a", ""), RecordingOptions{Unit: "microvolts"})
	if voltage.Common(said.Units) != "V" || !slices.Equal(values(t, said, 0, 200), values(t, volts, 0, 200)) {
		t.Errorf("a unit that was said: %q", said.Units)
	}
	testkit.ErrorContains(t, testkit.ErrorOf(OpenRecording(brainVision(t, t.TempDir(), "n/a", ""),
		RecordingOptions{Unit: "K"})), `unit "K"`, "a unit of another kind")
}

// A channel marked as EEG in the file must be a voltage; an unmarked one is left out and listed.
func TestUnitsThatAreNotVoltages(t *testing.T) {
	path := brainVision(t, t.TempDir(), "C", "")
	testkit.ErrorContains(t, testkit.ErrorOf(OpenRecording(path, RecordingOptions{})),
		"the recording has no EEG channel, but channels of kind misc", "degrees")
	r := open(t, path, RecordingOptions{Channels: []string{"Fz"}})
	testkit.Equal(t, voltage.Common(r.Units), "C", "unit")
	r.Types = []string{"eeg"}
	testkit.ErrorContains(t, r.Select(RecordingOptions{AsStored: true}), "Fz is EEG in the unit", "EEG in degrees")
}

func TestSegmentsOfBrainVisionAreBreaks(t *testing.T) {
	r := open(t, brainVision(t, t.TempDir(), "µV", "Mk1=New Segment,,1,1,0\nMk2=New Segment,,81,1,0\n"+
		"Mk3=Stimulus,S  1,70,1,0\nMk4=Comment,Gr\xfc\xdfe,90,1,0\nMk5=Comment,BAD boundary,151,0,0\n"+
		"Mk6=New Segment,,9999,1,0\n"), RecordingOptions{})
	testkit.EqualSlices(t, r.Breaks, []int{80, 150}, "breaks")
	if len(r.Events) != 2 || r.Events[1].Label != "Grüße" {
		t.Errorf("events %+v", r.Events)
	}
}

func TestKindsOfChannels(t *testing.T) {
	r := &Recording{}
	for name, want := range map[string]string{"Fz": "eeg", "EEG Fp1-Ref": "eeg", "A1": "eeg", "AUX": "misc",
		"EOG-left": "eog",
		"VEOG":     "eog", "ECG": "ecg", "EKG1": "ecg", "EMG chin": "emg", "STI 014": "stim", "STI101": "stim",
		"Status": "stim", "Trigger": "stim", "Event marker": "stim", "Resp oro-nasal": "misc", "Temp rectal": "misc",
		"TP7": "eeg", "T7": "eeg", "P10": "eeg", "ch1": "eeg", "O1": "eeg", "AFz": "eeg", "M1": "eeg", "STIM": "stim"} {
		r.Channels = []string{name}
		testkit.Equal(t, r.kind(0), want, name)
	}
	r.Channels, r.Types = []string{"EMG chin"}, []string{"eeg"}
	testkit.Equal(t, r.kind(0), "eeg", "the file's own word counts")
}

func TestChannelsNamedTwice(t *testing.T) {
	path := brainVision(t, t.TempDir(), "µV", "")
	testkit.ErrorContains(t, testkit.ErrorOf(OpenRecording(path, RecordingOptions{Channels: []string{"Fz", "Fz"}})),
		`channel "Fz" is listed twice`, "listed twice")
	if got := signal.Unique([]string{"EEG", "Cz", "EEG", "EEG-0"}); !slices.Equal(got, []string{"EEG-1", "Cz", "EEG-2",
		"EEG-0"}) {
		t.Errorf("%v", got)
	}
}
