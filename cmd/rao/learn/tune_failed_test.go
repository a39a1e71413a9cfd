package learn_test

import (
	"testing"

	"rao/cmd/rao/internal/tooltest"
)

// A combination that fails leaves the scores of the others, and the exit status is 1, as in rao compare.
func TestTuneReportsFailedCombinations(t *testing.T) {
	tooltest.Exits(t, 1, "1 of 2 combinations failed; the reasons are listed above", "tune", "knn-raw", "--data",
		"digits:train", "--search", "neighbors=1,100000", "--cv", "3")
}

// An option may depend on another option that only the search sets.
func TestTuneWithAnOptionThatNeedsTheSearch(t *testing.T) {
	tooltest.Succeeds(t, "tune", "pca", "--data", "digits:train", "--neighbors", "3", "--search", "classifier=knn",
		"--cv", "2")
}
