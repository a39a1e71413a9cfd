package cluster

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/internal/faults"
	"rao/internal/linalg/ritz"
	"rao/internal/linalg/vec"
	"rao/internal/rows"
	"rao/internal/text"
	"rao/spd"
)

// EmbedOptions are the options of an embedding. The zero value is a good default.
type EmbedOptions struct {
	Metric     spd.Metric // metric of the distances; default spd.Riemann
	Components int        // number of coordinates of each matrix; default 2
	// Gamma is γ of the spectral embedding. The default is 1/(2m²), where m is the median distance.
	Gamma float64
	// Neighbors is the number of neighbors in the locally linear embedding; default 5.
	Neighbors int
}

func (o EmbedOptions) filled(x *spd.Stack) (EmbedOptions, error) {
	o.Components = cmp.Or(o.Components, 2)
	o.Neighbors = cmp.Or(o.Neighbors, 5)
	if o.Components < 1 || o.Components >= x.Count {
		return o, faults.Option("the number of coordinates is %d for %s; it must be at least 1, and below the "+
			"number of matrices", o.Components, text.Plural(x.Count, "matrix", "matrices"))
	}
	if o.Neighbors < 1 || !vec.NotNegative(o.Gamma) {
		return o, faults.Option("the number of neighbors is %d and gamma %g; at least one neighbor is needed, and "+
			"gamma must be finite and 0 or more", o.Neighbors, o.Gamma)
	}
	return o, nil
}

// SpectralEmbedding writes coordinates of the matrices of x to dst, which must be N×Components or empty. Neighbors
// remain close in these coordinates. The method is diffusion maps with a correction for density (Coifman and Lafon
// 2006). With d the distances under the metric,
//
//	k_ij = exp(−γ d_ij²),  w_ij = k_ij/(q_i q_j), i ≠ j,  q_i = Σ_j k_ij
//
// and the coordinates are the eigenvectors of D⁻¹w after the first, with D = diag Σ_j w_ij. In each coordinate, the
// entry of largest magnitude is made positive. The coordinate is then scaled to the range from −1 to 1. It returns an
// error if an option is out of range, a matrix is not valid, or a matrix has no neighbor at this gamma. The cost is the
// distances of all pairs, an eigendecomposition of order N, and several N×N matrices in memory.
func SpectralEmbedding(ctx context.Context, dst *mat.Dense, x *spd.Stack, opt EmbedOptions) error {
	opt, err := opt.filled(x)
	if err != nil {
		return err
	}
	var d mat.Dense
	if err := spd.Distances(ctx, &d, opt.Metric, x, nil); err != nil {
		return err
	}
	n := x.Count
	if opt.Gamma == 0 {
		median := vec.Median(d.RawMatrix().Data)
		if median == 0 {
			return faults.Option("at least half of the matrices are identical, so their median distance is 0; set " +
				"gamma")
		}
		opt.Gamma = 1 / (2 * median * median)
	}
	w := mat.NewSymDense(n, nil)
	q, degree := make([]float64, n), make([]float64, n)
	for i := range n {
		for j := range n {
			v := d.At(i, j)
			d.Set(i, j, math.Exp(-opt.Gamma*v*v))
			q[i] += d.At(i, j)
		}
	}
	for i := range n {
		for j := range n {
			if i != j {
				degree[i] += d.At(i, j) / (q[i] * q[j])
			}
		}
		if !(degree[i] > 0) {
			return faults.Option("matrix %d has no neighbor at gamma %g; use a smaller gamma", i, opt.Gamma)
		}
	}
	for i := range n {
		for j := range i {
			w.SetSym(i, j, d.At(i, j)/(q[i]*q[j])/math.Sqrt(degree[i]*degree[j]))
		}
	}
	vectors, err := eigenvectors(ctx, w)
	if err != nil {
		return err
	}
	rows.Shape(dst, n, opt.Components)
	for c := range opt.Components {
		column := mat.Col(nil, n-2-c, vectors)
		for i := range column {
			column[i] /= math.Sqrt(degree[i])
		}
		dst.SetCol(c, spread(column))
	}
	return nil
}

// LocallyLinearEmbedding writes coordinates of the matrices of x to dst, which must be N×Components or empty. In these
// coordinates, each matrix is nearly the weighted mean of its nearest neighbors. The weights are computed in the
// tangent space at the matrix (Roweis and Saul 2000; for manifolds Goh and Vidal 2008, equation 9) and regularized by a
// thousandth of the trace. The metric must have an inner product, such as riemann, logeuclid or euclid. Each coordinate
// has unit norm, and its entry of largest magnitude is positive. The function returns the reconstruction error: the sum
// of the eigenvalues. It returns an error if an option is out of range, a matrix is not valid, or the metric has no
// inner product. The cost is the distances of all pairs, an eigendecomposition of order N, and several N×N matrices in
// memory.
func LocallyLinearEmbedding(ctx context.Context, dst *mat.Dense, x *spd.Stack, opt EmbedOptions) (float64, error) {
	opt, err := opt.filled(x)
	if err != nil {
		return 0, err
	}
	n := x.Count
	if opt.Neighbors >= n {
		return 0, faults.Option("the number of neighbors is %d, but there are %d matrices; use fewer neighbors than "+
			"matrices", opt.Neighbors, n)
	}
	var d mat.Dense
	if err := spd.Distances(ctx, &d, opt.Metric, x, nil); err != nil {
		return 0, err
	}
	rest := mat.NewDense(n, n, nil) // I − W
	for i := range n {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		near := nearest(d.RawRowView(i), i, opt.Neighbors)
		weights, err := barycenter(x, i, near, opt.Metric)
		if err != nil {
			return 0, err
		}
		rest.Set(i, i, 1)
		for k, j := range near {
			rest.Set(i, j, -weights[k])
		}
	}
	m := mat.NewSymDense(n, nil)
	m.SymOuterK(1, rest.T())
	vectors, err := eigenvectors(ctx, m)
	if err != nil {
		return 0, err
	}
	rows.Shape(dst, n, opt.Components)
	sum := 0.0
	for c := range opt.Components {
		column := mat.NewVecDense(n, mat.Col(nil, 1+c, vectors))
		ritz.FixSigns(column.RawVector().Data, n, 1)
		dst.SetCol(c, column.RawVector().Data)
		sum += mat.Inner(column, m, column)
	}
	return sum, nil
}

// nearest returns the k matrices nearest to matrix i, without i.
func nearest(d []float64, i, k int) []int {
	order := make([]int, 0, len(d))
	for j := range d {
		if j != i {
			order = append(order, j)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(d[a], d[b]) })
	return order[:k]
}

// barycenter returns weights with sum 1 that bring the weighted sum of the tangent vectors of near at matrix i closest
// to zero.
func barycenter(x *spd.Stack, i int, near []int, metric spd.Metric) ([]float64, error) {
	var inner mat.Dense
	k := len(near)
	if err := spd.Kernel(&inner, metric, x.Select(append(slices.Clone(near), i)), nil, x.View(i)); err != nil {
		return nil, err
	}
	gram := func(p, q int) float64 { return inner.At(p, q) - inner.At(p, k) - inner.At(k, q) + inner.At(k, k) }
	trace, ridge := 0.0, 1e-3
	for p := range k {
		trace += gram(p, p)
	}
	if trace > 0 {
		ridge *= trace
	}
	g := mat.NewSymDense(k, nil)
	ones := make([]float64, k)
	for p := range k {
		ones[p] = 1
		for q := range p + 1 {
			g.SetSym(p, q, gram(p, q))
		}
		g.SetSym(p, p, gram(p, p)+ridge)
	}
	var chol mat.Cholesky
	var w mat.VecDense
	if !chol.Factorize(g) || chol.SolveVecTo(&w, mat.NewVecDense(k, ones)) != nil {
		return nil, faults.Data("the inner products of the neighbors of matrix %d are singular; use fewer "+
			"neighbors, or remove identical matrices", i)
	}
	sum := mat.Sum(&w)
	w.ScaleVec(1/sum, &w)
	return w.RawVector().Data, nil
}

// eigenvectors returns the eigenvectors of a symmetric matrix as columns, in ascending order of the eigenvalues.
func eigenvectors(ctx context.Context, a *mat.SymDense) (*mat.Dense, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var eig mat.EigenSym
	if !eig.Factorize(a, true) {
		return nil, errors.New("the eigendecomposition did not converge; check the matrices for extreme values")
	}
	var v mat.Dense
	eig.VectorsTo(&v)
	return &v, nil
}

// spread makes the entry of largest magnitude of v positive, and scales v to the range from −1 to 1.
func spread(v []float64) []float64 {
	ritz.FixSigns(v, len(v), 1)
	lo, hi := slices.Min(v), slices.Max(v)
	for i := range v {
		v[i] = 2*(v[i]-lo)/(hi-lo) - 1
	}
	return v
}
