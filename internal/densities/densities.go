// Package densities evaluates weighted Gaussian densities for blocks of rows. All quadratic classifiers use this
// package.
package densities

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"rao/internal/linalg/tri"
	"rao/internal/linalg/vec"
	"rao/internal/par"
	"rao/internal/rows"
)

// PivotTolerance times the dimension is a limit on the share of a column's variance that the columns before it do not
// explain. A covariance with a smaller share counts as singular.
const PivotTolerance = 0x1p-50

// Gaussians are weighted Gaussians in a form that is fast to evaluate for many rows. The logarithms of w_k N(x; μ_k,
// Φ_k) are, up to a constant,
//
//	log w_k - ½ log det Φ_k - ½ ‖L_k⁻¹ (x - μ_k)‖²,  Φ_k = L_k L_k'
type Gaussians struct {
	center []float64 // length n: the mean of the means
	whiten []float64 // k·n(n+3)/2 values: rows of L_k⁻¹, each after its entry of -L_k⁻¹(μ_k - center)
	consts []float64 // length k: log w_k - ½ log det Φ_k
}

// New returns k Gaussians. Their means are the rows of means, k×n, and covariances has n² values for each Gaussian.
// singular is -1, or the index of the first covariance without a Cholesky factor.
func New(weights []float64, means *mat.Dense, covariances []float64) (d *Gaussians, singular int) {
	k, n := means.Dims()
	d = &Gaussians{make([]float64, n), make([]float64, k*n*(n+3)/2), make([]float64, k)}
	for i := range k {
		for j, v := range means.RawRowView(i) {
			d.center[j] += v / float64(k)
		}
	}
	definite := make([]bool, k)
	par.For(k, 1, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			definite[i] = d.prepare(i, weights[i], means.RawRowView(i), covariances[i*n*n:(i+1)*n*n])
		}
	})
	for i, ok := range definite {
		if !ok {
			return nil, i
		}
	}
	return d, -1
}

// prepare computes density i, and reports whether its covariance is positive definite.
func (d *Gaussians) prepare(i int, weight float64, mean, covariance []float64) bool {
	n := len(d.center)
	l, li := make([]float64, n*n), make([]float64, n*n)
	copy(l, covariance)
	if _, _, ok := tri.Cholesky(n, l, PivotTolerance*float64(n)); !ok {
		return false
	}
	tri.InvertLower(n, li, l)
	d.consts[i] = math.Log(weight) - tri.LogDet(n, l)/2
	row := d.whiten[i*n*(n+3)/2:]
	for j := range n {
		for k, v := range li[j*n : j*n+j+1] {
			row[1+k] = v
			row[0] -= v * (mean[k] - d.center[k])
		}
		row = row[j+2:]
	}
	return true
}

// Whitening returns the map y = (x - center) T - offsets that whitens a row for all Gaussians at once, n values for
// each. The log-densities are the constants minus half the squared length of each part of y, up to a constant.
func (d *Gaussians) Whitening() (center []float64, t *mat.Dense, offsets, constants []float64) {
	n, k, row := len(d.center), len(d.consts), d.whiten
	t, offsets = mat.NewDense(n, k*n, nil), make([]float64, k*n)
	for i := range offsets {
		offsets[i] = -row[0]
		for j, v := range row[1 : i%n+2] {
			t.Set(j, i, v)
		}
		row = row[i%n+2:]
	}
	return d.center, t, offsets, d.consts
}

// Dim returns the dimension n.
func (d *Gaussians) Dim() int { return len(d.center) }

// Scratch is the scratch memory of one goroutine. Between calls, the caller may use the fields for other purposes.
type Scratch struct{ X, Rows, Scores []float64 }

// Scores returns the log-densities of observations lo to hi-1, up to a constant, as a matrix. Each density has a row
// of stride values, one per observation. The stride is a multiple of 8, because the loops run over observations.
// Columns beyond the last observation repeat it.
func (d *Gaussians) Scores(in *rows.Reader, lo, hi int, s *Scratch) (scores []float64, stride int) {
	k, n := len(d.consts), len(d.center)
	stride = (hi - lo + 7) &^ 7
	x, scores, factor := d.columns(in, lo, hi, stride, s), vec.Room(&s.Scores, k*stride), d.whiten
	for i, v := range d.consts {
		vec.HalfSquares(scores[i*stride:(i+1)*stride], n, v, factor, x, stride)
		factor = factor[n*(n+3)/2:]
	}
	return scores, stride
}

// columns returns observations lo to hi-1 as the columns of a matrix with n+1 rows of wide values. The first row
// contains ones, and the others the features minus the center. Columns beyond the last observation repeat it.
func (d *Gaussians) columns(in *rows.Reader, lo, hi, wide int, s *Scratch) []float64 {
	n := len(d.center)
	x := vec.Room(&s.X, (n+1)*wide)
	read, stride := in.F64, in.Stride
	if read != nil {
		read = read[lo*stride:]
	} else {
		read, stride = vec.Room(&s.Rows, (hi-lo)*n), n
		in.Read(read, n, lo, hi, nil)
	}
	for j := range wide {
		x[j] = 1
	}
	row := func(i int) []float64 {
		i = min(i, hi-lo-1) * stride
		return read[i : i+n]
	}
	for i := 0; i < wide; i += 4 { // four rows at a time, so each is read once
		a, b, c, e, to := row(i), row(i+1), row(i+2), row(i+3), x[wide+i:]
		for k, center := range d.center {
			t := to[k*wide : k*wide+4 : k*wide+4]
			t[0], t[1], t[2], t[3] = a[k]-center, b[k]-center, c[k]-center, e[k]-center
		}
	}
	return x
}
