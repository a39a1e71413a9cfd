package feature_test

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/feature"
)

// The destination may be the input itself, a view of it or its transpose, with and without a center.
func TestTransformInPlace(t *testing.T) {
	same := func(want, got mat.Matrix, what string) {
		if !mat.Equal(want, got) {
			t.Errorf("%s: %v, want %v", what, mat.Formatted(got), mat.Formatted(want))
		}
	}
	for _, center := range [][]float64{nil, {1, -2}} {
		m := &feature.Model{Filters: mat.NewDense(2, 2, []float64{1, 2, -3, 4}), Center: center}
		x := mat.NewDense(2, 2, []float64{5, 6, 7, 9})
		var want, turned mat.Dense
		m.Transform(&want, x)
		m.Transform(&turned, mat.DenseCopyOf(x.T()))
		y := mat.DenseCopyOf(x)
		m.Transform(y, y)
		same(&want, y, "rows")
		y = mat.DenseCopyOf(x)
		m.Transform(y, y.T())
		same(&turned, y, "transposed rows")
		larger := mat.NewDense(3, 2, []float64{0, 0, 5, 6, 7, 9})
		m.Transform(larger.Slice(0, 2, 0, 2).(*mat.Dense), larger.Slice(1, 3, 0, 2))
		same(&want, larger.Slice(0, 2, 0, 2), "rows that overlap")
	}
}
