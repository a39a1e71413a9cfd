package common

import (
	"gonum.org/v1/gonum/mat"

	"rao/internal/faults"
	"rao/internal/indices"
	"rao/internal/rows"
	"rao/internal/text"
)

// CheckRows returns an error unless the rows and labels can train a classifier: at least two classes, valid labels, at
// least the given number of rows in each class, and finite values.
func CheckRows(in *rows.Reader, labels []int, classes []string, least int) error {
	if len(labels) != in.Rows {
		panic(mat.ErrShape)
	}
	if err := faults.OneClass(len(classes)); err != nil {
		return err
	}
	counts, err := indices.Counts("row", labels, len(classes))
	if err != nil {
		return err
	}
	for i, n := range counts {
		if n == 0 {
			return faults.Count(0, max(least, 1),
				"class %s has no observations; add data or leave the class out", classes[i])
		}
		if n < least {
			return faults.Count(n, least,
				"class %s has %s, but at least %d are needed; add data or leave the class out",
				classes[i], text.Plural(n, "row", "rows"), least)
		}
	}
	return in.CheckFinite()
}
