package spd

import "gonum.org/v1/gonum/mat"

// Recenter applies one congruence to all matrices of x. The arguments from and to are a matrix and its image under the
// congruence; if to is nil, the image is the identity:
//
//	T X T',  T = B½ A⁻½,  A = from, B = to
//
// Distances between the matrices do not change. If from is the Riemannian mean of a session and to is the mean of the
// training session, a classifier works on the new session without new labels (Zanini et al. 2018). If the class
// proportions differ between sessions, the difference shifts the mean, and re-centering reduces the accuracy. In that
// case, pass weights to [Mean] that balance the classes.
//
// dst may be x; an empty dst is resized. The error names the matrix that is not finite and symmetric, or from or to if
// it is not SPD. Recenter panics with mat.ErrShape if from or to has another order.
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
