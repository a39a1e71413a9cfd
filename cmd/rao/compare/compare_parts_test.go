package compare_test

import (
	"testing"

	"rao/cmd/rao/internal/tooltest"
	"rao/internal/testkit"
)

// A single file contains the training and test parts of a comparison, selected by a flag.
func TestCompareOnPartsOfOneFile(t *testing.T) {
	testkit.Contains(t, tooltest.Output(t, "compare", "--data", "../testdata/flag.csv", "--train-where", "part=1",
		"--test-where", "part=2", "--methods", "pca:filters=1", "--json"), `"accuracy":1,`)
	tooltest.Exits(t, 1, "no rows are left", "compare", "--data", "../testdata/flag.csv", "--train-where", "part=1",
		"--test-where", "part=3", "--methods", "pca")
}
