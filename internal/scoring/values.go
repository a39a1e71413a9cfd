package scoring

import "math"

// ValueScores measure how well predicted values match the true values.
type ValueScores struct {
	R2   float64 // 1 − (residual sum of squares)/(total sum of squares); NaN if the true values are all equal
	MAE  float64 // mean absolute error
	RMSE float64 // root of the mean squared error
}

// ScoreValues compares predictions with true values y of the same length.
func ScoreValues(predicted, y []float64) ValueScores {
	n := float64(len(y))
	mean, absolute, squared, total := 0.0, 0.0, 0.0, 0.0
	for _, v := range y {
		mean += v / n
	}
	for i, v := range y {
		absolute += math.Abs(predicted[i]-v) / n
		squared += (predicted[i] - v) * (predicted[i] - v)
		total += (v - mean) * (v - mean)
	}
	r2 := math.NaN()
	if total > 0 {
		r2 = 1 - squared/total
	}
	return ValueScores{R2: r2, MAE: absolute, RMSE: math.Sqrt(squared / n)}
}
