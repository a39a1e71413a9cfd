package spd

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao/internal/linalg/vec"
)

// CenterSmoothly centers the matrices of one recording x by their mean, and then each trial by the mean of the trials
// around it, to follow a drift within the recording. With Y_i = M^-½ X_i M^-½ for the mean M of all trials,
//
//	a_i = Σ_j w_ij log Y_j,  w_ij ∝ exp(−(i−j)²/2h²)
//	X_i → exp(−a_i/2) Y_i exp(−a_i/2)
//
// where h is the width, the standard deviation of the window in trials; 0 means 24, and 16 to 32 are useful. Apply it
// to training recordings as well as to new ones. It cannot be used live, because the window includes later trials. It
// mistakes a run of one class that is as long as the window for a drift.
//
// CenterSmoothly writes the centered matrices to dst, which may be x, and returns the mean of all matrices. The
// matrices must be in order of time. It returns an error if the width is negative or not finite, if there are fewer
// matrices than channels, or if a matrix is not SPD. If ctx is canceled, it returns the error of ctx. It costs one
// mean, plus two eigendecompositions and 17 h n(n+1) operations per matrix.
func CenterSmoothly(ctx context.Context, dst, x *Stack, width float64) (mean *mat.SymDense, err error) {
	if !vec.NotNegative(width) {
		return nil, fmt.Errorf("smooth centering: the width is %g trials; it must be finite and 0 or more, such as 24",
			width)
	}
	width = cmp.Or(width, 24)
	y := new(Stack)
	if mean, err = Center(ctx, y, x); err != nil {
		return nil, err
	}
	var logs mat.Dense
	if err := logEuclid.flat.Rows(ctx, &logs, y); err != nil {
		return nil, err
	}
	dst.fit(x.Count, x.Dim)
	n, nn := x.Dim, x.Dim*x.Dim
	return mean, batches(x.Count, n, func(w *scratch, lo, hi int) error {
		a, t := w.buf(1, (hi-lo)*nn), w.buf(2, (hi-lo)*nn)
		around := make([]float64, vec.PackedLen(n))
		for k := lo; k < hi; k++ {
			localMean(around, &logs, k, width)
			vec.Unpack(a[(k-lo)*nn:(k-lo+1)*nn], around, n)
			for i := range a[(k-lo)*nn : (k-lo+1)*nn] {
				a[(k-lo)*nn+i] *= -0.5
			}
		}
		if err := w.exponential(a, n, hi-lo, y, lo); err != nil {
			return err
		}
		w.w.Congruence(t, a, y.Data[lo*nn:hi*nn], n, hi-lo, false)
		copy(dst.Data[lo*nn:hi*nn], t)
		return nil
	})
}

// localMean writes the local mean a_k of the rows of logs. It ignores weights beyond 8.5 widths, which are below the
// rounding error of the sum.
func localMean(dst []float64, logs *mat.Dense, k int, width float64) {
	clear(dst)
	rows, _ := logs.Dims()
	reach := int(min(8.5*width, float64(rows)))
	sum := 0.0
	for j := max(0, k-reach); j <= min(rows-1, k+reach); j++ {
		d := float64(j-k) / width
		w := math.Exp(-d * d / 2)
		sum += w
		vec.Axpy(dst, w, logs.RawRowView(j))
	}
	for i := range dst {
		dst[i] /= sum
	}
}
