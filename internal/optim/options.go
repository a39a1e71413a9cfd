package optim

import (
	"cmp"
	"fmt"
	"math"

	"rao"
)

// Options configure a minimization. The zero value is a good default.
type Options struct {
	// Memory is the number of past steps that model the curvature. Default 20.
	Memory int
	// MaxIterations limits the iterations. Default 500.
	MaxIterations int
	// GradientTolerance ends the run when the Euclidean norm of the (projected) gradient is at most this value. Default
	// 1e-6; negative turns the test off.
	GradientTolerance float64
	// FunctionTolerance ends the run when the value has changed by at most this value, relative to max(1, |f|), in each
	// of Patience consecutive iterations. Default 1e-12; negative turns the test off.
	FunctionTolerance float64
	// Patience is the number of consecutive iterations with small changes after which FunctionTolerance ends the run.
	// Default 3.
	Patience int
	// Curvature is the constant of the second Wolfe condition, between 1e-4 and 1. A smaller value gives a more exact
	// line search. On ill-conditioned functions, 0.1 needs fewer iterations and, with a Memory below the dimension,
	// fewer evaluations. Default 0.5.
	Curvature float64
	// MaxTrials limits the evaluations per line search. Default 30.
	MaxTrials int
	// Precondition, if not nil, overwrites v with P v, where P is symmetric, positive definite and roughly
	// proportional to the inverse Hessian.
	Precondition func(v []float64)
	// OnIteration, if not nil, is called after every iteration with its number (from 1), the value and the gradient
	// norm.
	OnIteration func(iteration int, value, gradientNorm float64)
}

// Result is the result of a minimization.
type Result struct {
	X            []float64  // the best point
	Value        float64    // the value of the function at X
	GradientNorm float64    // the norm of the (projected) gradient at X
	Status       rao.Status // Converged, MaxIterations, Stalled or Canceled
	Iterations   int
	Evaluations  int       // number of evaluations, including line searches
	History      []float64 // the value at the start and after each iteration
}

// filled returns the options with defaults filled in, or an error that names an option that is out of range.
func (o Options) filled() (Options, error) {
	o.Memory = cmp.Or(o.Memory, 20)
	o.MaxIterations = cmp.Or(o.MaxIterations, 500)
	o.Patience = cmp.Or(o.Patience, 3)
	o.MaxTrials = cmp.Or(o.MaxTrials, 30)
	o.GradientTolerance = cmp.Or(o.GradientTolerance, 1e-6)
	o.FunctionTolerance = cmp.Or(o.FunctionTolerance, 1e-12)
	o.Curvature = cmp.Or(o.Curvature, 0.5)
	switch {
	case o.Memory < 1:
		return o, fmt.Errorf("the memory is %d; it must be 1 or more", o.Memory)
	case o.MaxIterations < 1:
		return o, fmt.Errorf("the iteration limit is %d; it must be 1 or more", o.MaxIterations)
	case o.Patience < 1:
		return o, fmt.Errorf("the patience is %d; it must be 1 or more", o.Patience)
	case o.MaxTrials < 1:
		return o, fmt.Errorf("the limit on trials is %d; it must be 1 or more", o.MaxTrials)
	case math.IsNaN(o.GradientTolerance) || math.IsNaN(o.FunctionTolerance):
		return o, fmt.Errorf("a tolerance is NaN; give a number")
	case !(o.Curvature > sufficient && o.Curvature < 1):
		return o, fmt.Errorf("the curvature is %g; it must be above %g and below 1", o.Curvature, sufficient)
	}
	return o, nil
}
