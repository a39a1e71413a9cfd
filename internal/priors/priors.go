// Package priors checks the prior probabilities of classes.
package priors

import (
	"fmt"

	"rao/internal/faults"
	"rao/internal/linalg/vec"
)

// Check returns an error unless given is nil or has one positive prior for each of n classes.
func Check(given []float64, n int) error {
	if given == nil {
		return nil
	}
	_, err := Normalize(given, n, func(i int) string { return fmt.Sprintf("%d (counted from 0)", i) })
	return err
}

// Normalize returns the priors of n classes, scaled to sum to one. All priors must be positive. Errors use name(i) as
// the name of class i.
func Normalize(priors []float64, n int, name func(class int) string) ([]float64, error) {
	if len(priors) != n {
		return nil, faults.Count(len(priors), n,
			"the number of priors is %d, but the number of classes is %d; give one prior per class",
			len(priors), n)
	}
	out, sum := make([]float64, n), 0.0
	for i, p := range priors {
		if !vec.Positive(p) {
			return nil, faults.Option("the prior of class %s is %g; it must be positive and finite", name(i), p)
		}
		sum += p
	}
	for i, p := range priors {
		out[i] = p / sum
	}
	return out, nil
}
