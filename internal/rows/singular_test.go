package rows_test

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/rows"
)

func TestABadlyConditionedMatrixIsNotSingular(t *testing.T) {
	for last, singular := range map[float64]bool{1: false, 1e-18: false, 0: true} {
		var inverse mat.Dense
		err := inverse.Inverse(mat.NewDense(2, 2, []float64{1, 0, 0, last}))
		if got := rows.Singular(err); (got != nil) != singular || err == nil && last != 1 {
			t.Errorf("%g: %v from %v", last, got, err)
		}
	}
}
