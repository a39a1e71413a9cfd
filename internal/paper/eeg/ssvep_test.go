package eeg

import (
	"strings"
	"testing"

	"rao/internal/paper/experiment"
	"rao/internal/testkit"
)

// The study is in the list, and its recorded result has the title and protocol of this code.
func TestStudyIsRegistered(t *testing.T) {
	e := testkit.Must(experiment.Lookup("beyond-ssvep"))(t)
	r := testkit.Must(e.Recorded())(t)
	if r.ID != e.ID || r.Paper != e.Paper || r.Item != e.Item || r.Title != e.Title || r.Protocol != e.Protocol {
		t.Error("it was recorded under another title or protocol: run it again")
	}
	shown := r.Shown().Tables[0]
	testkit.Contains(t, shown.Rows[0][2], "[", "interval of the accuracy")
	if cell := shown.Rows[len(shown.Rows)-1][2]; strings.Contains(cell, "[") {
		t.Errorf("the mean %q has an interval of no number of trials", cell)
	}
	list := experiment.List()
	for i, next := range list[1:] {
		if next == e && list[i].ID != "beyond-subjects" {
			t.Errorf("it follows %s", list[i].ID)
		}
	}
}

// The short form of this study is the full study. It runs if the recordings are available.
func TestRuns(t *testing.T) {
	e := testkit.Must(experiment.Lookup("beyond-ssvep"))(t)
	if missing := e.Missing(); testing.Short() || len(missing) > 0 {
		t.Skip("long, or without data: ", missing)
	}
	testkit.Must(e.Run(t.Context(), experiment.Run{Short: true, Seed: 1}))(t)
}

// The study of networks is listed after the study with the same data, in whatever order the files register them.
func TestStudiesFollowTheirPlace(t *testing.T) {
	at := map[string]int{}
	for i, e := range experiment.List() {
		at[e.ID] = i
	}
	if at["beyond-deep-eeg"] != at["beyond-ssvep"]+1 || at["beyond-ssvep"] == 0 {
		t.Errorf("beyond-ssvep is %d, beyond-deep-eeg %d", at["beyond-ssvep"], at["beyond-deep-eeg"])
	}
}
