package compare_test

import (
	"path/filepath"
	"testing"

	"rao/cmd/rao/internal/tooltest"
	"rao/internal/study"
)

// A few labels of a new person move the class means towards the person's own means.
func TestCompareWithFewLabels(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.npz")
	tooltest.Persons(t, path, 3, 80)
	accuracy := func(more ...string) float64 {
		t.Helper()
		var r study.GroupResult
		tooltest.Decode(t, &r, append([]string{"compare", "--data", path, "--groups", "person", "--recordings",
			"session",
			"--calibrate", "session=0", "--methods", "mdm", "--quiet"}, more...)...)
		return float64(r.Rows[0].Accuracy)
	}
	alone, few, own := accuracy(), accuracy("--tradeoff", "1", "--few", "3"), accuracy("--tradeoff", "1")
	if own < alone+0.1 || few < alone {
		t.Errorf("accuracy %.2f without labels, %.2f with three of a class, %.2f with all", alone, few, own)
	}
	for said, more := range map[string][]string{
		"--tradeoff and --few use": {"--tradeoff", "0.5", "--methods", "mdm"},
		"but tslda has none":       {"--tradeoff", "0.5", "--calibrate", "session=0", "--methods", "tslda"},
		"nothing uses these":       {"--few", "2", "--calibrate", "session=0", "--methods", "mdm"},
		"one group at a time": {"--tradeoff", "0.5", "--calibrate", "session=0", "--methods", "mdm",
			"--cv", "2"},
	} {
		args := append([]string{"compare", "--data", path, "--groups", "person"}, more...)
		tooltest.Exits(t, 2, said, args...)
	}
}
