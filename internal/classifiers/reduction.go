package classifiers

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/linalg/vec"
	"rao/internal/linearfilters"
	"rao/spd"
)

// Reduction is a learned map from n×n SPD matrices to m×m ones, X → W'XW: covariances of channels become covariances
// of spatially filtered signals. In the affine-invariant metric, the result of a classifier depends only on the span
// of the filters.
type Reduction struct {
	Kind    string     `json:"kind"`    // the method: sqfa, enuc, tssm or tssm-fisher
	Filters *mat.Dense `json:"filters"` // n×m, W
	Report  rao.Report `json:"report"`  // how the fit ended
}

// Dims returns the orders of the matrices before and after the reduction.
func (r *Reduction) Dims() (in, out int) { return r.Filters.Dims() }

// Congruence returns the matrix W of the map X → W'XW.
func (r *Reduction) Congruence() *mat.Dense { return r.Filters }

// Map writes W'XW to dst for every matrix of x. Errors name a matrix that is not symmetric, not finite, or has the
// wrong order.
func (r *Reduction) Map(dst, x *spd.Stack) error {
	return linearfilters.Map(dst, x, r.Filters)
}

// Validate checks the exported fields. Call it after reading them from a file.
func (r *Reduction) Validate() error {
	if r.Filters == nil || r.Filters.IsEmpty() {
		return errors.New("the reduction has no filters; fit the model again")
	}
	n, m := r.Filters.Dims()
	if m > n {
		return fmt.Errorf("the reduction maps %d channels to %d; it cannot have more outputs than channels", n, m)
	}
	for i := range n {
		if j := vec.NotFinite(r.Filters.RawRowView(i)); j >= 0 {
			return fmt.Errorf("filter %d of the reduction has the value %g at channel %d; it must be finite",
				j, r.Filters.At(i, j), i)
		}
	}
	return nil
}
