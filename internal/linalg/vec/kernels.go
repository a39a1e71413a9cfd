package vec

// dotKernel returns the inner product of two vectors of at least eight values. The remaining values are added to the
// eight lanes of the kernel's sum, which are then summed in a fixed order.
func dotKernel(a, b []float64) float64 {
	var v [8]float64
	whole := len(a) &^ 7
	dotEights(whole, &a[0], &b[0], &v)
	for i := whole; i < len(a); i++ {
		v[i&7] += a[i] * b[i]
	}
	return sumLanes(&v)
}

// distanceKernel is dotKernel for squared differences.
func distanceKernel(a, b []float64) float64 {
	var v [8]float64
	whole := len(a) &^ 7
	distanceEights(whole, &a[0], &b[0], &v)
	for i := whole; i < len(a); i++ {
		d := a[i] - b[i]
		v[i&7] += d * d
	}
	return sumLanes(&v)
}

func sumLanes(v *[8]float64) float64 {
	return ((v[0] + v[4]) + (v[1] + v[5])) + ((v[2] + v[6]) + (v[3] + v[7]))
}
