package descriptors

import "math"

// smooth writes src convolved with a Gaussian with the given standard deviation in pixels, truncated at four standard
// deviations, with the image mirrored at its border. If sigma is 0, it copies src.
func smooth(dst, src []float64, s Shape, sigma float64) {
	if sigma == 0 {
		copy(dst, src)
		return
	}
	reach := int(4*sigma + 0.5)
	kernel, sum := make([]float64, 2*reach+1), 0.0
	for i := range kernel {
		d := float64(i-reach) / sigma
		kernel[i] = math.Exp(-d * d / 2)
		sum += kernel[i]
	}
	for i := range kernel {
		kernel[i] /= sum
	}
	t := make([]float64, len(src))
	for r := range s.Rows {
		convolve(t[r*s.Cols:], src[r*s.Cols:], kernel, s.Cols, 1)
	}
	for c := range s.Cols {
		convolve(dst[c:], t[c:], kernel, s.Rows, s.Cols)
	}
}

// convolve filters one line of n values, which are step values apart.
func convolve(dst, src, kernel []float64, n, step int) {
	reach := len(kernel) / 2
	for i := range n {
		v := 0.0
		for k, w := range kernel {
			v += w * src[mirrored(i+k-reach, n)*step]
		}
		dst[i*step] = v
	}
}

// mirrored returns the index for i in a line of n values that is mirrored at its ends, with the border values
// repeated: c b a | a b c | c b a.
func mirrored(i, n int) int {
	i %= 2 * n
	if i < 0 {
		i += 2 * n
	}
	if i >= n {
		i = 2*n - 1 - i
	}
	return i
}

// difference returns the first difference of src at index i of a line of n values that are step apart, where at is the
// offset of the value in src: central in the interior, one-sided at the border.
func difference(src []float64, at, i, n, step int) float64 {
	lo, hi := max(i-1, 0), min(i+1, n-1)
	if hi == lo {
		return 0
	}
	return (src[at+(hi-i)*step] - src[at+(lo-i)*step]) / float64(hi-lo)
}

// slope writes the magnitude of the gradient of src to dst.
func slope(dst, src []float64, s Shape) {
	for p := range dst {
		x := difference(src, p, p%s.Cols, s.Cols, 1)
		y := difference(src, p, p/s.Cols, s.Rows, s.Cols)
		dst[p] = math.Hypot(x, y)
	}
}

// direction writes the angle between the gradient and the rows, from 0 to π/2; the angle of a zero gradient is 0.
func direction(dst, src []float64, s Shape) {
	for p := range dst {
		x := difference(src, p, p%s.Cols, s.Cols, 1)
		y := difference(src, p, p/s.Cols, s.Rows, s.Cols)
		dst[p] = math.Atan2(math.Abs(y), math.Abs(x))
	}
}

// mixedDifference writes |∂²/∂x∂y| of src to dst.
func mixedDifference(dst, src []float64, s Shape) {
	x := make([]float64, len(src))
	for p := range x {
		x[p] = difference(src, p, p%s.Cols, s.Cols, 1)
	}
	for p := range dst {
		dst[p] = math.Abs(difference(x, p, p/s.Cols, s.Rows, s.Cols))
	}
}
