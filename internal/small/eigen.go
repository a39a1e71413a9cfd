package small

import "math"

// Eigen decomposes each symmetric matrix,
//
//	A = V diag(values) V',  V'V = I,
//
// eigenvalues ascending in values (count×n), eigenvectors as columns: that of
// values[k*n+j] is vectors[k*n*n+i*n+j] over i. Only the lower triangle of A is
// read; vectors may be a. The sign of an eigenvector is arbitrary but
// reproducible. Matrices are scaled against overflow. The error is a *Error,
// NotFinite or NoConvergence.
func (w *Workspace) Eigen(values, vectors, a []float64, n, count int) error {
	need(n*n, count, len(vectors), len(a))
	need(n, count, len(values))
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
		w.storeSorted(e, values, vectors, d, z, n, first, valid)
		err = w.merge(err, first, valid)
	}
	return err
}

// EigenValues computes the eigenvalues of each symmetric matrix, ascending, into
// values (count×n). Only the lower triangle is read. Errors are those of Eigen.
func (w *Workspace) EigenValues(values, a []float64, n, count int) error {
	need(n*n, count, len(a))
	need(n, count, len(values))
	e := w.use(n)
	lanes := e.lanes()
	var err error
	for first := 0; first < count; first += lanes {
		valid := min(lanes, count-first)
		w.begin()
		x := w.load(e, slotA, a, n*n, first, valid)
		d := w.slot(slotValues, n*lanes)
		e.eigen(w, nil, d, x, n)
		w.storeSorted(e, values, nil, d, nil, n, first, valid)
		err = w.merge(err, first, valid)
	}
	return err
}

// Generalized solves each pair's generalised eigenproblem
//
//	A V = B V diag(values),  V'BV = I,
//
// A symmetric (both triangles are read), B positive definite (lower triangle),
// eigenvalues ascending in values (count×n), eigenvectors as columns of vectors.
// vectors may be a or b. The error is a *Error: NotPositiveDefinite speaks of B,
// NotFinite of either.
func (w *Workspace) Generalized(values, vectors, a, b []float64, n, count int) error {
	need(n*n, count, len(vectors), len(a), len(b))
	need(n, count, len(values))
	e := w.use(n)
	lanes := e.lanes()
	var err error
	for first := 0; first < count; first += lanes {
		valid := min(lanes, count-first)
		w.begin()
		l := w.load(e, slotA, b, n*n, first, valid)
		w.factor(e, l, n, valid)
		w.suspect(b, n, first, valid)
		li := w.slot(slotD, n*n*lanes)
		e.invertLower(li, l, n)
		x := w.load(e, slotA, a, n*n, first, valid)
		w.congruence(e, x, li, n, lowerA)
		z := w.slot(slotB, n*n*lanes)
		d := w.slot(slotValues, n*lanes)
		e.eigen(w, z, d, x, n)
		// Rows of z are eigenvectors u of the whitened A; those of the pair are
		// L'⁻¹u, as rows u' L⁻¹.
		w.multiply(e, x, z, li, n, false, false, 0)
		w.storeSorted(e, values, vectors, d, x, n, first, valid)
		err = w.merge(err, first, valid)
	}
	return err
}

// WhitenedEigen decomposes each symmetric matrix after a congruence,
//
//	L A L' = U diag(values) U',  U'U = I,
//
// where L is the inverse Cholesky factor of another matrix, so that values solve
// the generalised problem of the two. With shared, the one n×n matrix l serves the
// whole batch; otherwise l holds one a matrix. L must be lower triangular with
// zeros above its diagonal; both triangles of A are read. values is count×n,
// ascending; vectors may be a. Errors are those of Eigen.
func (w *Workspace) WhitenedEigen(values, vectors, l, a []float64, n, count int, shared bool) error {
	w.needFactor(n, count, l, shared, len(vectors), len(a))
	need(n, count, len(values))
	e := w.use(n)
	lanes := e.lanes()
	var left []float64
	if shared && count > 0 {
		left = w.loadShared(e, l, n*n)
	}
	var err error
	for first := 0; first < count; first += lanes {
		valid := min(lanes, count-first)
		w.begin()
		if !shared {
			left = w.load(e, slotB, l, n*n, first, valid)
		}
		x := w.load(e, slotA, a, n*n, first, valid)
		w.congruence(e, x, left, n, lowerA)
		z := w.slot(slotB, n*n*lanes)
		d := w.slot(slotValues, n*lanes)
		e.eigen(w, z, d, x, n)
		w.storeSorted(e, values, vectors, d, z, n, first, valid)
		err = w.merge(err, first, valid)
	}
	return err
}

// storeSorted writes the eigenvalues of a group to values, ascending, and its
// eigenvectors, rows of z, to the columns of vectors, unless z is nil.
func (w *Workspace) storeSorted(e engine, values, vectors, d, z []float64, n, first, valid int) {
	lanes := e.lanes()
	order := w.slot(slotOrder, n)
	for k := range valid {
		dst := values[(first+k)*n : (first+k+1)*n]
		if w.status[k].reason != 0 {
			fillNaN(dst)
			if z != nil {
				fillNaN(vectors[(first+k)*n*n : (first+k+1)*n*n])
			}
			continue
		}
		sortLane(dst, order, d[k:], lanes)
		if z != nil {
			storeColumns(vectors[(first+k)*n*n:(first+k+1)*n*n], z[k:], order, n, lanes)
		}
	}
}

// sortLane writes the values of one lane to dst, ascending, and the row that each
// came from to order. Equal values keep their order.
func sortLane(dst, order, d []float64, lanes int) {
	for i := range dst {
		v := d[i*lanes] + 0 // no negative zero
		j := i
		for ; j > 0 && dst[j-1] > v; j-- {
			dst[j], order[j] = dst[j-1], order[j-1]
		}
		dst[j], order[j] = v, float64(i)
	}
}

// storeColumns writes the rows of one lane of z, in the given order, to the
// columns of dst.
func storeColumns(dst, z, order []float64, n, lanes int) {
	for j, from := range order[:n] {
		src := z[int(from)*n*lanes:]
		for i := range n {
			dst[i*n+j] = src[i*lanes] + 0
		}
	}
}

func fillNaN(x []float64) {
	for i := range x {
		x[i] = math.NaN()
	}
}
