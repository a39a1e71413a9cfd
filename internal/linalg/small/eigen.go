package small

import "math"

// Eigen decomposes each symmetric matrix,
//
//	A = V diag(values) V',  V'V = I,
//
// with eigenvalues ascending in values (count×n) and eigenvectors as columns: the eigenvector of values[k*n+j] is
// vectors[k*n*n+i*n+j] over i. Only the lower triangle of A is read; vectors may be a. The sign of an eigenvector is
// arbitrary but reproducible. Matrices are scaled to avoid overflow. The error is a *Error, NotFinite or
// NoConvergence.
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
		d := w.slot(slotValues, n*lanes)
		e.eigen(w, d, x, n, true)
		w.storeSorted(e, values, vectors, d, x, n, first, valid)
		err = w.merge(err, first, valid)
	}
	return err
}

// EigenValues computes the eigenvalues of each symmetric matrix, ascending, into values (count×n). Only the lower
// triangle is read. It returns the same errors as Eigen.
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
		e.eigen(w, d, x, n, false)
		w.storeSorted(e, values, nil, d, nil, n, first, valid)
		err = w.merge(err, first, valid)
	}
	return err
}

// Generalized solves the generalized eigenproblem of each pair,
//
//	A V = B V diag(values),  V'BV = I,
//
// for A symmetric (both triangles are read) and B positive definite (lower triangle read), with eigenvalues ascending
// in values (count×n) and eigenvectors as columns of vectors. vectors may be a or b. The error is a *Error:
// NotPositiveDefinite, which refers to B, NotFinite, which refers to either matrix, or NoConvergence.
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
		d := w.slot(slotValues, n*lanes)
		e.eigen(w, d, x, n, true)
		// The rows of x are eigenvectors u of the whitened A. The eigenvectors of the pair are L'⁻¹u, or as rows u'
		// L⁻¹.
		v := w.slot(slotB, n*n*lanes)
		w.multiply(e, v, x, li, n, false, false, lowerB)
		w.storeSorted(e, values, vectors, d, v, n, first, valid)
		err = w.merge(err, first, valid)
	}
	return err
}

// WhitenedEigen decomposes each symmetric matrix A after a congruence,
//
//	L A L' = U diag(values) U',  U'U = I,
//
// where L is the inverse Cholesky factor of another matrix, so values solve the generalized problem of the two. If
// shared is set, l is one n×n matrix for the complete batch; otherwise l has one per matrix. L must be lower
// triangular, with zeros above its diagonal. Both triangles of A are read. values is count×n, ascending; vectors may be
// a. It returns the same errors as Eigen.
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
		d := w.slot(slotValues, n*lanes)
		e.eigen(w, d, x, n, true)
		w.storeSorted(e, values, vectors, d, x, n, first, valid)
		err = w.merge(err, first, valid)
	}
	return err
}

// storeSorted writes the eigenvalues of a group to values, ascending. Unless z is nil, it writes the eigenvectors,
// which are rows of z, to the columns of vectors.
func (w *Workspace) storeSorted(e engine, values, vectors, d, z []float64, n, first, valid int) {
	if n == 0 {
		return
	}
	lanes := e.lanes()
	places := w.slot(slotOrder, n*lanes)
	e.ranks(places, d, n)
	if len(w.order) < n {
		w.order = make([]int64, n+maxLanes) // engines read full vectors
	}
	for k := range valid {
		dst := values[(first+k)*n : (first+k+1)*n]
		if w.status[k].reason != 0 {
			fillNaN(dst)
			if z != nil {
				fillNaN(vectors[(first+k)*n*n : (first+k+1)*n*n])
			}
			continue
		}
		for j := range n {
			place := int(places[j*lanes+k])
			dst[place] = d[j*lanes+k] + 0 // turns -0 into 0
			w.order[place] = int64(j)
		}
		if z != nil {
			e.columns(vectors[(first+k)*n*n:(first+k+1)*n*n], z, w.order, k, n)
		}
	}
}

func fillNaN(x []float64) {
	for i := range x {
		x[i] = math.NaN()
	}
}
