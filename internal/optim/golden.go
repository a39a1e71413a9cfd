package optim

// Golden returns the location of the minimum of a unimodal function on [lo, hi], to within tol, by golden-section
// search. The location of the minimum of a smooth function has a relative error of at least about 1e-8, because closer
// values differ by less than their rounding errors.
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
