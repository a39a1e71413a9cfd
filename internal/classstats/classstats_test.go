package classstats

import (
	"testing"

	"rao/gaussian"
	"rao/internal/testkit"
)

func TestSecondMoment(t *testing.T) {
	s := gaussian.New([]string{"a"}, 2)
	copy(s.Means, []float64{2, 3})
	copy(s.Covariances, []float64{1, .5, .5, 2})
	testkit.Close(t, "second moment", SecondMoment(s, 0).RawSymmetric().Data, []float64{5, 6.5, 6.5, 11}, 0)
}
