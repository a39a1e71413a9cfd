package serve

import (
	"testing"

	"rao/internal/testkit"
	"rao/model"
)

// Matrices must be symmetric up to rounding errors. These are small relative to the largest entry, not relative to
// entries that are nearly zero.
func TestMatricesAreSymmetricButForRounding(t *testing.T) {
	e := &entry{model: &model.Model{Input: model.Schema{Kind: model.KindMatrices, Dim: 2}}}
	testkit.NoError(t, testkit.ErrorOf(e.observations([]int{1, 2, 2}, []float64{1, 1e-17, -1e-17, 2}, nil)))
	for _, x := range [][]float64{{1, 0.5, 0.4, 2}, {1, 1e-3, 0, 2}} {
		_, err := e.observations([]int{2, 2}, x, nil)
		testkit.ErrorContains(t, err, "matrix 0 is not symmetric", x)
	}
}
