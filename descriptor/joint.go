package descriptor

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao"
)

// jointly diagonalises the class means together (Pham, 2001) in the whitened
// space and scores each source by the mutual information between it and the
// class (Grosse-Wentrup and Buss, 2008, equation 15):
//
//	I = −Σ_c p_c log σ_c − 3/16 (Σ_c p_c (σ_c⁴ − 1))²
//
// with σ_c² the variance of the source in class c, the source scaled so that its
// variance over all classes is 1.
func jointly(ctx context.Context, white *mat.Dense, means [][]float64, shares []float64, n int, opt CSPOptions, report *rao.Report) (*mat.Dense, []float64, error) {
	if opt.MaxIterations == 0 {
		opt.MaxIterations = 200
	}
	if opt.Tolerance == 0 {
		opt.Tolerance = 1e-9
	}
	c := make([][]float64, len(means))
	for k, m := range means {
		s := congruence(white, m, n)
		c[k] = make([]float64, n*n)
		for i := range n {
			for j := range n {
				c[k][i*n+j] = s.At(i, j)
			}
		}
	}
	b := make([]float64, n*n) // rows are the filters
	for i := range n {
		b[i*n+i] = 1
	}
	report.Status = rao.MaxIterations
	for report.Iterations = 0; report.Iterations < opt.MaxIterations; report.Iterations++ {
		if ctx.Err() != nil {
			report.Status = rao.Cancelled
			break
		}
		change := 0.0
		for i := 1; i < n; i++ {
			for j := range i {
				change = math.Max(change, phamRotation(c, b, shares, n, i, j))
			}
		}
		report.GradientNorm = change
		if change < opt.Tolerance {
			report.Status = rao.Converged
			break
		}
	}
	vectors := mat.NewDense(n, n, nil)
	scores := make([]float64, n)
	for i := range n {
		total := 0.0
		for k := range c {
			total += shares[k] * c[k][i*n+i]
		}
		log, fourth := 0.0, 0.0
		for k := range c {
			v := c[k][i*n+i] / total
			log += shares[k] * math.Log(v) / 2
			fourth += shares[k] * (v*v - 1)
		}
		scores[i] = -log - 3.0/16*fourth*fourth
		for j := range n {
			vectors.Set(j, i, b[i*n+j]/math.Sqrt(total))
		}
	}
	if report.Status == rao.Converged {
		return vectors, scores, nil
	}
	return vectors, scores, &rao.NotConvergedError{Method: "common spatial patterns", Report: *report,
		Remedy: "raise the number of sweeps or loosen the tolerance"}
}

// phamRotation changes rows i and j of the diagonaliser so that the weighted
// log-likelihood of independence rises, and returns the size of the change. The
// 2×2 step solves, with g_ij the weighted mean of C_ij/C_ii and ω_ij that of C_jj/C_ii,
//
//	[ω_ij 1; 1 ω_ji] [h_ij, h_ji]' = [g_ij, g_ji]'
func phamRotation(c [][]float64, b, p []float64, n, i, j int) float64 {
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
