package model

import (
	"math"
	"testing"
)

func TestBestOfLogPosteriors(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		logp   []float64
		label  int
		usable bool
	}{
		{[]float64{-3, -1, -2}, 1, true},
		{[]float64{-3, -1, -1}, 1, true},
		{[]float64{-inf, -5}, 1, true},
		{[]float64{-1e300, -math.MaxFloat64, -inf}, 0, true},
		{[]float64{1, 2, 3}, 2, true},
		{[]float64{-inf, -inf}, 0, false},
		{[]float64{-1, inf}, 1, false},
		{[]float64{-1, nan}, 0, false},
		{[]float64{math.Copysign(nan, -1), -1}, 0, false},
	} {
		label, usable := best(c.logp)
		if usable != c.usable || usable && label != c.label {
			t.Errorf("%v: class %d, usable %v", c.logp, label, usable)
		}
	}
}
