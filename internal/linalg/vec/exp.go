package vec

import "math"

// Exp replaces each value of x by its exponential, or by 0 if it is below floor or NaN. floor must be at least -708.
// The relative error is at most 1e-15. Values above 709 count as 709, so results are finite. The exponential of a
// value has the same bits at any position.
func Exp(x []float64, floor float64) {
	if haveKernels {
		whole := len(x) &^ 7
		if whole > 0 {
			expEights(whole, floor, &x[0])
		}
		if whole < len(x) {
			var rest [8]float64
			copy(rest[:], x[whole:])
			expEights(8, floor, &rest[0])
			copy(x[whole:], rest[:])
		}
		return
	}
	for i := range x {
		if x[i] >= floor {
			x[i] = math.Exp(math.Min(x[i], 709))
		} else {
			x[i] = 0
		}
	}
}
