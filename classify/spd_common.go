package classify

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/index"
	"rao/spd"
)

// checkStack returns an error unless x and the labels can train a classifier of matrices: well-formed, finite,
// symmetric matrices, one label each, at least two classes, valid labels, and at least least matrices in every class.
func checkStack(method string, x *spd.Stack, labels []int, classes []string, least int) error {
	if x == nil || x.Count == 0 {
		return fmt.Errorf("%s: no training matrices", method)
	}
	if err := x.Verify(); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	if len(labels) != x.Count {
		return fmt.Errorf("%s: %d labels for %d matrices: each matrix needs one", method, len(labels), x.Count)
	}
	c := len(classes)
	if c < 2 {
		return fmt.Errorf("%s: the number of classes is %d, a classifier needs at least two", method, c)
	}
	counts, err := index.Counts("matrix", labels, c)
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	for i, n := range counts {
		if n < least {
			return fmt.Errorf("%s: class %s has %d matrices, it needs at least %d; add data or leave the class out",
				method, classes[i], n, least)
		}
	}
	return nil
}

// prepared returns an error for a model with fields that were set by hand, until Prepare is called.
func prepared(method string, yes bool) error {
	if !yes {
		return fmt.Errorf("%s: the fields of the model were set by hand; call its Prepare before use", method)
	}
	return nil
}

// meanOf returns the mean of the matrices of x with the given indices. weights has one weight for each matrix of x, or
// is nil. An error names the matrix by its index in x.
func meanOf(ctx context.Context, x *spd.Stack, members []int, weights []float64, metric spd.Metric,
	opt spd.MeanOptions) (*mat.SymDense, rao.Report, error) {
	mean, rep, err := spd.Mean(ctx, x.Select(members), index.Pick(weights, members), metric, opt)
	return mean, rep, index.InError(err, func(e *spd.MatrixError) {
		if e.Index >= 0 {
			e.Index = members[e.Index]
		}
	})
}

// shares returns the share of each class.
func shares(labels []int, c int) []float64 {
	p := make([]float64, c)
	for _, l := range labels {
		p[l] += 1 / float64(len(labels))
	}
	return p
}

// checkOrder returns an error unless the matrices of x have order n.
func checkOrder(method string, x *spd.Stack, n int) error {
	if err := x.Validate(); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	if x.Dim != n {
		return fmt.Errorf("%s: matrices have order %d, but the model was trained on order %d: use the same channels",
			method, x.Dim, n)
	}
	return nil
}

// checkPoint returns an error unless a is a finite matrix of order n.
func checkPoint(what string, a *mat.SymDense, n int) error {
	if n < 1 || a == nil || a.SymmetricDim() != n {
		return fmt.Errorf("%s is missing, or not of order %d", what, n)
	}
	if err := spd.StackFrom(a).Verify(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}
