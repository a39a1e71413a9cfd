// Package joint diagonalizes several SPD matrices at once.
package joint

import (
	"context"
	"math"

	"rao"
)

// Diagonalize finds B with B C_k B' as diagonal as possible for all k (Pham 2001): it reduces the weighted sum of log
// det diag(B C_k B') − log det(B C_k B'). This sum is zero if all are diagonal, which is possible for two matrices.
// Each c[k] is n×n, row-major, and is overwritten with B C_k B'. weights are positive and sum to one. On entry b holds
// the starting value; on return it holds B, with one row of B per row.
//
// The matrices should be jointly near the identity: first whiten them by their mean. In the report, the iterations are
// sweeps and the gradient norm is the largest change in the last sweep. A sweep costs about 4 c n³ operations for c
// matrices.
func Diagonalize(ctx context.Context, b []float64, c [][]float64, weights []float64, n, limit int,
	tol float64, progress rao.Progress) rao.Report {
	r := rao.Report{Status: rao.StatusMaxIterations}
	for r.Iterations = 0; r.Iterations < limit; r.Iterations++ {
		if ctx.Err() != nil {
			r.Status = rao.StatusCanceled
			return r
		}
		r.GradientNorm = 0
		for i := 1; i < n; i++ {
			for j := range i {
				r.GradientNorm = math.Max(r.GradientNorm, rotate(c, b, weights, n, i, j))
			}
		}
		if r.GradientNorm < tol {
			r.Status = rao.StatusConverged
			return r
		}
		progress.Send(rao.Event{Stage: "diagonalize", Done: r.Iterations + 1, Limit: limit})
	}
	return r
}

// rotate changes rows i and j of the diagonalizer to increase the weighted log-likelihood of independence, and returns
// the size of the change. The 2×2 step solves the following, where g_ij is the weighted mean of C_ij/C_ii, and ω_ij is
// the weighted mean of C_jj/C_ii:
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
	if det < 1e-12*wij*wji { // the variances of the two sources are proportional: nothing to gain
		return 0
	}
	hij, hji := (wji*gij-gji)/det, (wij*gji-gij)/det
	// To first order the rows change by −h. This square root keeps the step bounded.
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
