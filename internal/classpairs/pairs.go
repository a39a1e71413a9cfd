// Package classpairs tests every pair of classes with the permutation test of [evaluate.Manova].
package classpairs

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/evaluate"
)

// Pair is the result of [evaluate.Manova] for classes A and B, where A < B.
type Pair struct {
	A, B int
	F    float64 // pseudo-F
	P    float64
	Holm float64 // P corrected for the number of pairs by Holm's method
}

// PairError means that [Pairs] cannot test a pair of classes.
type PairError struct {
	A, B int
	Err  error
}

func (e *PairError) Error() string { return fmt.Sprintf("classes %d and %d: %v", e.A, e.B, e.Err) }

// Unwrap returns Err.
func (e *PairError) Unwrap() error { return e.Err }

// Pairs runs [evaluate.Manova] on every pair of classes and corrects the p-values by Holm's method. If a pair
// cannot be tested, it returns a *[PairError]. opt.Keep is ignored.
func Pairs(ctx context.Context, d mat.Symmetric, labels []int, opt evaluate.ManovaOptions) ([]Pair, error) {
	classes := slices.Compact(slices.Sorted(slices.Values(labels)))
	var pairs []Pair
	var p []float64
	for i, b := range classes {
		for _, a := range classes[:i] {
			t, err := pairOf(ctx, d, labels, a, b, opt)
			if err != nil {
				return nil, &PairError{a, b, err}
			}
			pairs, p = append(pairs, Pair{A: a, B: b, F: t.F, P: t.P}), append(p, t.P)
		}
	}
	corrected, err := evaluate.Holm(p)
	for k, v := range corrected {
		pairs[k].Holm = v
	}
	return pairs, err
}

func pairOf(ctx context.Context, d mat.Symmetric, labels []int, a, b int,
	opt evaluate.ManovaOptions) (*evaluate.ManovaResult, error) {
	var rows, of, groups []int
	for i, l := range labels {
		if l == a || l == b {
			rows, of = append(rows, i), append(of, l)
			if opt.Groups != nil {
				groups = append(groups, opt.Groups[i])
			}
		}
	}
	part := mat.NewSymDense(len(rows), nil)
	for i, p := range rows {
		for j, q := range rows[:i] {
			part.SetSym(i, j, d.At(p, q))
		}
	}
	opt.Groups, opt.Keep = groups, false
	return evaluate.Manova(ctx, part, of, opt)
}
