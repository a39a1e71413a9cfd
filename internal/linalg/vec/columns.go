package vec

// On a matrix with few columns, the kernels process eight rows at a time. Eight rows of k values fill k vectors of
// eight values, for any k. The second operand is one row of 8k values: the sums so far, or the factors repeated eight
// times.
const (
	rowsAtATime = 8
	widest      = 32
)

// ColumnDots writes to dst the inner product of every column of X with the same column of Y. Both matrices are
// row-major with len(dst) columns and the same number of rows, len(x)/len(dst).
func ColumnDots(dst, x, y []float64) {
	k := len(dst)
	if k == 0 {
		return
	}
	x = x[:len(x)/k*k]
	y = y[:len(x)]
	if !haveKernels || k > widest || len(x) < rowsAtATime*k {
		clear(dst)
		columnDots(dst, x, y)
		return
	}
	var space [rowsAtATime * widest]float64
	sums := space[:rowsAtATime*k]
	blocks := len(x) / len(sums)
	productBlocks(blocks, len(sums), &x[0], &y[0], &sums[0], 8*len(sums), 8*len(sums), 0)
	columnDots(sums, x[blocks*len(sums):], y[blocks*len(sums):])
	copy(dst, sums)
	for lo := k; lo < len(sums); lo += k {
		for j, v := range sums[lo : lo+k] {
			dst[j] += v
		}
	}
}

// columnDots adds products value by value, and restarts at the first sum after the last.
func columnDots(sums, x, y []float64) {
	for len(x) > 0 {
		n := min(len(sums), len(x))
		a, b, c := x[:n], y[:n], sums[:n]
		for j, v := range a {
			c[j] += v * b[j]
		}
		x, y = x[n:], y[n:]
	}
}

// AxpyColumns adds alpha_j times column j of X to column j of Y, for every j. Both matrices are row-major with
// len(alpha) columns and the same number of rows, len(y)/len(alpha).
func AxpyColumns(y, alpha, x []float64) {
	k := len(alpha)
	if k == 0 {
		return
	}
	y = y[:len(y)/k*k]
	x = x[:len(y)]
	if !haveKernels || k > widest || len(y) < rowsAtATime*k {
		axpyColumns(y, alpha, x)
		return
	}
	var space [rowsAtATime * widest]float64
	factors := space[:rowsAtATime*k]
	for lo := 0; lo < len(factors); lo += k {
		copy(factors[lo:], alpha)
	}
	blocks := len(y) / len(factors)
	productBlocks(blocks, len(factors), &factors[0], &x[0], &y[0], 0, 8*len(factors), 8*len(factors))
	axpyColumns(y[blocks*len(factors):], factors, x[blocks*len(factors):])
}

// axpyColumns adds the elementwise product of factors and x to y. The factors repeat if x is longer.
func axpyColumns(y, factors, x []float64) {
	for len(y) > 0 {
		n := min(len(factors), len(y))
		a, b, c := factors[:n], x[:n], y[:n]
		for j, v := range a {
			c[j] += v * b[j]
		}
		x, y = x[n:], y[n:]
	}
}
