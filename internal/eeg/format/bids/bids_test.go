package bids

import (
	"path/filepath"
	"strings"
	"testing"

	"rao/internal/testkit"
)

func TestTasksAndTwoTables(t *testing.T) {
	root := t.TempDir()
	put := func(path, text string) {
		path = filepath.Join(root, path)
		testkit.WriteFile(t, path, text)
	}
	put("sub-1/eeg/sub-1_task-a_eeg.edf", "")
	put("sub-1/eeg/sub-1_task-b_acq-x_eeg.BDF", "")
	put("sub-1/eeg/sub-1_task-b_eeg.json", "")
	put("sub-1/eeg/task-b_eeg.edf", "") // no subject
	put("sub-1/eeg/sub-1_task-b_ieeg.edf", "")
	testkit.ErrorContains(t, testkit.ErrorOf(Find(root, Filter{})),
		"recordings of 2 tasks; name one with option task: a, b")
	found, err := Find(root, Filter{Task: "b"})
	if err != nil || len(found) != 1 || filepath.Base(found[0].Path) != "sub-1_task-b_acq-x_eeg.BDF" {
		t.Fatal(found, err)
	}
	if p, err := found[0].Table("events"); p != "" || err != nil {
		t.Error(p, err)
	}
	put("sub-1/task-b_events.tsv", "")
	put("sub-1/sub-1_task-b_events.tsv", "")
	put("sub-1/eeg/sub-1_task-a_events.tsv", "")
	put("events.tsv", "")
	if p, err := found[0].Table("events"); err != nil || filepath.Base(p) != "sub-1_task-b_events.tsv" {
		t.Error(p, err)
	}
	put("sub-1/sub-1_acq-x_events.tsv", "")
	testkit.ErrorContains(t, testkit.ErrorOf(found[0].Table("events")), "both belong to this recording; keep only one")
	for _, path := range []string{filepath.Join(root, "none"), filepath.Join(root, "events.tsv")} {
		testkit.Fails(t, testkit.ErrorOf(Find(path, Filter{})), path, "is taken")
	}
}

func FuzzTable(f *testing.F) {
	f.Add("name\ttype\tstatus\nFz\tEEG\tgood\n")
	f.Add("\ufeffname\tx\ty\tz\nFz\t1\tn/a\t2\n\"a")
	f.Fuzz(func(t *testing.T, text string) {
		rows, err := parseTable(strings.NewReader(text), []string{"name", "type", "status"})
		for _, r := range rows {
			if len(r) != 3 && err == nil {
				t.Errorf("a row of %d cells", len(r))
			}
		}
	})
}
