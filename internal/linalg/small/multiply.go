package small

import "rao/internal/linalg/vec"

// Mul computes C = op(A) op(B) for each pair of n×n matrices. op(A) is A' if transA is set, and op(B) is B' if transB
// is set. c may be a or b. It costs n³ multiplications per matrix.
func (w *Workspace) Mul(c, a, b []float64, transA, transB bool, n, count int) {
	need(n*n, count, len(c), len(a), len(b))
	e := w.use(n)
	lanes := e.lanes()
	w.begin()
	for first := 0; first < count; first += lanes {
		valid := min(lanes, count-first)
		x := w.load(e, slotA, a, n*n, first, valid)
		y := w.load(e, slotB, b, n*n, first, valid)
		z := w.slot(slotC, n*n*lanes)
		w.multiply(e, z, x, y, n, transA, transB, 0)
		w.store(e, c, z, n*n, first, valid)
	}
}

// Congruence computes L A L' for each symmetric A; both triangles of A are read. The result is exactly symmetric.
// If shared is set, l is one n×n matrix for the complete batch; otherwise l has one per matrix. L may be any square
// matrix. A shared L that is lower triangular needs less than half the work. dst may be a or, if shared is not set, l.
func (w *Workspace) Congruence(dst, l, a []float64, n, count int, shared bool) {
	w.needFactor(n, count, l, shared, len(dst), len(a))
	e := w.use(n)
	lanes := e.lanes()
	w.begin()
	var left []float64
	known := structure(0)
	if shared && count > 0 {
		left = w.loadShared(e, l, n*n)
		if isLower(l, n) {
			known = lowerA
		}
	}
	for first := 0; first < count; first += lanes {
		valid := min(lanes, count-first)
		if !shared {
			left = w.load(e, slotB, l, n*n, first, valid)
		}
		x := w.load(e, slotA, a, n*n, first, valid)
		w.congruence(e, x, left, n, known)
		w.store(e, dst, x, n*n, first, valid)
	}
}

// congruence replaces a group of matrices A by L A L'. It overwrites slotC.
func (w *Workspace) congruence(e engine, a, l []float64, n int, known structure) {
	t := w.slot(slotC, n*n*e.lanes())
	w.multiply(e, t, l, a, n, false, false, known&lowerA)
	if known&lowerA != 0 {
		known = upperB
	}
	w.multiply(e, a, t, l, n, false, true, known|symmetric)
}

// needFactor checks the lengths for an operation with one factor, which is either shared or different for each matrix.
func (w *Workspace) needFactor(n, count int, l []float64, shared bool, squares ...int) {
	need(n*n, count, squares...)
	factors := count
	if shared {
		factors = min(count, 1)
	}
	need(n*n, factors, len(l))
}

func isLower(l []float64, n int) bool {
	for i := range n {
		for _, v := range l[i*n+i+1 : i*n+n] {
			if v != 0 {
				return false
			}
		}
	}
	return true
}

// Rebuild computes V diag(values) V' for each n×n V with one eigenvector per column. The result is symmetric to the
// bit. dst may be vectors. It costs n³/2 multiplications per matrix.
func (w *Workspace) Rebuild(dst, vectors, values []float64, n, count int) {
	need(n*n, count, len(dst), len(vectors))
	need(n, count, len(values))
	e := w.use(n)
	lanes := e.lanes()
	w.begin()
	for first := 0; first < count; first += lanes {
		valid := min(lanes, count-first)
		v := w.load(e, slotA, vectors, n*n, first, valid)
		d := w.load(e, slotValues, values, n, first, valid)
		t, out := w.slot(slotB, n*n*lanes), w.slot(slotC, n*n*lanes)
		copy(t, v)
		for i := range n {
			vec.Times(t[i*n*lanes:(i+1)*n*lanes], d)
		}
		w.multiply(e, out, t, v, n, false, true, symmetric)
		w.store(e, dst, out, n*n, first, valid)
	}
}
