package evaluate

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao/internal/optim"
	"rao/internal/par"
)

// Temperature returns the T for which log-probabilities divided by T, and
// normalized again, have the smallest log loss (Guo et al. 2017). Above 1 the
// probabilities were too sure. Fit it on predictions of data that the classifier has
// not learned from; it changes no decision. The answer lies between e⁻⁷ and e⁷.
//
// It returns an error for no observations, a label outside the columns or a NaN. It
// panics with mat.ErrShape if the number of labels differs from the number of rows.
func Temperature(truth []int, logPosterior *mat.Dense) (float64, error) {
	if _, err := Score(truth, logPosterior); err != nil {
		return 0, err
	}
	losses := make([]float64, len(truth))
	return FitTemperature(func(t float64) float64 {
		par.For(len(truth), 1024, func(_, lo, hi int) {
			for i := lo; i < hi; i++ {
				z := logPosterior.RawRowView(i)
				losses[i] = logSum(z, 1/t) - bounded(z[truth[i]])/t
			}
		})
		sum := 0.0
		for _, v := range losses {
			sum += v
		}
		return sum / float64(len(truth))
	}), nil
}

// FitTemperature returns the temperature between e⁻⁷ and e⁷ at which a loss that has one
// minimum is smallest, to seven digits.
func FitTemperature(loss func(t float64) float64) float64 {
	return math.Exp(optim.Golden(-7, 7, 1e-7, func(v float64) float64 { return loss(math.Exp(v)) }))
}

// bounded keeps a log-probability of zero from making sums infinite.
func bounded(z float64) float64 { return math.Max(z, -1000) }

// softmax writes exp(b z)/Σ exp(b z).
func softmax(p, z []float64, b float64) {
	sum := 0.0
	top := bounded(z[argmax(z)])
	for k, v := range z {
		p[k] = math.Exp(b * (bounded(v) - top))
		sum += p[k]
	}
	for k := range p {
		p[k] /= sum
	}
}

// logSum returns log Σ exp(b z).
func logSum(z []float64, b float64) float64 {
	top, sum := bounded(z[argmax(z)]), 0.0
	for _, v := range z {
		sum += math.Exp(b * (bounded(v) - top))
	}
	return b*top + math.Log(sum)
}

// Temper returns the log-probabilities at temperature T > 0. It panics for another T.
func Temper(logPosterior *mat.Dense, t float64) *mat.Dense {
	if !(t > 0) {
		panic(fmt.Sprintf("evaluate: temperature %g", t))
	}
	n, c := logPosterior.Dims()
	out := mat.NewDense(n, c, nil)
	for i := range n {
		row := out.RawRowView(i)
		softmax(row, logPosterior.RawRowView(i), 1/t)
		for k, v := range row {
			row[k] = math.Log(v)
		}
	}
	return out
}

// Losses returns the log loss of every observation in nats, bounded as in
// [LogLoss]. It panics with mat.ErrShape if the number of labels differs from the
// number of rows.
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

// CalibrationFloor returns the calibration error that these probabilities would show
// on average if they were exactly right: with few observations in a bin, chance alone
// makes accuracy and confidence differ. A [CalibrationError] close to it cannot be
// told from perfect calibration. For bin b, by the normal approximation of the sum of
// its |b| decisions,
//
//	E|right − Σ p| = √(2/π Σ p (1 − p)).
//
// It panics if bins < 1.
func CalibrationFloor(logPosterior *mat.Dense, bins int) float64 {
	if bins < 1 {
		panic("evaluate: bins < 1")
	}
	n, _ := logPosterior.Dims()
	variance := make([]float64, bins)
	for i := range n {
		row := logPosterior.RawRowView(i)
		p := math.Exp(row[argmax(row)])
		variance[binOf(p, bins)] += p * (1 - p)
	}
	sum := 0.0
	for _, v := range variance {
		sum += math.Sqrt(2 / math.Pi * math.Max(0, v))
	}
	return sum / float64(n)
}

// binOf returns the bin (k/bins, (k+1)/bins] of a confidence.
func binOf(p float64, bins int) int {
	return min(max(int(math.Ceil(p*float64(bins)))-1, 0), bins-1)
}
