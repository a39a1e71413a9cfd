package spd

import "gonum.org/v1/gonum/mat"

// Recenter moves the matrices of x by the map that takes the point from to the identity or, if to is not nil, to the
// point to:
//
//	T X T',  T = B½ A⁻½,  A = from, B = to
//
// Distances between the matrices do not change. With from the Riemannian mean of a
// session and to the mean of the training session, a classifier of one session works
// on another without labels (Zanini et al. 2018). If the proportions of the classes
// differ between sessions, the means differ for that reason too, and re-centering
// hurts: pass weights to [Mean] that balance the classes.
//
// dst may be x; an empty dst is resized. Errors name the matrix. It panics with
// mat.ErrShape if from or to has another order.
func Recenter(dst, x *Stack, from, to mat.Symmetric) error {
	return recenter(dst, x, full(from), full(to))
}

func recenter(dst, x *Stack, from, to []float64) error {
	if err := x.verify("matrix"); err != nil {
		return err
	}
	n := x.Dim
	if len(from) != n*n || (to != nil && len(to) != n*n) {
		panic(mat.ErrShape)
	}
	a, err := decompose(from, n, "matrix to recenter from", true)
	if err != nil {
		return err
	}
	t := a.invSqrt()
	if to != nil {
		b, err := decompose(to, n, "matrix to recenter to", true)
		if err != nil {
			return err
		}
		product := make([]float64, n*n)
		mul(product, b.sqrt(), t, n)
		t = product
	}
	return congruences(dst, x, t)
}
