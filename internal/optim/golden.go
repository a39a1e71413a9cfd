package optim

// Golden returns the place of the minimum of a unimodal function on [lo, hi], to within tol, by
// golden sections. Values of a smooth function tell places apart only to about the root
// of the rounding error, 1e-8 of its scale.
func Golden(lo, hi, tol float64, f func(float64) float64) float64 {
	const ratio = 0.6180339887498949
	a, b := hi-ratio*(hi-lo), lo+ratio*(hi-lo)
	fa, fb := f(a), f(b)
	for hi-lo > tol {
		if fa <= fb {
			hi, b, fb = b, a, fa
			a = hi - ratio*(hi-lo)
			fa = f(a)
		} else {
			lo, a, fa = a, b, fb
			b = lo + ratio*(hi-lo)
			fb = f(b)
		}
	}
	return (lo + hi) / 2
}
