package small

// Function computes V diag(f(λ)) V' for each symmetric matrix V diag(λ) V' of the
// batch: A, of which the lower triangle is read, or L A L' where l, an n×n matrix that
// serves the whole batch, is not nil; then both triangles are. f replaces the eigenvalues
// of matrix k, which come in no order; it is not called for one that failed. The result
// is symmetric to the bit; dst may be a. The error is a *Error, NotFinite or
// NoConvergence. It is faster than Eigen and Rebuild: eigenvectors stay in their lanes.
func (w *Workspace) Function(dst, l, a []float64, n, count int, f func(k int, values []float64)) error {
	need(n*n, count, len(dst), len(a))
	e := w.use(n)
	lanes := e.lanes()
	var left []float64
	known := structure(0)
	if l != nil && count > 0 {
		need(n*n, 1, len(l))
		left = w.loadShared(e, l, n*n)
		if isLower(l, n) {
			known = lowerA
		}
	}
	var err error
	for first := 0; first < count; first += lanes {
		valid := min(lanes, count-first)
		w.begin()
		z := w.load(e, slotA, a, n*n, first, valid)
		if left != nil {
			w.congruence(e, z, left, n, known)
		}
		d := w.slot(slotValues, n*lanes)
		e.eigen(w, d, z, n, true)
		w.mapValues(d, n, lanes, first, valid, f)
		x, out := w.slot(slotB, n*n*lanes), w.slot(slotC, n*n*lanes)
		e.scaleRows(x, z, d, n)
		w.multiply(e, out, x, z, n, true, false, symmetric)
		w.store(e, dst, out, n*n, first, valid)
		err = w.merge(err, first, valid)
	}
	return err
}

// mapValues applies f to the eigenvalues of the lanes that are well.
func (w *Workspace) mapValues(d []float64, n, lanes, first, valid int, f func(k int, values []float64)) {
	one := w.slot(slotOrder, n)
	for k := range valid {
		if w.status[k].reason != 0 {
			continue
		}
		for j := range n {
			one[j] = d[j*lanes+k]
		}
		f(first+k, one)
		for j, v := range one {
			d[j*lanes+k] = v
		}
	}
}
