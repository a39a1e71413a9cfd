package vec

import (
	"math"
)

// Finite reports whether x is neither NaN nor an infinity.
func Finite(x float64) bool { return x-x == 0 }

// Positive reports whether x is finite and above 0.
func Positive(x float64) bool { return x > 0 && Finite(x) }

// NotNegative reports whether x is finite and at least 0.
func NotNegative(x float64) bool { return x >= 0 && Finite(x) }

// NotFinite returns the index of the first value that is not finite, or -1.
func NotFinite[T byte | float32 | float64](x []T) int {
	for i, v := range x {
		if v-v != 0 {
			return i
		}
	}
	return -1
}

// Total returns the sum of x, added in order.
func Total[T int | int64 | float64](x []T) T {
	var sum T
	for _, v := range x {
		sum += v
	}
	return sum
}

// Max returns the largest value of x, which is NaN if any value is NaN, and -Inf without values.
func Max(x []float64) float64 {
	top := math.Inf(-1)
	for _, v := range x {
		top = max(top, v)
	}
	return top
}

// LogSumExp returns log Σ exp x. It is -Inf if every value is -Inf, and NaN if any value is NaN.
func LogSumExp(x []float64) float64 {
	top := Max(x)
	if math.IsInf(top, -1) {
		return top
	}
	sum := 0.0
	for _, v := range x {
		sum += math.Exp(v - top)
	}
	return top + math.Log(sum)
}

// LogAdd returns log(e^a + e^b), for terms that are not in a list for [LogSumExp].
func LogAdd(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	if math.IsInf(b, -1) {
		return a
	}
	return a + math.Log1p(math.Exp(b-a))
}

// ExpFromTop replaces x by exp(x − top), with top the largest value, and returns top and the sum of the results. Then
// top + log(sum) is log Σ exp x.
func ExpFromTop(x []float64) (top, sum float64) {
	top = Max(x)
	for i, v := range x {
		x[i] = math.Exp(v - top)
		sum += x[i]
	}
	return top, sum
}

// LogSoftmax converts logarithms of unnormalized probabilities to log-probabilities. If every value is -Inf, all
// probabilities become equal, because none of them is larger than another.
func LogSoftmax(x []float64) {
	total := LogSumExp(x)
	for i := range x {
		if math.IsInf(total, -1) {
			x[i] = -math.Log(float64(len(x)))
		} else {
			x[i] -= total
		}
	}
}

// Softmax writes exp(x − log Σ exp x) to dst, which may be x.
func Softmax(dst, x []float64) {
	total := LogSumExp(x)
	for i, v := range x {
		dst[i] = math.Exp(v - total)
	}
}
