package small

import "rao/internal/linalg/vec"

// Function computes V diag(f(λ)) V' for each symmetric matrix V diag(λ) V' of the batch. That matrix is A or, if l is
// not nil, L A L' with one n×n matrix L for the complete batch. Without l, only the lower triangle of A is read. f
// replaces the eigenvalues of matrix k, which are in no particular order; it is not called for a matrix that failed.
// The result is exactly symmetric; dst may be a. The error is a *Error, NotFinite or NoConvergence. Function is
// faster than Eigen and Rebuild, because eigenvectors stay in their lanes.
func (w *Workspace) Function(dst, l, a []float64, n, count int, f func(k int, values []float64)) error {
	need(n*n, count, len(dst))
	change := func(e engine, d []float64, first, valid int) { w.mapValues(d, n, e.lanes(), first, valid, f) }
	return w.functions(l, a, n, count, change, func(e engine, out []float64, first, valid int) {
		w.store(e, dst, out, n*n, first, valid)
	})
}

// AddLogarithms is Function for logarithms: f receives the logarithms of the eigenvalues, which it may change, and the
// sum of their squares. Eigenvalues without a finite logarithm give a NaN or an infinity. The results are added to sum,
// n×n, each multiplied by its weight unless weights is nil. dst may be nil, which is faster. After an error the
// contents of sum are undefined.
func (w *Workspace) AddLogarithms(sum, weights, dst, l, a []float64, n, count int,
	f func(k int, logs []float64, squares float64)) error {
	need(n*n, 1, len(sum))
	if dst != nil {
		need(n*n, count, len(dst))
	}
	var squares [maxLanes]float64
	logarithms := func(e engine, d []float64, first, valid int) {
		s := w.slot(slotOrder, n+maxLanes)[n:]
		e.logSquares(s, d, n)
		copy(squares[:], s)
		w.mapValues(d, n, e.lanes(), first, valid, func(k int, logs []float64) { f(k, logs, squares[k-first]) })
	}
	e := w.use(n)
	lanes, groups := e.lanes(), 0
	var totals []float64 // in each lane, for each of the groups that take turns
	err := w.functions(l, a, n, count, logarithms, func(e engine, out []float64, first, valid int) {
		if dst != nil {
			w.store(e, dst, out, n*n, first, valid)
		}
		if weights != nil {
			x := w.slot(slotB, len(out))
			e.scaleRows(x, out, w.inLanes(e, weights[first:first+valid], n), n)
			out = x
		}
		if totals == nil {
			totals = w.slot(slotD, turns(lanes)*len(out))
			clear(totals)
		}
		at := groups % turns(lanes) * len(out)
		vec.Axpy(totals[at:at+len(out)], 1, out)
		groups++
	})
	if totals != nil {
		addLanes(sum[:n*n], totals, lanes)
	}
	return err
}

// turns returns the number of sets of totals to which successive groups of matrices are added in turn. With two sets,
// groups of four matrices give the same eight totals as groups of eight, added in the same order.
func turns(lanes int) int {
	if lanes == maxLanes/2 {
		return 2
	}
	return 1
}

// addLanes adds the totals of all lanes to each value of sum. Eight lanes are added in independent pairs.
func addLanes(sum, totals []float64, lanes int) {
	second := totals[len(totals)-len(sum)*lanes:]
	for i := range sum {
		v, u := totals[i*lanes:(i+1)*lanes], second[i*lanes:(i+1)*lanes]
		switch lanes {
		case maxLanes:
			sum[i] += ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]))
		case maxLanes / 2:
			sum[i] += ((v[0] + v[1]) + (v[2] + v[3])) + ((u[0] + u[1]) + (u[2] + u[3]))
		default:
			for _, x := range v {
				sum[i] += x
			}
		}
	}
}

// inLanes returns the value of each lane repeated n times, with zeros for lanes without a matrix.
func (w *Workspace) inLanes(e engine, values []float64, n int) []float64 {
	lanes := e.lanes()
	out := w.slot(slotValues, n*lanes)
	clear(out[copy(out, values):lanes])
	for i := lanes; i < len(out); i += lanes {
		copy(out[i:], out[:lanes])
	}
	return out
}

// functions computes the results of Function and passes them to each, one interleaved group at a time. change replaces
// the eigenvalues. A lane without a matrix contains zeros.
func (w *Workspace) functions(l, a []float64, n, count int, change func(e engine, d []float64, first, valid int),
	each func(e engine, out []float64, first, valid int)) error {
	need(n*n, count, len(a))
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
		change(e, d, first, valid)
		x, out := w.slot(slotB, n*n*lanes), w.slot(slotC, n*n*lanes)
		e.scaleRows(x, z, d, n)
		w.multiply(e, out, x, z, n, true, false, symmetric)
		each(e, out, first, valid)
		err = w.merge(err, first, valid)
	}
	return err
}

// mapValues applies f to the eigenvalues of lanes that have not failed, and sets the eigenvalues of lanes without a
// matrix to zero.
func (w *Workspace) mapValues(d []float64, n, lanes, first, valid int, f func(k int, values []float64)) {
	for k := valid; k < lanes; k++ {
		for j := range n {
			d[j*lanes+k] = 0
		}
	}
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
