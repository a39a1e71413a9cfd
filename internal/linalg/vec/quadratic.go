package vec

// Quadratic writes the products z_a z_b with a ≤ b, row by row, and z behind them: a
// quadratic function of z is an inner product with these. dst has n(n+1)/2 + n values at least.
func Quadratic[T float32 | float64](dst, z []T) {
	at := 0
	for a, v := range z {
		for _, w := range z[a:] {
			dst[at] = v * w
			at++
		}
	}
	copy(dst[at:], z)
}
