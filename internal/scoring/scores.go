package scoring

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// CalibrationBins is the number of bins (k/15, (k+1)/15] of the expected calibration error
//
//	ECE = Σ_b (|b|/N) |accuracy(b) - mean confidence(b)|
//
// The bins divide the largest probability of each row (Guo et al. 2017, equation 3).
const CalibrationBins = 15

// minLogProbability limits the loss of one observation. It is the logarithm of 2⁻⁵², the distance from 1 to the next
// float64. A true class with probability zero costs this much instead of infinity.
var minLogProbability = math.Log(0x1p-52)

// number is a count or a sum of weights, in a confusion matrix.
type number interface{ int | float64 }

func squares(c int) [][]float64 {
	out := make([][]float64, c)
	for i := range out {
		out[i] = make([]float64, c)
	}
	return out
}

// agreements returns the accuracy, Cohen's kappa and the balanced accuracy of a confusion matrix.
func agreements[T number](confusion [][]T) (accuracy, kap, mean float64) {
	var right, all T
	for i, row := range confusion {
		right += row[i]
		for _, v := range row {
			all += v
		}
	}
	return float64(right) / float64(all), kappa(confusion), balanced(confusion)
}

// confusionOf returns a c×c matrix that counts how often true class i (row) was decided as class j (column). It
// panics with mat.ErrShape if the lengths differ, and with an index error if a label is outside 0..c-1.
func confusionOf(truth, predicted []int, c int) [][]int {
	if len(truth) != len(predicted) {
		panic(mat.ErrShape)
	}
	flat := make([]int, c*c)
	out := make([][]int, c)
	for i := range out {
		out[i] = flat[i*c : (i+1)*c : (i+1)*c]
	}
	for i, t := range truth {
		out[t][predicted[i]]++
	}
	return out
}

// BalancedAccuracy returns the mean recall over the classes that occur among the true labels, so rare classes count
// as much as frequent ones. Labels must be in 0..c-1. It panics with mat.ErrShape if the lengths differ.
func BalancedAccuracy(truth, predicted []int, c int) float64 {
	return balanced(confusionOf(truth, predicted, c))
}

func balanced[T number](confusion [][]T) float64 {
	sum, classes := 0.0, 0
	for i, row := range confusion {
		var total T
		for _, v := range row {
			total += v
		}
		if total > 0 {
			sum += float64(row[i]) / float64(total)
			classes++
		}
	}
	return sum / float64(classes)
}

// Kappa returns Cohen's kappa, the agreement corrected for chance:
//
//	κ = (p_o - p_e) / (1 - p_e),  p_e = Σ_k row_k column_k / N²
//
// (Cohen 1960, equation 1). If all true labels and all decisions are the same class, 1 - p_e = 0 and kappa is
// undefined; Kappa then returns zero. Labels must be in 0..c-1. It panics with mat.ErrShape if the lengths differ.
func Kappa(truth, predicted []int, c int) float64 {
	return kappa(confusionOf(truth, predicted, c))
}

func kappa[T number](confusion [][]T) float64 {
	po, pe := agreement(confusion)
	if pe >= 1 {
		return 0
	}
	return (po - pe) / (1 - pe)
}

// margins returns the sums of the rows, of the columns, and of all values.
func margins[T number](confusion [][]T) (rows, cols []float64, total float64) {
	rows, cols = make([]float64, len(confusion)), make([]float64, len(confusion))
	for i, row := range confusion {
		for j, v := range row {
			rows[i] += float64(v)
			cols[j] += float64(v)
			total += float64(v)
		}
	}
	return rows, cols, total
}

// agreement returns the observed agreement and the agreement expected by chance.
func agreement[T number](confusion [][]T) (po, pe float64) {
	rows, cols, total := margins(confusion)
	diagonal := 0.0
	for k := range confusion {
		diagonal += float64(confusion[k][k])
		pe += (rows[k] / total) * (cols[k] / total)
	}
	return diagonal / total, pe
}
