// Package tri computes the Cholesky factor of one symmetric positive definite matrix of any size, and the inverse of
// the factor. It works in blocks, so large matrices run at the speed of the matrix product. Package small does the same
// for batches of small matrices.
package tri

import (
	"context"
	"math"

	"rao/internal/linalg/dense"
	"rao/internal/linalg/vec"
	"rao/internal/par"
)

// block is the largest order for which plain loops are used.
const block = 48

// Cholesky overwrites the symmetric n×n matrix a, row-major, with its lower Cholesky factor L, where A = L L', and with
// zeros above the diagonal. Only the lower triangle of a is read.
//
// Cholesky stops at a pivot L_jj² that is not above tol·A_jj. It then returns ok false, with column j and pivot =
// L_jj²/A_jj, and the contents of a are destroyed. This ratio is the share of the variance of column j that the columns
// before j do not explain, so the test does not depend on the scales of the columns.
func Cholesky(n int, a []float64, tol float64) (column int, pivot float64, ok bool) {
	diagonal := make([]float64, n)
	column, pivot, ok = Factor(n, a, tol, diagonal)
	if !ok {
		pivot /= diagonal[column]
	}
	return column, pivot, ok
}

// Factor is Cholesky with a scratch slice of length n. If it stops early, pivot is L_jj² instead of the ratio.
func Factor(n int, a []float64, tol float64, diagonal []float64) (column int, pivot float64, ok bool) {
	column, pivot, ok, _ = factor(context.Background(), n, a, tol, diagonal)
	return column, pivot, ok
}

// CholeskyContext is Cholesky with a context, which it checks between blocks of columns. If ctx ends, it returns the
// error of ctx, and the contents of a are destroyed.
func CholeskyContext(ctx context.Context, n int, a []float64, tol float64) (column int, pivot float64, ok bool,
	err error) {
	diagonal := make([]float64, n)
	column, pivot, ok, err = factor(ctx, n, a, tol, diagonal)
	if !ok && err == nil {
		pivot /= diagonal[column]
	}
	return column, pivot, ok, err
}

func factor(ctx context.Context, n int, a []float64, tol float64, diagonal []float64) (column int, pivot float64,
	ok bool, err error) {
	for j := range n {
		diagonal[j] = a[j*n+j]
	}
	for lo := 0; lo < n; lo += block {
		if err := ctx.Err(); err != nil {
			return lo, 0, false, err
		}
		hi := min(lo+block, n)
		if lo > 0 { // subtract what the columns to the left explain
			dense.Gemm(false, true, n-lo, hi-lo, lo, -1, a[lo*n:], n, a[lo*n:], n, 1, a[lo*n+lo:], n)
		}
		for j := lo; j < hi; j++ {
			s := a[j*n+j] - vec.Dot(a[j*n+lo:j*n+j], a[j*n+lo:j*n+j])
			if !(s > tol*diagonal[j]) || !vec.Positive(s) {
				return j, s, false, nil
			}
			s = math.Sqrt(s)
			a[j*n+j] = s
			for i := j + 1; i < hi; i++ {
				a[i*n+j] = (a[i*n+j] - vec.Dot(a[i*n+lo:i*n+j], a[j*n+lo:j*n+j])) / s
			}
		}
		par.For(n-hi, 64, func(_, from, to int) { // the panel below
			for i := hi + from; i < hi+to; i++ {
				for j := lo; j < hi; j++ {
					a[i*n+j] = (a[i*n+j] - vec.Dot(a[i*n+lo:i*n+j], a[j*n+lo:j*n+j])) / a[j*n+j]
				}
			}
		})
	}
	for i := range n {
		clear(a[i*n+i+1 : (i+1)*n])
	}
	return 0, 0, true, nil
}

// InvertLower writes the inverse of the lower triangular n×n matrix l to li, with zeros above the diagonal. li must
// not share memory with l.
func InvertLower(n int, li, l []float64) {
	var tmp []float64
	if n > block {
		tmp = make([]float64, block*n)
	}
	for i := range n {
		clear(li[i*n : (i+1)*n])
	}
	for lo := 0; lo < n; lo += block {
		hi := min(lo+block, n)
		for i := lo; i < hi; i++ { // inverse of the diagonal block
			d := 1 / l[i*n+i]
			row := li[i*n : (i+1)*n]
			for k := lo; k < i; k++ {
				v := -d * l[i*n+k]
				for j, x := range li[k*n+lo : k*n+k+1] {
					row[lo+j] += v * x
				}
			}
			row[i] = d
		}
		if lo > 0 { // -D⁻¹ (L_below · L⁻¹)
			dense.Gemm(false, false, hi-lo, lo, lo, 1, l[lo*n:], n, li, n, 0, tmp, n)
			dense.Gemm(false, false, hi-lo, lo, hi-lo, -1, li[lo*n+lo:], n, tmp, n, 0, li[lo*n:], n)
		}
	}
}

// Inverse writes (L L')⁻¹ to inv and L⁻¹ to li, for a lower triangular L. inv may be l.
func Inverse(n int, inv, li, l []float64) {
	InvertLower(n, li, l)
	dense.Gemm(true, false, n, n, n, 1, li, n, li, n, 0, inv, n)
}

// SolveLower overwrites the n×m matrix X with op(L)⁻¹ X for a lower triangular n×n L, where op(L) is L' if trans is
// set. The upper triangle of L is not read. Both matrices are row-major with leading dimensions ldl and ldx. A zero on
// the diagonal gives values that are not finite.
func SolveLower(n, m int, l []float64, ldl int, x []float64, ldx int, trans bool) {
	if m == 0 {
		return
	}
	for step := 0; step < n; step += block {
		lo, hi := step, min(step+block, n)
		if trans {
			lo, hi = max(n-step-block, 0), n-step
		}
		rows := x[lo*ldx:]
		switch { // subtract the contribution of the rows already solved
		case trans && hi < n:
			dense.Gemm(true, false, hi-lo, m, n-hi, -1, l[hi*ldl+lo:], ldl, x[hi*ldx:], ldx, 1, rows, ldx)
		case !trans && lo > 0:
			dense.Gemm(false, false, hi-lo, m, lo, -1, l[lo*ldl:], ldl, x, ldx, 1, rows, ldx)
		}
		solveBlock(hi-lo, m, l[lo*ldl+lo:], ldl, rows, ldx, trans)
	}
}

// solveBlock is SolveLower without blocks: it solves row by row.
func solveBlock(n, m int, l []float64, ldl int, x []float64, ldx int, trans bool) {
	for step := range n {
		i, k, end := step, 0, step
		if trans {
			i = n - 1 - step
			k, end = i+1, n
		}
		row := x[i*ldx : i*ldx+m]
		for ; k < end; k++ {
			v := l[i*ldl+k]
			if trans {
				v = l[k*ldl+i]
			}
			vec.Axpy(row, -v, x[k*ldx:])
		}
		for j := range row {
			row[j] /= l[i*ldl+i]
		}
	}
}

// LogDet returns log det(L L') for a lower triangular l.
func LogDet(n int, l []float64) float64 {
	sum := 0.0
	for i := range n {
		sum += math.Log(l[i*n+i])
	}
	return 2 * sum
}
