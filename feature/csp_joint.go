package feature

import (
	"cmp"
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/linalg/joint"
	"rao/internal/linalg/vec"
	"rao/spd"
)

// jointly diagonalizes the class means together (Pham, 2001) in the whitened space and scores each source by the mutual
// information between it and the class (Grosse-Wentrup and Buss, 2008, equation 15):
//
//	I = −Σ_c p_c log σ_c − 3/16 (Σ_c p_c (σ_c⁴ − 1))²
//
// where σ_c² is the variance of the source in class c, with the source scaled to variance 1 over all classes.
func jointly(ctx context.Context, white *mat.Dense, means [][]float64, shares []float64, n int, opt CSPOptions,
	report *rao.Report) (*mat.Dense, []float64, error) {
	opt.MaxIter = cmp.Or(opt.MaxIter, 5000)
	opt.Tol = cmp.Or(opt.Tol, 1e-9)
	c := make([][]float64, len(means))
	for k, m := range means {
		whitened := new(spd.Stack)
		spd.Congruence(whitened, spd.StackOf(1, n, m), white)
		c[k] = whitened.At(0)
	}
	b := vec.Identity(n) // rows are the filters
	*report = joint.Diagonalize(ctx, b, c, shares, n, opt.MaxIter, opt.Tol, nil)
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
	if report.Status == rao.StatusConverged {
		return vectors, scores, nil
	}
	return vectors, scores, &rao.NotConvergedError{Cause: ctx.Err(), Method: "common spatial patterns", Report: *report,
		Remedy: "raise the number of sweeps, or loosen the tolerance"}
}
