package evaluate

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"rao/internal/optim"
	"rao/internal/par"
)

// Temperature returns the T that minimizes the log loss of log-probabilities divided by T and normalized again (Guo et
// al. 2017). T > 1 means that the probabilities were overconfident. Fit it on held-out predictions; it does not change
// decisions. T is between e⁻⁷ and e⁷.
//
// It returns an error for no observations, a label outside the columns or a NaN. It
// panics with mat.ErrShape if the number of labels differs from the number of rows.
func Temperature(truth []int, logPosterior *mat.Dense) (float64, error) {
	if _, err := Score(truth, logPosterior); err != nil {
		return 0, err
	}
	slopes := make([]float64, 2*len(truth))
	// The loss is convex in b = 1/T: its slope, the mean of E z − z_y, grows by the variance of z.
	return 1 / rising(func(b float64) (slope, curvature float64) {
		par.For(len(truth), 1024, func(_, lo, hi int) {
			for i := lo; i < hi; i++ {
				z := logPosterior.RawRowView(i)
				mean, variance := moments(z, b)
				slopes[2*i], slopes[2*i+1] = mean-bounded(z[truth[i]]), variance
			}
		})
		for i := 0; i < len(slopes); i += 2 {
			slope += slopes[i]
			curvature += slopes[i+1]
		}
		return slope, curvature
	}), nil
}

// rising returns where a function that does not fall is zero between e⁻⁷ and e⁷, or the end
// that is closest. f returns the value and its derivative. The steps are Newton's in the
// logarithm, and halve a bracket where those lead out of it or do not shrink by half.
func rising(f func(b float64) (value, derivative float64)) float64 {
	lo, hi, u, last := -7.0, 7.0, 0.0, 14.0
	for range 100 {
		b := math.Exp(u)
		value, derivative := f(b)
		if value == 0 {
			break
		}
		if value > 0 {
			hi = u
		} else {
			lo = u
		}
		next := u - value/(b*derivative)
		if !(next > lo && next < hi) || math.Abs(next-u) > last/2 {
			next = (lo + hi) / 2
		}
		last = math.Abs(next - u)
		if u = next; last < 1e-9 {
			break
		}
	}
	return math.Exp(u)
}

// moments returns mean and variance of z under softmax(b z).
func moments(z []float64, b float64) (mean, variance float64) {
	top := bounded(z[floats.MaxIdx(z)])
	sum, first, second := 0.0, 0.0, 0.0
	for _, v := range z {
		d := bounded(v) - top
		p := math.Exp(b * d)
		sum += p
		first += p * d
		second += p * d * d
	}
	first /= sum
	return top + first, second/sum - first*first
}

// FitTemperature returns the temperature between e⁻⁷ and e⁷ that minimizes a unimodal loss, to seven digits.
func FitTemperature(loss func(t float64) float64) float64 {
	return math.Exp(optim.Golden(-7, 7, 1e-7, func(v float64) float64 { return loss(math.Exp(v)) }))
}

// bounded keeps a log-probability of zero from making sums infinite.
func bounded(z float64) float64 { return math.Max(z, -1000) }

// softmax writes exp(b z)/Σ exp(b z).
func softmax(p, z []float64, b float64) {
	sum := 0.0
	top := bounded(z[floats.MaxIdx(z)])
	for k, v := range z {
		p[k] = math.Exp(b * (bounded(v) - top))
		sum += p[k]
	}
	for k := range p {
		p[k] /= sum
	}
}

// Temper returns the log-probabilities at temperature T. It panics unless T > 0.
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

// CalibrationFloor returns the expected [CalibrationError] of these probabilities under perfect calibration: with few
// observations per bin, accuracy and confidence differ by chance. An error close to this floor is consistent with
// perfect calibration. For bin b, by the normal approximation for its |b| decisions,
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
		p := math.Exp(row[floats.MaxIdx(row)])
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
