package common

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rao/internal/indices"
	"rao/internal/text"
	"rao/spd"
)

// CheckStack returns an error unless x and the labels can train a classifier of matrices. The matrices must be finite
// and symmetric, with one valid label per matrix, at least two classes, and at least the given number of matrices in
// every class.
func CheckStack(method string, x *spd.Stack, labels []int, classes []string, least int) error {
	if x == nil || x.Count == 0 {
		return fmt.Errorf("%s: the training data contain no matrices", method)
	}
	if err := x.Verify(); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	if len(labels) != x.Count {
		return fmt.Errorf("%s: the number of labels is %d, but the number of matrices is %d; give one label per matrix",
			method, len(labels), x.Count)
	}
	c := len(classes)
	if c < 2 {
		return fmt.Errorf("%s: the number of classes is %d, but a classifier needs at least two", method, c)
	}
	counts, err := indices.Counts("matrix", labels, c)
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	for i, n := range counts {
		if n < least {
			return fmt.Errorf("%s: class %s has %s, but at least %d are needed; add data or leave the class "+
				"out",
				method, classes[i],
				text.Plural(n, "matrix", "matrices"), least)
		}
	}
	return nil
}

// Prepared returns nil if ready is true. Otherwise, the error asks the caller to call Prepare on a model with fields
// that were set by hand.
func Prepared(method string, ready bool) error {
	if !ready {
		return fmt.Errorf("%s: the fields of the model were set by hand; call Prepare before use", method)
	}
	return nil
}

// Shares returns the share of each class.
func Shares(labels []int, c int) []float64 {
	p := make([]float64, c)
	for _, l := range labels {
		p[l] += 1 / float64(len(labels))
	}
	return p
}

// CheckOrder returns an error unless the matrices of x have order n.
func CheckOrder(method string, x *spd.Stack, n int) error {
	if err := x.Validate(); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	if x.Dim != n {
		return fmt.Errorf("%s: the matrices have order %d, but the model was fitted to order %d; give the same "+
			"channels",
			method, x.Dim, n)
	}
	return nil
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
