package descriptor

import (
	"fmt"

	"rao/spd"
)

// Map returns W'XW for every matrix of x; matrices of another order are an error.
func (c *CSP) Map(x *spd.Stack) (*spd.Stack, error) {
	if err := x.Validate(); err != nil {
		return nil, fmt.Errorf("csp: %w", err)
	}
	if n, _ := c.Dims(); x.Dim != n {
		return nil, fmt.Errorf("csp: matrices of order %d, fitted to order %d", x.Dim, n)
	}
	return c.Project(x), nil
}

// Map returns W'XW for every matrix of x; matrices of another order are an error.
func (r *Reduction) Map(x *spd.Stack) (*spd.Stack, error) {
	if err := x.Validate(); err != nil {
		return nil, fmt.Errorf("%s reduction: %w", r.Kind, err)
	}
	if n, _ := r.Dims(); x.Dim != n {
		return nil, fmt.Errorf("%s reduction: matrices of order %d, fitted to order %d", r.Kind, x.Dim, n)
	}
	return r.Apply(x), nil
}
