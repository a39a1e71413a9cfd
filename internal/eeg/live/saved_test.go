package live

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"rao/eeg"
	"rao/internal/testkit"
	"rao/internal/voltage"
)

// A recording saved under a BIDS name is read unchanged: samples to single precision, events, units, bad channels and
// breaks. Its sidecar names the command, and the folder is described as a derivative.
func TestRecordingAsBIDS(t *testing.T) {
	data := make([]float64, 500*2)
	for i := range data {
		data[i] = math.Sin(float64(i)) * 1e-5
	}
	rec := testkit.Must(eeg.NewRecording([]string{"C3", "C4"}, 256, data,
		[]eeg.Event{{Sample: 10, Label: "left, then right"},
			{Sample: 300, Label: "rest", Duration: 64}}))(t)
	rec.Units, rec.Bad, rec.Breaks = []string{"V", "V"}, []string{"C4"}, []int{250}
	dir := t.TempDir()
	path := filepath.Join(dir, "sub-01", "ses-2", "eeg", "sub-01_ses-2_task-hands_desc-clean_eeg.vhdr")
	testkit.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	by := Origin{Version: "1", Command: "rao eeg clean x.edf --suppress=1", Source: "/data/x.edf"}
	for range 2 { // the second time replaces
		testkit.NoError(t, Save(path, rec, by))
	}
	found := testkit.Must(eeg.OpenBIDS(dir, eeg.BIDSFilter{Subjects: []string{"01"}, Sessions: []string{"2"},
		Task: "hands"}, eeg.RecordingOptions{}))(t)
	got := found[0]
	defer got.Close()
	testkit.Equal(t, len(found), 1, "recordings")
	if got.Samples() != 500 || math.Abs(got.Rate-256) > 1e-9 || !slices.Equal(got.Channels, rec.Channels) ||
		voltage.Common(got.Units) != "V" || !slices.Equal(got.Bad, rec.Bad) || !slices.Equal(got.Breaks, rec.Breaks) {
		t.Errorf("%d samples at %g Hz of %v in %q, bad %v, breaks %v", got.Samples(), got.Rate, got.Channels,
			voltage.Common(got.Units), got.Bad, got.Breaks)
	}
	if len(got.Events) != 2 || got.Events[0].Sample != 10 || got.Events[0].Label != "left, then right" ||
		got.Events[1].Duration != 64 {
		t.Errorf("events %+v", got.Events)
	}
	values := make([]float64, len(data))
	testkit.NoError(t, got.Read(values, 0, 500))
	for i, v := range values {
		testkit.Near(t, v, data[i], 1e-12, "value", i)
	}
	plain, err := eeg.OpenRecording(path, eeg.RecordingOptions{})
	if err != nil || len(plain.Events) != 2 || plain.Events[0].Label != "left, then right" {
		t.Errorf("without its tables: %+v, error %v", plain, err)
	}
	var about struct {
		Command, TaskName string
		Sources           []string
	}
	var set struct{ DatasetType string }
	read := func(name string, into any) {
		t.Helper()
		testkit.ReadJSON(t, filepath.Join(dir, name), into)
	}
	read("sub-01/ses-2/eeg/sub-01_ses-2_task-hands_desc-clean_eeg.json", &about)
	read("dataset_description.json", &set)
	if about.Command != by.Command || about.TaskName != "hands" || !slices.Equal(about.Sources, []string{"x.edf"}) ||
		set.DatasetType != "derivative" {
		t.Errorf("%+v, %+v", about, set)
	}
	testkit.NoError(t, os.Remove(path))
	testkit.ErrorContains(t, Save(path, rec, by), "belongs to another recording", "files of another recording")
}
