package compare_test

import (
	"strings"
	"testing"

	"rao/cmd/rao/internal/tooltest"
	"rao/internal/testkit"
)

// A single file contains the training and test parts of a comparison, selected by a flag.
func TestCompareOnPartsOfOneFile(t *testing.T) {
	status, out, errOut := tooltest.Run(t, "compare", "--data", "../testdata/flag.csv", "--train-where", "part=1",
		"--test-where", "part=2", "--methods", "pca:filters=1", "--json")
	if status != 0 || !strings.Contains(out, `"accuracy":1,`) {
		t.Errorf("exit status %d: %s%s", status, out, errOut)
	}
	status, _, errOut = tooltest.Run(t, "compare", "--data", "../testdata/flag.csv", "--train-where", "part=1",
		"--test-where",
		"part=3", "--methods", "pca")
	testkit.Equal(t, status, 1, "exit status", errOut)
	testkit.Contains(t, errOut, "no rows are left")
}
