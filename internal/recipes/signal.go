package recipes

import (
	"rao/internal/optionvalues"
	"rao/recipe"
)

// RowsPerChannel returns the number of matrix rows per channel, for one band.
func RowsPerChannel(o recipe.SignalOptions) int {
	rows := 1 + len(o.Delays)
	if o.Estimator == optionvalues.EstimatorCrossSpectrum {
		rows *= 2
	}
	return rows
}
