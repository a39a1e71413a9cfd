package sqfa

import (
	"strings"
	"testing"
)

// Folds without class names refuse a label beyond the rows before they take memory for it.
func TestFoldsRefuseLabelsBeyondTheRows(t *testing.T) {
	labels := make([]int, 60)
	labels[7] = 1e9
	_, err := NewFolds(labels, nil, 3, Options{Filters: 1})
	if err == nil || !strings.Contains(err.Error(), "row 7 has label 1000000000") {
		t.Error(err)
	}
}
