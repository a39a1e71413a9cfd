package optim

import "math"

// scale multiplies x by alpha.
func scale(x []float64, alpha float64) {
	for i := range x {
		x[i] *= alpha
	}
}

// finite reports whether all of x is.
func finite(x []float64) bool {
	for _, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}
