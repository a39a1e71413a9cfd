package classify

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"rao/internal/linalg/tri"
	"rao/internal/linalg/vec"
	"rao/internal/par"
	"rao/internal/rows"
	"rao/spd"
)

// densities are weighted Gaussians in a form that is quick to evaluate for many rows: the
// logarithms of w_k N(x; μ_k, Φ_k) are, up to a constant,
//
//	log w_k - ½ log det Φ_k - ½ ‖L_k⁻¹ (x - μ_k)‖²,  Φ_k = L_k L_k'
type densities struct {
	center []float64 // n: mean of the means
	whiten []float64 // k·n(n+3)/2: the rows of the L_k⁻¹ up to the diagonal, before each -L_k⁻¹(μ_k - center)
	consts []float64 // k: log w_k - ½ log det Φ_k
}

// newDensities returns the densities and -1, or the number of the first covariance that has no
// Cholesky factor.
func newDensities(weights []float64, means *mat.Dense, covariances *spd.Stack) (d *densities, singular int) {
	k, n := covariances.Count, covariances.Dim
	d = &densities{make([]float64, n), make([]float64, k*n*(n+3)/2), make([]float64, k)}
	for i := range k {
		for j, v := range means.RawRowView(i) {
			d.center[j] += v / float64(k)
		}
	}
	definite := make([]bool, k)
	par.For(k, 1, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			definite[i] = d.prepare(i, weights[i], means.RawRowView(i), covariances.At(i))
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
func (d *densities) prepare(i int, weight float64, mean, covariance []float64) bool {
	n := len(d.center)
	l, li := make([]float64, n*n), make([]float64, n*n)
	copy(l, covariance)
	if _, _, ok := tri.Cholesky(n, l, pivotTolerance*float64(n)); !ok {
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

// each calls use for blocks of the rows lo to hi-1 of x with their log-densities: it works on the
// transpose, so that all loops run over observations. In scores is a row of stride values for every
// density; the stride is a multiple of 8, and columns beyond the rows of the block repeat the last.
// Blocks run in parallel. dst is made N×c when empty; each panics with mat.ErrShape if it has
// another shape or x another number of columns.
func (d *densities) each(dst *mat.Dense, x mat.Matrix, c int,
	use func(lo, hi int, scores []float64, stride int, s *work)) {
	n := len(d.center)
	in := rows.New(x)
	if in.Cols != n {
		panic(mat.ErrShape)
	}
	shape(dst, in.Rows, c)
	block := min(max(1<<11/(n+1)&^63, 64), rowGrain) // rows whose features stay in the cache
	par.For(in.Rows, rowGrain, func(_, from, to int) {
		s := works.Get().(*work)
		defer works.Put(s)
		for lo := from; lo < to; lo += block {
			hi := min(lo+block, to)
			scores, stride := d.scores(in, lo, hi, s)
			use(lo, hi, scores, stride, s)
		}
	})
}

// scores returns the log-densities of the rows lo to hi-1; see each.
func (d *densities) scores(in *rows.Reader, lo, hi int, s *work) (scores []float64, stride int) {
	k, n := len(d.consts), len(d.center)
	stride = (hi - lo + 7) &^ 7
	x, scores, factor := d.columns(in, lo, hi, stride, s), room(&s.scores, k*stride), d.whiten
	for i, v := range d.consts {
		vec.HalfSquares(scores[i*stride:(i+1)*stride], n, v, factor, x, stride)
		factor = factor[n*(n+3)/2:]
	}
	return scores, stride
}

// columns returns a row of ones and under it the features of the rows lo to hi-1 less the center,
// a row each of wide values: columns beyond those rows repeat the last.
func (d *densities) columns(in *rows.Reader, lo, hi, wide int, s *work) []float64 {
	n := len(d.center)
	x := room(&s.in, (n+1)*wide)
	read, stride := in.Raw()
	if read != nil {
		read = read[lo*stride:]
	} else {
		read, stride = room(&s.forms, (hi-lo)*n), n
		in.Read(read, n, lo, hi, nil)
	}
	for j := range wide {
		x[j] = 1
	}
	row := func(i int) []float64 {
		i = min(i, hi-lo-1) * stride
		return read[i : i+n]
	}
	for i := 0; i < wide; i += 4 { // four at a time, so that each is read once
		a, b, c, e, to := row(i), row(i+1), row(i+2), row(i+3), x[wide+i:]
		for k, center := range d.center {
			t := to[k*wide : k*wide+4 : k*wide+4]
			t[0], t[1], t[2], t[3] = a[k]-center, b[k]-center, c[k]-center, e[k]-center
		}
	}
	return x
}
