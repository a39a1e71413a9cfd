package report

import (
	"math"
	"testing"

	"rao/internal/testkit"
)

// An image enlarged by an odd factor has the original values at the centers of its pixels, and a ramp stays a ramp.
func TestEnlargedInterpolates(t *testing.T) {
	const rows, cols, factor = 3, 5, 3
	weights := make([]float64, rows*cols)
	for i := range weights {
		weights[i] = math.Sin(float64(i * i))
	}
	big := enlarged(weights, rows, cols, factor)
	for i := range rows {
		for j := range cols {
			testkit.Near(t, big[(i*factor+1)*cols*factor+j*factor+1], weights[i*cols+j], 1e-14, "pixel", i, j)
		}
	}
	for k, got := range enlarged([]float64{0, 1, 2, 3, 4, 5}, 1, 6, 2)[4:8] { // away from the border
		testkit.Near(t, got, float64(k+4)/2-0.25, 1e-14, "a ramp at", k+4)
	}
	testkit.Equal(t, smoothFactor([]float64{1, math.NaN()}, 1, 2), 1, "weights that are not finite are enlarged by")
	testkit.Equal(t, smoothFactor(make([]float64, 64), 8, 8), 6, "8×8 weights are enlarged by")
}
