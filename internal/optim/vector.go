package optim

import "rao/internal/linalg/vec"

func scale(x []float64, alpha float64) {
	for i := range x {
		x[i] *= alpha
	}
}

func finite(x []float64) bool {
	return vec.NotFinite(x) < 0
}
