package scoring

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"rao/internal/optim"
)

// FitTemperature returns the temperature between e⁻⁷ and e⁷ that minimizes a unimodal loss. The logarithm of the
// temperature is accurate to 1e-7.
func FitTemperature(loss func(t float64) float64) float64 {
	return math.Exp(optim.Golden(-7, 7, 1e-7, func(v float64) float64 { return loss(math.Exp(v)) }))
}

// Losses returns the log loss of every observation in nats, at most -log 2⁻⁵². It panics with mat.ErrShape if the
// number of labels differs from the number of rows.
func Losses(truth []int, logPosterior *mat.Dense) []float64 {
	n, _ := logPosterior.Dims()
	if len(truth) != n {
		panic(mat.ErrShape)
	}
	out := make([]float64, n)
	for i, y := range truth {
		out[i] = -math.Max(logPosterior.At(i, y), minLogProbability)
	}
	return out
}

// CalibrationFloor returns the mean calibration error of perfectly calibrated probabilities with the same values. With
// few observations per bin, accuracy and confidence differ by chance, so an error close to this floor is consistent
// with perfect calibration. The floor uses the normal approximation for the |b| decisions of each bin b:
//
//	E|right − Σ p| = √(2/π Σ p (1 − p)).
func CalibrationFloor(logPosterior *mat.Dense) float64 {
	n, _ := logPosterior.Dims()
	var variance [CalibrationBins]float64
	for i := range n {
		row := logPosterior.RawRowView(i)
		p := math.Exp(row[floats.MaxIdx(row)])
		variance[binOf(p)] += p * (1 - p)
	}
	sum := 0.0
	for _, v := range variance {
		sum += math.Sqrt(2 / math.Pi * math.Max(0, v))
	}
	return sum / float64(n)
}

// binOf returns the number of the bin that contains the confidence p.
func binOf(p float64) int {
	return min(max(int(math.Ceil(p*CalibrationBins))-1, 0), CalibrationBins-1)
}
