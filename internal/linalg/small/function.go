package small

// Function computes f(A) = V diag(f(λ)) V' for each symmetric A = V diag(λ) V',
// of which the lower triangle is read. With positive, an eigenvalue that is not
// positive is an error (for logarithms and inverse roots). The result is symmetric
// to the bit; dst may be a. The error is a *Error: NotPositiveDefinite with the
// offending eigenvalue, NotFinite or NoConvergence.
func (w *Workspace) Function(dst, a []float64, n, count int, positive bool, f func(float64) float64) error {
	need(n*n, count, len(dst), len(a))
	e := w.use(n)
	lanes := e.lanes()
	var err error
	for first := 0; first < count; first += lanes {
		valid := min(lanes, count-first)
		w.begin()
		z := w.load(e, slotA, a, n*n, first, valid)
		d := w.slot(slotValues, n*lanes)
		e.eigen(w, d, z, n, true)
		if positive {
			w.requirePositive(d, lanes, valid)
		}
		w.mapValues(d, lanes, valid, f)
		x, out := w.slot(slotB, n*n*lanes), w.slot(slotC, n*n*lanes)
		for j := range n {
			for i := range n {
				at := (j*n + i) * lanes
				scale(x[at:at+lanes], z[at:], d[j*lanes:])
			}
		}
		w.multiply(e, out, x, z, n, true, false, symmetric)
		w.store(e, dst, out, n*n, first, valid)
		err = w.merge(err, first, valid)
	}
	return err
}

// mapValues applies f to the eigenvalues of the lanes that are well.
func (w *Workspace) mapValues(d []float64, lanes, valid int, f func(float64) float64) {
	for k := range valid {
		if w.status[k].reason != 0 {
			continue
		}
		for t := k; t < len(d); t += lanes {
			d[t] = f(d[t])
		}
	}
}
