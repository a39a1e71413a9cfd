package evaluate

import "math"

// WolpawBits returns the information in one decision among so many classes whose accuracy is p, in bits:
//
//	B = log₂ N + p log₂ p + (1−p) log₂((1−p)/(N−1))
//
// (Wolpaw and others 1998). The formula holds for classes that are equally frequent and errors that are equally
// likely. It is 0 for an accuracy at chance, 1/N, or below, where the formula would rise again. It returns NaN for
// fewer than two classes or a p that is not between 0 and 1.
func WolpawBits(p float64, classes int) float64 {
	n := float64(classes)
	switch {
	case classes < 2 || !(p >= 0 && p <= 1):
		return math.NaN()
	case p <= 1/n:
		return 0
	case p == 1:
		return math.Log2(n)
	}
	return math.Log2(n) + p*math.Log2(p) + (1-p)*math.Log2((1-p)/(n-1))
}

// ConfusionBits returns the mutual information between the true class and the decision in bits, from how often true
// class i (row) was decided as j (column):
//
//	I = Σ_ij p_ij log₂(p_ij / (p_i p_j))
//
// It assumes neither equal classes nor equal errors, and a decision that is wrong in a regular way carries
// information too. With few observations it is too high: by about (r−1)(c−1) / (2 N ln 2) bits for r classes and c
// kinds of decisions that occur. It returns NaN where nothing was counted.
func ConfusionBits(confusion [][]int) float64 { return confusionBits(confusion) }

func confusionBits[T number](confusion [][]T) float64 {
	rows, columns, total := make([]float64, len(confusion)), make([]float64, len(confusion)), 0.0
	for i, row := range confusion {
		for j, v := range row {
			rows[i] += float64(v)
			columns[j] += float64(v)
			total += float64(v)
		}
	}
	bits := 0.0
	for i, row := range confusion {
		for j, v := range row {
			if v > 0 {
				bits += float64(v) / total * math.Log2(float64(v)*total/(rows[i]*columns[j]))
			}
		}
	}
	if total == 0 {
		return math.NaN()
	}
	return max(0, bits)
}

// perMinute turns bits per decision into bits per minute, NaN where the time of a decision is not known.
func perMinute(bits, seconds float64) float64 {
	if seconds <= 0 {
		return math.NaN()
	}
	return bits * 60 / seconds
}
