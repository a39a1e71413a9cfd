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

// Larger replaces each value of y by the value of x at the same index if the latter is larger. x must be at least as
// long as y. If either value is NaN, the result may be either of them.
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

// Standardize replaces each row of X, which is row-major with len(shift) columns, by (row - shift) scale, and writes
// its squared norm to squares, one value per row.
func Standardize(squares, x, shift []float64, scale float64) {
	n := len(shift)
	if n == 0 {
		clear(squares)
		return
	}
	var sums [16][8]float64
	for len(squares) > 0 {
		rows, whole := min(len(squares), len(sums)), 0
		part := x[:rows*n]
		if haveKernels && n >= 8 {
			whole = n &^ 7
			standardize(rows, whole, 8*(n-whole), scale, &shift[0], &part[0], &sums[0])
		}
		for i := range rows {
			sum := &sums[i]
			if whole == 0 {
				*sum = [8]float64{}
			}
			for j := whole; j < n; j++ {
				v := (part[i*n+j] - shift[j]) * scale
				part[i*n+j] = v
				sum[j&7] += v * v
			}
			squares[i] = sumLanes(sum)
		}
		squares, x = squares[rows:], x[rows*n:]
	}
}
