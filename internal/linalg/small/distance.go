package small

import "math"

// LogSquaredDistances computes, for a lower triangular l with l B l' = I (the inverse Cholesky factor of B, zero above
// its diagonal) and each symmetric A of the batch, the squared affine-invariant distance from B,
//
//	δ²(A,B) = Σ log² λ,  λ the eigenvalues of l A l',
//
// into dst (count values). Both triangles of A are read. The error is a *Error: NotPositiveDefinite with the least
// eigenvalue of l A l', NotFinite or NoConvergence. This is the fastest way to compute distances, because it computes
// no eigenvectors.
func (w *Workspace) LogSquaredDistances(dst, l, a []float64, n, count int) error {
	w.needFactor(n, count, l, true, len(a))
	need(1, count, len(dst))
	if count == 0 {
		return nil
	}
	e := w.use(n)
	lanes := e.lanes()
	left := w.loadShared(e, l, n*n)
	var err error
	for first := 0; first < count; first += lanes {
		valid := min(lanes, count-first)
		w.begin()
		x := w.load(e, slotA, a, n*n, first, valid)
		w.congruence(e, x, left, n, lowerA)
		d := w.slot(slotValues, n*lanes)
		e.eigen(w, d, x, n, false)
		w.requirePositive(d, lanes, valid)
		sums := w.slot(slotOrder, lanes)
		e.logSquares(sums, d, n)
		copy(dst[first:first+valid], sums)
		w.spoil(dst[first:first+valid], 1, valid)
		err = w.merge(err, first, valid)
	}
	return err
}

// requirePositive marks lanes as failed if their least eigenvalue is not positive.
func (w *Workspace) requirePositive(d []float64, lanes, valid int) {
	for k := range valid {
		least := math.Inf(1)
		for t := k; t < len(d); t += lanes {
			least = math.Min(least, d[t])
		}
		if !(least > 0) {
			w.fail(k, NotPositiveDefinite, least)
		}
	}
}
