package small

import (
	"math"

	"rao/internal/linalg/vec"
)

// Cholesky computes the lower triangular factor of each matrix,
//
//	A = L L',
//
// with the upper triangle of L set to zero. Only the lower triangle of A is read; l may be a. The error is a *Error:
// NotPositiveDefinite with the first pivot that is not positive, or NotFinite. It costs n³/6 multiplications per
// matrix.
func (w *Workspace) Cholesky(l, a []float64, n, count int) error {
	need(n*n, count, len(l), len(a))
	e := w.use(n)
	lanes := e.lanes()
	var err error
	for first := 0; first < count; first += lanes {
		valid := min(lanes, count-first)
		w.begin()
		buf := w.load(e, slotA, a, n*n, first, valid)
		w.factor(e, buf, n, valid)
		w.suspect(a, n, first, valid)
		w.store(e, l, buf, n*n, first, valid)
		err = w.merge(err, first, valid)
	}
	return err
}

// factor replaces the matrices of a group by their Cholesky factors and marks lanes that fail.
func (w *Workspace) factor(e engine, a []float64, n, valid int) {
	lanes := e.lanes()
	pivots := w.slot(slotValues, n*lanes)
	e.cholesky(a, pivots, n)
	for t, v := range pivots {
		if !(v > 0 && v <= math.MaxFloat64) && t%lanes < valid {
			w.fail(t%lanes, NotPositiveDefinite, v)
		}
	}
}

// suspect changes the reason of a lane from NotPositiveDefinite to NotFinite if its matrix has values that are not
// finite.
func (w *Workspace) suspect(a []float64, n, first, valid int) {
	for k := range valid {
		if w.status[k].reason == NotPositiveDefinite && !finiteLower(a[(first+k)*n*n:], n) {
			w.status[k] = status{NotFinite, math.NaN()}
		}
	}
}

func finiteLower(a []float64, n int) bool {
	for i := range n {
		if vec.NotFinite(a[i*n:i*n+i+1]) >= 0 {
			return false
		}
	}
	return true
}

// InvertLower inverts each lower triangular matrix. It does not read the upper triangles of l, and sets the upper
// triangles of li to zero. li may be l. A zero on the diagonal gives values that are not finite. It costs n³/6
// multiplications per matrix.
func (w *Workspace) InvertLower(li, l []float64, n, count int) {
	need(n*n, count, len(li), len(l))
	e := w.use(n)
	lanes := e.lanes()
	w.begin()
	for first := 0; first < count; first += lanes {
		valid := min(lanes, count-first)
		src := w.load(e, slotA, l, n*n, first, valid)
		dst := w.slot(slotB, n*n*lanes)
		e.invertLower(dst, src, n)
		w.store(e, li, dst, n*n, first, valid)
	}
}
