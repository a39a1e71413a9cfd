package eeg

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rao/cmd/rao/internal/tooltest"
	"rao/dataset"
	"rao/internal/testkit"
)

// A set of recordings is imported from a folder and cut into trials by its name, with the names that MOABB gives. The
// error for options that do not apply to a set names them.
func TestTrialsOfAKnownSetOfRecordings(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("RAO_CACHE", filepath.Join(dir, "cache"))
	file := testkit.Must(os.ReadFile("../../../internal/eeg/sets/testdata/bnci.mat"))(t)
	home := filepath.Join(dir, "mne_data", "MNE-bnci-data", "001-2014")
	testkit.NoError(t, os.MkdirAll(home, 0o777))
	for _, name := range []string{"A03T.mat", "A03E.mat"} {
		testkit.NoError(t, os.WriteFile(filepath.Join(home, name), file, 0o666))
	}
	out := filepath.Join(dir, "P.npz")
	tooltest.Exits(t, 0, "saved in SHA256SUMS.txt", "data", "get", "bnci2014-001", "--from",
		filepath.Join(dir, "mne_data"))
	tooltest.Succeeds(t, "eeg", "cov", "bnci2014-001", "--bands", "8-32", "--classes", "feet,tongue", "--kinds", "eeg",
		"--meta", "study=2a", "--out", out)
	d := testkit.Must(dataset.Open(context.Background(), out, dataset.OpenOptions{}))(t)
	if d.N() != 8 || d.Stack.Dim != 22 || d.Recipe.Signal.Window != 4.004 || !slices.Equal(d.Classes, []string{"feet",
		"tongue"}) {
		t.Errorf("%d of order %d, %v, %+v", d.N(), d.Stack.Dim, d.Classes, d.Recipe.Signal)
	}
	for name, want := range map[string]string{"subject": "3", "session": "1test", "run": "1", "study": "2a"} {
		if v := d.Vars[name]; v == nil || v.Text(7) != want {
			t.Errorf("%s: %v, want %s", name, v, want)
		}
	}
	for want, args := range map[string][]string{
		"give bnci2014-001 --subjects 3":    {"bnci2014-001:3"},
		"give one name":                     {"bnci2014-001", "x.gdf"},
		"or the name of a set":              {out, "--subjects", "1"},
		"leave out --events":                {"bnci2014-001", "--rate", "250"},
		"or ranges of them":                 {"bnci2014-001", "--subjects", "3-1"},
		"rao data get bnci2014-001":         {"bnci2014-001", "--subjects", "4"},
		"contains all runs":                 {"bnci2014-001", "--runs", "1"},
		"no event matches class left elbow": {"bnci2014-001", "--classes", "left elbow"},
	} {
		tooltest.Fails(t, want, append([]string{"eeg", "cov", "--out", filepath.Join(dir, "Q.npz")}, args...)...)
	}
	if status, printed, said := tooltest.Run(t, "eeg", "cov", "bnci2014-001", "--list"); status != 0 ||
		strings.Count(printed, "(left_hand) ×1") != 4 {
		t.Errorf("%d: %s%s", status, printed, said)
	}
}
