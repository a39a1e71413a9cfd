package report

import (
	"math"
	"slices"

	"rao/internal/linalg/vec"
)

// smoothSide is the number of pixels per side to which small images of weights are enlarged.
const smoothSide = 48

// smoothFactor returns the factor that enlarges rows×cols images of these weights until their longer side has at least
// smoothSide pixels. The factor is 1 if a weight is not finite.
func smoothFactor(weights []float64, rows, cols int) int {
	if slices.ContainsFunc(weights, func(v float64) bool { return !vec.Finite(v) }) {
		return 1
	}
	return max(1, (smoothSide+max(rows, cols)-1)/max(rows, cols))
}

// enlarged returns an image of rows×cols weights at factor times its size, interpolated by Catmull-Rom splines.
func enlarged(weights []float64, rows, cols, factor int) []float64 {
	if factor == 1 {
		return weights
	}
	wide := make([]float64, rows*cols*factor)
	for i := range rows {
		enlargeLine(wide[i*cols*factor:], 1, weights[i*cols:], 1, cols, factor)
	}
	out := make([]float64, rows*cols*factor*factor)
	for j := range cols * factor {
		enlargeLine(out[j:], cols*factor, wide[j:], cols*factor, rows, factor)
	}
	return out
}

// enlargeLine interpolates n values of src to n·factor values of dst. Both have strides.
func enlargeLine(dst []float64, dstStride int, src []float64, srcStride, n, factor int) {
	at := func(i int) float64 { return src[max(0, min(i, n-1))*srcStride] }
	for k := range n * factor {
		x := (float64(k)+0.5)/float64(factor) - 0.5 // in pixels of src, whose centers are at integers
		i := int(math.Floor(x))
		t := x - float64(i)
		a, b, c, d := at(i-1), at(i), at(i+1), at(i+2)
		dst[k*dstStride] = b + 0.5*t*(c-a+t*(2*a-5*b+4*c-d+t*(3*(b-c)+d-a)))
	}
}
