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
		x := w.load(e, slotA, a, n*n, first, valid)
		z := w.slot(slotB, n*n*lanes)
		d := w.slot(slotValues, n*lanes)
		e.eigen(w, z, d, x, n)
		if positive {
			w.requirePositive(d, lanes, valid)
		}
		for t, v := range d {
			if k := t % lanes; k < valid && w.status[k].reason == 0 {
				d[t] = f(v)
			}
		}
		out := w.slot(slotC, n*n*lanes)
		for j := range n {
			row := z[j*n*lanes : (j+1)*n*lanes]
			for t, v := range row {
				x[j*n*lanes+t] = v * d[j*lanes+t%lanes]
			}
		}
		w.multiply(e, out, x, z, n, true, false, symmetric)
		w.store(e, dst, out, n*n, first, valid)
		err = w.merge(err, first, valid)
	}
	return err
}
