package common

import (
	"math"

	"rao/internal/linalg/vec"
)

// Normalize converts the logarithms of unnormalized probabilities to log-probabilities by log-sum-exp. A row of -Inf
// becomes uniform, because no class is more probable than another.
func Normalize(row []float64) {
	shift := vec.LogSumExp(row)
	if math.IsInf(shift, -1) {
		for i := range row {
			row[i] = -math.Log(float64(len(row)))
		}
		return
	}
	for i := range row {
		row[i] -= shift
	}
}
