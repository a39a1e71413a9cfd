package eig

import (
	"math"

	"rao/internal/linalg/dense"
	"rao/internal/linalg/vec"
)

const (
	// panel is the number of reflections that are made before they are applied to the rest of the matrix.
	panel = 32
	// stripe is the number of rows of a triangle that are updated at a time.
	stripe = 64
)

// tridiagonalizeBlocked is tridiagonalize for large matrices, following Dongarra, Hammarling and Sorensen (1989).
// Within a panel of rows, reflections are kept as pairs u, w with HAH = A - u w' - w u'. One product of matrices then
// applies all of them to the rows before the panel. Both triangles of the leading block are stored, so A u is read
// along its rows.
func tridiagonalizeBlocked(h, e, a []float64, n int, space []float64) {
	for i := range n {
		for j, v := range a[i*n : i*n+i] {
			a[j*n+i] = v
		}
	}
	pairs := space[:panel*n]
	for hi := n; hi > 0; hi -= panel {
		lo := max(hi-panel, 0)
		for i := hi - 1; i >= lo; i-- {
			w := pairs[(i-lo)*n : (i-lo+1)*n]
			row := a[i*n : i*n+i+1]
			var alongU, alongW [panel]float64
			for k := i + 1; k < hi; k++ {
				alongU[k-i-1], alongW[k-i-1] = -a[k*n+i], -pairs[(k-lo)*n+i]
			}
			addPairs(row, alongU[:hi-i-1], alongW[:hi-i-1], a, pairs, n, lo, i)
			e[i], h[i] = reflector(row[:i])
			if h[i] == 0 {
				clear(w)
				continue
			}
			pairOf(w[:i], row[:i], a, pairs, h[i], n, lo, i, hi)
		}
		subtractPairs(a, pairs, n, lo, hi)
	}
}

// reflector replaces u by the vector of the reflection I - u u'/h that maps it to e times its last unit vector. It
// returns e and h; h is 0 if no reflection is needed.
func reflector(u []float64) (e, h float64) {
	last := len(u) - 1
	if last < 0 {
		return 0, 0
	}
	alpha := u[last]
	sum := vec.Dot(u[:last], u[:last])
	if sum < negligible {
		return alpha, 0
	}
	sum += alpha * alpha
	g := -math.Copysign(math.Sqrt(sum), alpha)
	u[last] = alpha - g
	return g, sum - alpha*g
}

// pairOf computes w for the reflection u of row i: w = p - (u'p/2h) u with p = A u/h, where A is the leading block of
// order i after the reflections of rows i+1 to hi-1.
func pairOf(w, u, a, pairs []float64, h float64, n, lo, i, hi int) {
	times(w, a, u, n)
	var alongU, alongW [panel]float64
	for k := i + 1; k < hi; k++ {
		alongU[k-i-1] = -vec.Dot(a[k*n:k*n+i], u)
		alongW[k-i-1] = -vec.Dot(pairs[(k-lo)*n:(k-lo)*n+i], u)
	}
	addPairs(w, alongU[:hi-i-1], alongW[:hi-i-1], a, pairs, n, lo, i)
	for j := range w {
		w[j] /= h
	}
	vec.Axpy(w, -vec.Dot(w, u)/(2*h), u)
}

// addPairs adds to x two weighted sums over the rows after i: their w, weighted by alongU, and their u, weighted by
// alongW.
func addPairs(x, alongU, alongW, a, pairs []float64, n, lo, i int) {
	if len(alongU) == 0 {
		return
	}
	vec.AddRows(x, alongU, pairs[(i+1-lo)*n:], n)
	vec.AddRows(x, alongW, a[(i+1)*n:], n)
}

// times computes p = A u for the leading block of order len(p) of a symmetric A with leading dimension n. Groups of
// eight columns are summed down the rows. Each of the last few columns equals a row, so times computes the dot product
// of that row with u.
func times(p, a, u []float64, n int) {
	clear(p)
	whole := len(p) &^ 7
	vec.AddRows(p[:whole], u, a, n)
	for j := whole; j < len(p); j++ {
		p[j] = vec.Dot(u, a[j*n:j*n+len(u)])
	}
}

// subtractPairs subtracts U'W + W'U, the pairs of rows lo to hi-1, from the leading block of order lo.
func subtractPairs(a, pairs []float64, n, lo, hi int) {
	for from := 0; from < lo; from += stripe {
		rows, cols := min(stripe, lo-from), lo-from
		u, w, c := a[lo*n+from:], pairs[from:], a[from*n+from:]
		dense.Gemm(true, false, rows, cols, hi-lo, -1, u, n, w, n, 1, c, n)
		dense.Gemm(true, false, rows, cols, hi-lo, -1, w, n, u, n, 1, c, n)
	}
	if lo > 0 {
		dense.Mirror(lo, a, n)
	}
}

// accumulateBlocked is accumulate for large matrices. A panel of reflections is one product in compact form (Schreiber
// and Van Loan 1989),
//
//	H(lo) H(lo+1) ... H(hi-1) = I - Y' T Y,
//
// where the rows of Y are the vectors u and T is upper triangular.
func accumulateBlocked(h, a []float64, n int, space []float64) {
	y, space := space[:panel*n], space[panel*n:]
	zy, space := space[:panel*n], space[panel*n:]
	zyt, t := space[:panel*n], space[panel*n:][:panel*panel]
	for lo := 0; lo < n; lo += panel {
		hi := min(lo+panel, n)
		k := hi - lo
		for i := lo; i < hi; i++ {
			row := y[(i-lo)*n : (i-lo)*n+hi]
			copy(row, a[i*n:i*n+i])
			clear(row[i:])
		}
		compact(t, y, h[lo:hi], n, hi)
		for i := lo; i < hi; i++ {
			h[i] = a[i*n+i]
			clear(a[i*n : i*n+hi])
			a[i*n+i] = 1
		}
		for i := range lo {
			clear(a[i*n+lo : i*n+hi])
		}
		dense.Gemm(false, true, hi, k, hi, 1, a, n, y, n, 0, zy, panel)
		dense.Gemm(false, false, hi, k, k, 1, zy, panel, t, panel, 0, zyt, panel)
		dense.Gemm(false, false, hi, hi, k, -1, zyt, panel, y, n, 1, a, n)
	}
}

// compact computes T for the reflections in the first m values of the rows of y.
func compact(t, y, h []float64, n, m int) {
	clear(t)
	var along [panel]float64
	for j, hj := range h {
		if hj == 0 {
			continue
		}
		u := y[j*n : j*n+m]
		for l := range j {
			along[l] = vec.Dot(y[l*n:l*n+m], u)
		}
		for l := range j {
			sum := 0.0
			for k := l; k < j; k++ {
				sum += t[l*panel+k] * along[k]
			}
			t[l*panel+j] = -sum / hj
		}
		t[j*panel+j] = 1 / hj
	}
}
