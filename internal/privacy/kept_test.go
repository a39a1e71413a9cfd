package privacy

import (
	"path/filepath"
	"reflect"
	"testing"

	"rao/internal/testkit"
	"rao/internal/testkit/fileform"
)

// Private statistics of format 1 are read with the same values as when they were written. The files of testdata/kept
// are never rewritten: a change that breaks them breaks users' files.
func TestKeptReleasesAreReadTheSame(t *testing.T) {
	files := testkit.Must(filepath.Glob("testdata/kept/*.npz"))(t)
	testkit.Equal(t, len(files), 3, "files")
	for _, path := range files {
		fileform.ValidateFile(t, FileKind, path)
		r := testkit.Must(ReadFile(path))(t)
		var want Release
		testkit.ReadJSON(t, path[:len(path)-len("npz")]+"json", &want)
		r.next = nil // the file says it, and it follows from the rest
		if !reflect.DeepEqual(*r, want) {
			t.Errorf("%s holds %+v, held %+v", filepath.Base(path), *r, want)
		}
	}
}

// So is a ledger.
func TestKeptLedgerIsReadTheSame(t *testing.T) {
	l := testkit.Must(ReadLedger("testdata/kept/ledger.json"))(t)
	want := &Ledger{Site: "49e05aca4f46eb690b402889b66932ab", Budget: Guarantee{Epsilon: 4, Delta: 1e-6},
		Releases: []LedgerEntry{{Rho: 0.024355970359538372, What: "all rounds"}}}
	if !reflect.DeepEqual(l, want) {
		t.Errorf("the ledger holds %+v, held %+v", l, want)
	}
}
