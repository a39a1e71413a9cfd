package sqfa

import (
	"testing"

	"rao/internal/testkit"
)

// Folds without class names refuse a label beyond the rows before they take memory for it.
func TestFoldsRefuseLabelsBeyondTheRows(t *testing.T) {
	labels := make([]int, 60)
	labels[7] = 1e9
	_, err := NewFolds(labels, nil, 3, 0, 0)
	testkit.ErrorContains(t, err, "row 7 has label 1000000000")
}
