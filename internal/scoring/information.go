package scoring

import "math"

// WolpawBits returns the information in bits of one decision among the given number of classes with accuracy p:
//
//	B = log₂ N + p log₂ p + (1−p) log₂((1−p)/(N−1))
//
// (Wolpaw and others 1998). The formula assumes equally frequent classes and equally likely errors. Below the chance
// level 1/N, where the formula rises again, WolpawBits returns 0. It returns NaN for fewer than two classes or a p that
// is not between 0 and 1.
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

// ConfusionBits returns the mutual information in bits between the true class and the decision, from a confusion matrix
// with true classes i in rows and decisions j in columns:
//
//	I = Σ_ij p_ij log₂(p_ij / (p_i p_j))
//
// It does not assume equally frequent classes or equally likely errors, and systematic errors carry information too.
// With few observations it is biased upwards, by about (r−1)(c−1) / (2 N ln 2) bits if r classes and c different
// decisions occur. It returns NaN without observations.
func ConfusionBits[T number](confusion [][]T) float64 {
	rows, columns, total := margins(confusion)
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

// perMinute converts bits per decision to bits per minute. The result is NaN if seconds is not positive.
func perMinute(bits, seconds float64) float64 {
	if seconds <= 0 {
		return math.NaN()
	}
	return bits * 60 / seconds
}
