package vec

import (
	"math"
	"slices"
)

// Finite reports whether x is neither NaN nor an infinity.
func Finite(x float64) bool { return x-x == 0 }

// NotFinite returns the index of the first value that is not finite, or -1.
func NotFinite(x []float64) int {
	return slices.IndexFunc(x, func(v float64) bool { return !Finite(v) })
}

// LogSumExp returns log Σ exp x. It is -Inf if every value is -Inf, and NaN if any value is NaN.
func LogSumExp(x []float64) float64 {
	top := math.Inf(-1)
	for _, v := range x {
		top = max(top, v)
	}
	if math.IsInf(top, -1) {
		return top
	}
	sum := 0.0
	for _, v := range x {
		sum += math.Exp(v - top)
	}
	return top + math.Log(sum)
}
