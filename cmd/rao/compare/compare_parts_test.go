package compare_test

import (
	"strings"
	"testing"

	"rao/cmd/rao/internal/tooltest"
)

// One file with a flag holds both parts of a comparison.
func TestCompareOnPartsOfOneFile(t *testing.T) {
	status, out, errOut := tooltest.Run(t, "compare", "--data", "../testdata/flag.csv", "--train-where", "part=1",
		"--test-where", "part=2", "--methods", "pca:filters=1", "--json")
	if status != 0 || !strings.Contains(out, `"accuracy":1,`) {
		t.Errorf("exit status %d: %s%s", status, out, errOut)
	}
	status, _, errOut = tooltest.Run(t, "compare", "--data", "../testdata/flag.csv", "--train-where", "part=1",
		"--test-where",
		"part=3", "--methods", "pca")
	if status != 1 || !strings.Contains(errOut, "no rows are left") {
		t.Errorf("exit status %d: %s", status, errOut)
	}
}
