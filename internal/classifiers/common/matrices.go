package common

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rao/internal/classcolumns"
	"rao/internal/faults"
	"rao/internal/indices"
	"rao/internal/text"
	"rao/spd"
)

// CheckStack returns an error unless x and the labels can train a classifier of matrices. The matrices must be finite
// and symmetric, with one valid label per matrix, at least two classes, and at least the given number of matrices in
// every class.
func CheckStack(x *spd.Stack, labels []int, classes []string, least int) error {
	if x == nil || x.Count == 0 {
		return faults.Count(0, 2, "the training data have no matrices; give at least two of each class")
	}
	if err := x.Verify(); err != nil {
		return err
	}
	if err := indices.CheckOnePer("label", len(labels), "matrix", x.Count); err != nil {
		return err
	}
	c := len(classes)
	if err := faults.OneClass(c); err != nil {
		return err
	}
	counts, err := indices.Counts("matrix", labels, c)
	if err != nil {
		return err
	}
	for i, n := range counts {
		if n < least {
			return faults.Count(n, least, "class %s has %s, but at least %d are needed; add data or leave the class "+
				"out",
				classes[i],
				text.Plural(n, "matrix", "matrices"), least)
		}
	}
	return nil
}

// Shares returns the share of each class in the labels.
func Shares(labels []int, c int) []float64 {
	return classcolumns.Shares(indices.Tally(labels, c), nil)
}

// CheckOrder returns an error unless the matrices of x have order n.
func CheckOrder(x *spd.Stack, n int) error {
	if err := x.Validate(); err != nil {
		return err
	}
	return indices.CheckOrder(x.Dim, n)
}

// CheckPoint returns an error unless a is a finite matrix of order n.
func CheckPoint(what string, a *mat.SymDense, n int) error {
	if n < 1 || a == nil || a.SymmetricDim() != n {
		return fmt.Errorf("%s is missing, or its order is not %d", what, n)
	}
	if err := spd.StackFrom(a).Verify(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}
