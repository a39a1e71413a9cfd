package vec

// AddRows adds to y the sum of the rows of A, each times its weight: y += A'w. A is
// row-major with leading dimension lda, len(w) rows and len(y) columns.
func AddRows(y, w, a []float64, lda int) {
	if len(w) == 0 || len(y) == 0 {
		return
	}
	a = a[:(len(w)-1)*lda+len(y)]
	whole := 0
	if haveKernels && len(y) >= 8 {
		whole = len(y) &^ 7
		addRows(len(w), whole, 8*lda, &w[0], &a[0], &y[0])
	}
	if whole == len(y) {
		return
	}
	rest := y[whole:]
	for k, v := range w {
		row := a[k*lda+whole:]
		for j := range rest {
			rest[j] += v * row[j]
		}
	}
}
