package simulate

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rao"
	"rao/eeg"
	"rao/internal/eeg/live"
	"rao/internal/eeg/trialevents"
	"rao/internal/testkit"
	"rao/internal/voltage"
)

// A folder of two paradigms is found by task, subject and session, with the events of each, and the same options give
// the same bytes.
func TestStudyIsAFolderOfBIDS(t *testing.T) {
	dirs := []string{t.TempDir(), t.TempDir()}
	var events []rao.Event
	for _, dir := range dirs {
		for _, o := range []Options{{Paradigm: "imagery", Trials: 4, Seed: 3}, {Paradigm: "p300", Trials: 2, Seed: 3}} {
			testkit.NoError(t, Study(t.Context(), dir, 2, 2, o, live.Origin{Version: "1"}, func(e rao.Event) {
				events = append(events, e)
			}))
		}
	}
	testkit.Equal(t, len(events), 16)
	testkit.Equal(t, events[15], rao.Event{Stage: "recordings", Done: 4, Total: 4})
	for task, want := range map[string]string{"imagery": "left", "p300": "row-1"} {
		found, err := eeg.OpenBIDS(dirs[0], eeg.BIDSFilter{Task: task}, eeg.RecordingOptions{})
		if err != nil || len(found) != 4 || found[3].Subject != "02" || found[3].Session != "02" {
			t.Fatal(found, err)
		}
		for _, r := range found {
			if voltage.Common(r.Units) != "V" || !trialevents.Occurs(r.Events, eeg.Class{Label: want}) {
				t.Errorf("%s: unit %q, events %v", r.Source, voltage.Common(r.Units), trialevents.Count(r.Events))
			}
			r.Close()
			rel := testkit.Must(filepath.Rel(dirs[0], r.Source))(t)
			for _, ext := range []string{".vhdr", ".vmrk", ".eeg"} {
				name := strings.TrimSuffix(rel, ".vhdr") + ext
				a, errA := os.ReadFile(filepath.Join(dirs[0], name))
				b, errB := os.ReadFile(filepath.Join(dirs[1], name))
				if errA != nil || errB != nil || !slices.Equal(a, b) {
					t.Errorf("%s differs: %v, %v", name, errA, errB)
				}
			}
		}
	}
	if b, err := os.ReadFile(filepath.Join(dirs[0], "participants.tsv")); err != nil ||
		string(b) != "participant_id\nsub-01\nsub-02\n" {
		t.Errorf("%q, %v", b, err)
	}
	testkit.ErrorContains(t, testkit.ErrorOf(Recording(Options{Paradigm: "p3", Trials: 2})), "p300")
}
