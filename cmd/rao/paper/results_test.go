package paper

import (
	"bytes"
	"os"
	"testing"

	"rao/internal/testkit"
	"rao/paper/experiment"
)

// docs/results.md is what the recorded results make, those of every wing among them.
func TestPageIsMadeFromTheRecordedResults(t *testing.T) {
	var b bytes.Buffer
	if err := experiment.Page(&b); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../../docs/results.md")
	if err != nil {
		t.Fatal(err)
	}
	wingless := testkit.WithoutWing(t, "../../..") // the page has the studies of all wings
	if !bytes.Equal(got, b.Bytes()) && !wingless {
		t.Error("docs/results.md is not what the recorded results make: go generate ./paper/experiment")
	}
}
