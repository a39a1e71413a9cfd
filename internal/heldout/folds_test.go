package heldout

import (
	"testing"

	"rao/internal/testkit"
)

// Without class names, a label larger than the number of rows is an error before memory for such classes is allocated.
func TestFoldsRefuseLabelsBeyondTheRows(t *testing.T) {
	labels := make([]int, 60)
	labels[7] = 1e9
	_, err := NewFolds(labels, nil, 3, 0, 0)
	testkit.ErrorContains(t, err, "row 7 has label 1000000000")
}

// By default, enough folds are held out for 400 rows. With a given number of folds, all folds are held out.
func TestFoldsByTheNumberOfRows(t *testing.T) {
	for _, c := range []struct{ folds, rows, dealt, held int }{
		{0, 100, 5, 5}, {0, 500, 5, 4}, {0, 499, 5, 5}, {0, 800, 5, 3}, {0, 2400, 5, 1}, {0, 1 << 30, 5, 1},
		{4, 1 << 30, 4, 4}, {7, 10, 7, 7},
	} {
		if dealt, held := DealtFolds(c.folds, c.rows); dealt != c.dealt || held != c.held {
			t.Errorf("%d rows, folds %d: %d of %d, want %d of %d", c.rows, c.folds, held, dealt, c.held, c.dealt)
		}
	}
}
