package spd

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rao/internal/indices"
	"rao/internal/linalg/vec"
)

// These are the default rates of [CausalCentering], chosen on the recordings of five subjects.
const (
	defaultCausalPrior = 10   // trials
	defaultCausalFloor = 0.02 // 0.015 to 0.03 give similar accuracy; without a floor, centering gains nothing
)

// CausalCentering centers each trial by a running mean that uses only past and present trials, for live use. Before
// trial i (from 0) is centered, the mean M moves towards X_i along the geodesic,
//
//	M ← M #_g X_i,  g = max(1/(Prior + i + 1), Floor),  X_i → M^-½ X_i M^-½
//
// M starts at the mean of the training data, which counts as Prior trials. Because of the floor, M forgets old trials.
//
// The exported fields are its complete state. It is not safe for concurrent use.
type CausalCentering struct {
	Start *mat.SymDense // the mean from which M starts
	Prior float64       // number of trials that the start counts as
	Floor float64       // least rate, in [0, 1]
	Mean  *mat.SymDense // the current mean M
	Count int           // trials so far
}

// NewCausalCentering returns a CausalCentering that starts at a copy of start, the mean of the training data. A prior
// of 0 means 10 trials, and a floor of 0 means 0.02. It returns an error if the prior or the floor is out of range, or
// if start is not SPD.
func NewCausalCentering(start mat.Symmetric, prior, floor float64) (*CausalCentering, error) {
	prior = cmp.Or(prior, defaultCausalPrior)
	floor = cmp.Or(floor, defaultCausalFloor)
	n := start.SymmetricDim()
	c := &CausalCentering{Start: symmetric(n, full(start)), Prior: prior, Floor: floor, Mean: symmetric(n, full(start))}
	return c, c.validate()
}

func (c *CausalCentering) dim() int { return c.Mean.SymmetricDim() }

// push centers the only matrix of x into dst, which may be x.
func (c *CausalCentering) push(dst, x *Stack) error {
	if err := x.verify("matrix"); err != nil {
		return err
	}
	rate := max(1/(c.Prior+float64(c.Count)+1), c.Floor)
	mean, err := geodesicOf(Riemann, full(c.Mean), x.At(0), rate, c.dim())
	if err != nil {
		return notDefinite(x.At(0), c.dim(), "matrix", 0)
	}
	if err := recenter(dst, x, mean, nil); err != nil {
		return err
	}
	c.Mean, c.Count = symmetric(c.dim(), mean), c.Count+1
	return nil
}

// Adapt centers the matrices of x one after the other into dst, which may be x. Errors name the matrix; the mean then
// includes only the matrices before it. If ctx is canceled, Adapt returns the error of ctx.
func (c *CausalCentering) Adapt(ctx context.Context, dst, x *Stack) error {
	if x == nil {
		return errNil
	}
	if x.Dim != c.dim() {
		return fmt.Errorf("causal centering: the matrices have order %d, but earlier ones of the recording have order "+
			"%d", x.Dim, c.dim())
	}
	if err := x.verify("matrix"); err != nil {
		return err
	}
	if dst != x {
		dst.fit(x.Count, x.Dim)
	}
	for k := range x.Count {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := c.push(StackOf(1, c.dim(), dst.At(k)), StackOf(1, c.dim(), x.At(k))); err != nil {
			return indices.InError(err, func(e *MatrixError) { e.Index = k })
		}
	}
	return nil
}

// validate returns an error if an exported field is out of range or not finite.
func (c *CausalCentering) validate() error {
	switch {
	case c.Start == nil || c.Mean == nil || c.Start.SymmetricDim() < 1 ||
		c.Start.SymmetricDim() != c.Mean.SymmetricDim():
		return errors.New("causal centering: the start is missing, or its order differs from the order of the mean")
	case !vec.Positive(c.Prior):
		return fmt.Errorf("causal centering: the start counts as %g trials; give a positive number, such as %d",
			c.Prior, defaultCausalPrior)
	case !(c.Floor >= 0 && c.Floor <= 1):
		return fmt.Errorf("causal centering: the smallest rate is %g; it must be between 0 and 1, such as %g",
			c.Floor, defaultCausalFloor)
	case c.Count < 0:
		return fmt.Errorf("causal centering: the number of trials so far is %d; it must not be negative", c.Count)
	}
	if _, err := decompose(full(c.Start), c.dim(), "start of causal centering", true); err != nil {
		return err
	}
	_, err := decompose(full(c.Mean), c.dim(), "mean of causal centering", true)
	return err
}
