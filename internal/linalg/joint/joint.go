// Package joint diagonalizes several SPD matrices at once.
package joint

import (
	"context"
	"math"

	"rao"
)

// Diagonalize finds B with B C_k B' as diagonal as possible for all k (Pham 2001): it
// lowers the weighted sum of log det diag(B C_k B') − log det(B C_k B'), which is zero
// when all are diagonal, as for two matrices they can be. Each c[k] is n×n, row after
// row, and is overwritten with B C_k B'; weights are positive with sum one. The rows of
// b, from its values on entry, become those of B.
//
// The matrices should be near the identity together: whiten them by their mean first.
// The report has the sweeps as iterations and the largest change of the last sweep as
// gradient norm. A sweep takes 8 c n³ operations.
func Diagonalize(ctx context.Context, b []float64, c [][]float64, weights []float64, n, limit int,
	tol float64) rao.Report {
	r := rao.Report{Status: rao.MaxIterations}
	for r.Iterations = 0; r.Iterations < limit; r.Iterations++ {
		if ctx.Err() != nil {
			r.Status = rao.Canceled
			return r
		}
		r.GradientNorm = 0
		for i := 1; i < n; i++ {
			for j := range i {
				r.GradientNorm = math.Max(r.GradientNorm, rotate(c, b, weights, n, i, j))
			}
		}
		if r.GradientNorm < tol {
			r.Status = rao.Converged
			return r
		}
	}
	return r
}

// rotate changes rows i and j of the diagonalizer so that the weighted log-likelihood of
// independence rises, and returns the size of the change. The 2×2 step solves, with g_ij
// the weighted mean of C_ij/C_ii and ω_ij that of C_jj/C_ii,
//
//	[ω_ij 1; 1 ω_ji] [h_ij, h_ji]' = [g_ij, g_ji]'
func rotate(c [][]float64, b, p []float64, n, i, j int) float64 {
	var gij, gji, wij, wji float64
	for k, m := range c {
		ii, jj, ij := m[i*n+i], m[j*n+j], m[i*n+j]
		gij += p[k] * ij / ii
		gji += p[k] * ij / jj
		wij += p[k] * jj / ii
		wji += p[k] * ii / jj
	}
	det := wij*wji - 1
	if det < 1e-12*wij*wji { // the two sources have proportional variances: nothing to gain
		return 0
	}
	hij, hji := (wji*gij-gji)/det, (wij*gji-gij)/det
	// To first order the rows change by −h; this root keeps the step bounded.
	half := (1 + math.Sqrt(math.Max(0, 1-4*hij*hji))) / 2
	a, d := -hij/half, -hji/half
	mixRows(b, n, i, j, a, d)
	for _, m := range c {
		mixRows(m, n, i, j, a, d)
		mixColumns(m, n, i, j, a, d)
	}
	return math.Max(math.Abs(hij), math.Abs(hji))
}

// mixRows adds a·row j to row i and d·(old row i) to row j.
func mixRows(m []float64, n, i, j int, a, d float64) {
	ri, rj := m[i*n:(i+1)*n], m[j*n:(j+1)*n]
	for k := range ri {
		x, y := ri[k], rj[k]
		ri[k], rj[k] = x+a*y, y+d*x
	}
}

func mixColumns(m []float64, n, i, j int, a, d float64) {
	for k := range n {
		x, y := m[k*n+i], m[k*n+j]
		m[k*n+i], m[k*n+j] = x+a*y, y+d*x
	}
}
