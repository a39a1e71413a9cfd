package paper

import (
	"bytes"
	"os"
	"testing"

	"rao/internal/paper/experiment"
	"rao/internal/testkit"
)

// The pages of results match the recorded results, including the results of every wing.
func TestPagesAreMadeFromTheRecordedResults(t *testing.T) {
	if testkit.WithoutWing(t, "../../..") { // the pages have the studies of all wings
		t.Skip("a wing is missing")
	}
	for _, name := range experiment.Pages {
		var b bytes.Buffer
		testkit.NoError(t, experiment.Page(&b, name))
		path := "../../../docs/results-" + name + ".md"
		got := testkit.Must(os.ReadFile(path))(t)
		testkit.EqualSlices(t, got, b.Bytes(), path,
			"is not what the recorded results make: go generate ./internal/paper/experiment")
		if b.Len() > 40<<10 {
			t.Errorf("%s has %d bytes; a page has at most 40 KiB", path, b.Len())
		}
	}
}
