package optim

func scale(x []float64, alpha float64) {
	for i := range x {
		x[i] *= alpha
	}
}
