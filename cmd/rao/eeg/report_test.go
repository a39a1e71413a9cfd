package eeg

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rao/cmd/rao/internal/tooltest"
	"rao/internal/testkit"
)

// A report is a self-contained page. Methods of vectors and missing classes are errors.
func TestReport(t *testing.T) {
	dir := t.TempDir()
	rec, page := filepath.Join(dir, "a.xdf"), filepath.Join(dir, "a.html")
	must(t, "data", "recording", "--trials", "20", "--out", rec)
	args := []string{"eeg", "report", rec, "--start", "0.5", "--stop", "3.5", "--bands", "8-13", "--out", page}
	said := must(t, append(args, "--classes", "left,right", "--title", "A <person>")...)
	b, err := os.ReadFile(page)
	if err != nil || !strings.HasPrefix(said, "1 recording reported") {
		t.Fatal(said, err)
	}
	for _, part := range []string{"<h1>A &lt;person&gt;</h1>", "Spectra", "ERD and ERS", "Spatial patterns",
		"20 of 20 trials",
		"Learning curve", "Drift"} {
		testkit.Contains(t, string(b), part, "the page has no")
	}
	for want, more := range map[string][]string{
		"--classes is required":                 nil,
		"covariances need a method of matrices": {"--classes", "left,right", "--method", "lda-raw"},
		"--signals needs a method of trials":    {"--classes", "left,right", "--signals", "--method", "mdm"},
		"--correlate needs a method of vectors": {"--classes", "left,right", "--correlate", "9", "--method", "mdm"},
		"give recordings or --bids, not both":   {"--classes", "left,right", "--bids", t.TempDir()},
	} {
		tooltest.Fails(t, want, append(args, more...)...)
	}
}

// The maps for flickering lights show the back of the head, where the power is, and not the hand areas.
func TestReportOfLights(t *testing.T) {
	dir := t.TempDir()
	rec, page := filepath.Join(dir, "a.xdf"), filepath.Join(dir, "a.html")
	must(t, "data", "recording", "--paradigm", "ssvep", "--trials", "18", "--out", rec)
	must(t, "eeg", "report", rec, "--classes", "10Hz,12Hz,15Hz", "--start", "0.5", "--stop", "3.5", "--bands", "5-45",
		"--correlate", "10,12,15", "--out", page)
	if text := testkit.Text(t, page); !strings.Contains(text, "15Hz, Oz") || strings.Contains(text, "15Hz, C3") {
		t.Error("the maps are not of the occipital channels")
	}
}

// A BIDS folder of simulated recordings is reported, and a cleaned recording becomes a derivative whose sidecar names
// the command. Files of another recording are not replaced.
func TestBIDSIsWritten(t *testing.T) {
	testkit.SkipShort(t, "takes some seconds")
	dir := t.TempDir()
	for _, folder := range []string{"study/sub-01/ses-1/eeg", "study/sub-01/ses-2/eeg", "clean/sub-01/ses-1/eeg"} {
		testkit.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.FromSlash(folder)), 0o755))
	}
	for _, session := range []string{"1", "2"} {
		must(t, "data", "recording", "--trials", "10", "--seed", session, "--blinks", "10", "--out",
			filepath.Join(dir, "study", "sub-01", "ses-"+session, "eeg", "sub-01_ses-"+session+"_task-hands_eeg.vhdr"))
	}
	said := must(t, "eeg", "report", "--bids", filepath.Join(dir, "study"), "--subjects", "01",
		"--classes", "left,right",
		"--start", "0.5", "--stop", "3.5", "--bands", "8-13", "--estimator", "oas", "--out",
		filepath.Join(dir, "01.html"))
	if !strings.HasPrefix(said, "2 recordings reported") {
		t.Error(said)
	}
	raw := filepath.Join(dir, "study", "sub-01", "ses-1", "eeg", "sub-01_ses-1_task-hands_eeg.vhdr")
	stem := filepath.Join(dir, "clean", "sub-01", "ses-1", "eeg", "sub-01_ses-1_task-hands_desc-clean_eeg")
	other := strings.ReplaceAll(raw, "ses-1", "ses-2")
	clean := []string{"eeg", "clean", raw, "--suppress", "1", "--also", other + "," + other, "--out", stem + ".vhdr"}
	must(t, clean...)
	must(t, clean...) // replaces its own
	testkit.Contains(t, testkit.Text(t, stem+".json"), `rao eeg clean sub-01_ses-1_task-hands_eeg.vhdr --also=`+
		`sub-01_ses-2_task-hands_eeg.vhdr,sub-01_ses-2_task-hands_eeg.vhdr --out=sub-01_`, "sidecar, without folders")
	testkit.NoError(t, os.Remove(stem+".vhdr"))
	tooltest.Fails(t, "another recording", clean...)
}
