package vec

import "math"

// NormalizeColumns divides every column of a matrix with k columns by its Euclidean norm. Columns of zeros do not
// change.
func NormalizeColumns(x []float64, k int) {
	for j := range k {
		var s float64
		for i := j; i < len(x); i += k {
			s += x[i] * x[i]
		}
		if s = math.Sqrt(s); s > 0 {
			for i := j; i < len(x); i += k {
				x[i] /= s
			}
		}
	}
}
