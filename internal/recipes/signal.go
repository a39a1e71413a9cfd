package recipes

import (
	"rao/recipe"
)

// RowsPerChannel returns the number of matrix rows per channel, for one band.
func RowsPerChannel(o recipe.SignalOptions) int {
	rows := 1 + len(o.Delays)
	if o.Estimator == recipe.EstimatorCrossSpectrum {
		rows *= 2
	}
	return rows
}
