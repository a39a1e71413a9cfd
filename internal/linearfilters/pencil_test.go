package linearfilters

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/testkit"
)

func TestWhitenedCovarianceIsTheIdentity(t *testing.T) {
	c := []float64{4, 1, 0.5, 1, 3, -1, 0.5, -1, 2}
	w := testkit.Must(WhitenerOfAll(c, 3))(t)
	var got mat.Dense
	got.Product(w.T(), mat.NewSymDense(3, c), w)
	if !mat.EqualApprox(&got, mat.NewDiagDense(3, []float64{1, 1, 1}), 1e-12) {
		t.Errorf("W'CW is\n%v", mat.Formatted(&got))
	}
}

func TestWhitenerRefuses(t *testing.T) {
	for want, c := range map[string][]float64{
		"not finite":            {1, 0, 0, math.NaN()},
		"not positive definite": {1, 1, 1, 1},
	} {
		testkit.ErrorContains(t, testkit.ErrorOf(WhitenerOfAll(c, 2)), want, c)
	}
}
