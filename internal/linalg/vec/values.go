package vec

// Times multiplies y by x, value by value; x must be at least as long as y.
func Times(y, x []float64) {
	x = x[:len(y)]
	i := 0
	if len(y) >= shortest && haveKernels {
		i = len(y) &^ 7
		timesEights(i, &x[0], &y[0])
	}
	for ; i < len(y); i++ {
		y[i] *= x[i]
	}
}

// Larger replaces each value of y by that of x where x is larger; x must be at least as long as y.
// Where one of the two is no number, either may be left.
func Larger(y, x []float64) {
	x = x[:len(y)]
	i := 0
	if len(y) >= shortest && haveKernels {
		i = len(y) &^ 7
		largerEights(i, &x[0], &y[0])
	}
	for ; i < len(y); i++ {
		y[i] = max(y[i], x[i])
	}
}

// Standardize replaces each row of X, which is row-major with len(shift) columns, by
// (row - shift) scale.
func Standardize(x, shift []float64, scale float64) {
	n := len(shift)
	if n == 0 {
		return
	}
	x = x[:len(x)/n*n]
	whole := 0
	if haveKernels && n >= 8 && len(x) > 0 {
		whole = n &^ 7
		standardize(len(x)/n, whole, n-whole, scale, &shift[0], &x[0])
	}
	for ; len(x) > 0 && whole < n; x = x[n:] {
		for j := whole; j < n; j++ {
			x[j] = (x[j] - shift[j]) * scale
		}
	}
}
