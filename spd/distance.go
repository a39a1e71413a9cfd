package spd

import (
	"context"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"rao/internal/par"
	"rao/internal/rows"
)

// Distance returns the distance between the matrices a and b. See the constants of [Metric] for the formulas. The error
// names the matrix ("first" or "second") that is not SPD, or the metric if it is unknown. Distance panics with
// mat.ErrShape if the orders of a and b differ.
//
// To compare many matrices use [Distances], which factors each matrix once.
func Distance(metric Metric, a, b mat.Symmetric) (float64, error) {
	if a.SymmetricDim() != b.SymmetricDim() {
		panic(mat.ErrShape)
	}
	return pairDistance(metric, full(a), full(b), a.SymmetricDim())
}

func pairDistance(metric Metric, a, b []float64, n int) (float64, error) {
	if n < 1 || len(a) < n*n || len(b) < n*n {
		panic(mat.ErrShape)
	}
	g, err := metric.geometry()
	if err != nil {
		return 0, err
	}
	var d [1]float64
	x, y := StackOf(1, n, a), StackOf(1, n, b)
	if err := x.verify("first matrix"); err != nil {
		return 0, single(err)
	}
	if err := y.verify("second matrix"); err != nil {
		return 0, single(err)
	}
	out := mat.NewDense(1, 1, d[:])
	err = new(team).pairwise(context.Background(), g, out, x, y, "first matrix", "second matrix")
	return d[0], single(err)
}

// Distances writes to dst the distances between every matrix of x (rows) and every matrix of y (columns). If y is nil
// it writes the symmetric matrix of all pairs of x, with zeros on the diagonal; each pair is computed once. An empty
// dst is resized; another shape panics with mat.ErrShape.
//
// Each matrix is factored once. With Riemann a pair then costs one congruence and the eigenvalues of one matrix. Pairs
// are computed in parallel, and the result does not depend on the number of workers. Errors name the matrix that is not
// SPD, or an unknown metric; the matrices of y are called reference matrices. If ctx is canceled, Distances returns the
// error of ctx.
func Distances(ctx context.Context, dst *mat.Dense, metric Metric, x, y *Stack) error {
	const roleX, roleY = "matrix", "reference matrix"
	g, err := metric.geometry()
	if err != nil {
		return err
	}
	if err := x.verify(roleX); err != nil {
		return err
	}
	if y == nil {
		rows.Shape(dst, x.Count, x.Count)
		raw := dst.RawMatrix()
		for i := range x.Count {
			raw.Data[i*raw.Stride+i] = 0
		}
		return new(team).allPairs(ctx, g, dst, x, roleX)
	}
	if err := y.verify(roleY); err != nil {
		return err
	}
	if err := sameDim(x, y); err != nil {
		return err
	}
	rows.Shape(dst, x.Count, y.Count)
	pool := &passes
	if max(x.Count, y.Count) <= narrowest {
		pool = &narrows
	}
	crew := pool.Get().(*team)
	defer pool.Put(crew)
	return crew.pairwise(ctx, g, dst, x, y, roleX, roleY)
}

// pairs computes the distances of one matrix on the left to a block of matrices on the right.
type pairs struct {
	*geometry
	crew                *team
	n                   int
	left, right         *Stack
	roleLeft, roleRight string
	// leftData and rightData have values that are computed once per matrix: whitening factors or square roots on the
	// left, embedded vectors or inverses on both sides, traces or log-determinants.
	leftData, rightData     []float64
	leftScalar, rightScalar []float64

	ctx   context.Context
	dst   blas64.General
	upper bool // only pairs with i < j, written to both triangles
	flip  bool // the rows of dst belong to the right side
}

// pairwise writes the distances between the matrices of x (rows) and y (columns) to dst.
func (t *team) pairwise(ctx context.Context, g *geometry, dst *mat.Dense, x, y *Stack, roleX, roleY string) error {
	// The side with fewer matrices is factored, which is allowed because distances are symmetric.
	flip := y.Count < x.Count
	if flip {
		x, y, roleX, roleY = y, x, roleY, roleX
	}
	t.narrowTo(y.Count)
	p := &t.pairs
	*p = pairs{geometry: g, crew: t, n: x.Dim, left: x, right: y, roleLeft: roleX, roleRight: roleY, ctx: ctx,
		dst: dst.RawMatrix(), flip: flip, leftData: p.leftData[:0]}
	return p.run()
}

// allPairs writes the distances between all pairs of matrices of x to dst, except for the diagonal.
func (t *team) allPairs(ctx context.Context, g *geometry, dst *mat.Dense, x *Stack, role string) error {
	p := &t.pairs
	*p = pairs{geometry: g, crew: t, n: x.Dim, left: x, right: x, roleLeft: role, roleRight: role, ctx: ctx,
		dst: dst.RawMatrix(), upper: true, leftData: p.leftData[:0]}
	return p.run()
}

// both computes the values of the matrices on both sides. If the sides are the same stack, it computes them once.
func (p *pairs) both(f func(x *Stack, role string) ([]float64, error), left, right *[]float64) (err error) {
	if *left, err = f(p.left, p.roleLeft); err != nil {
		return err
	}
	if *right = *left; p.right != p.left {
		*right, err = f(p.right, p.roleRight)
	}
	return err
}

// run writes the distances, block by block.
func (p *pairs) run() error {
	defer func() { *p = pairs{leftData: p.leftData} }() // only the memory is kept
	if err := p.prepare(p); err != nil {
		return err
	}
	tasks := p.left.Count * par.Chunks(p.right.Count, batchSize(p.n))
	p.crew.ready(par.Workers(tasks, 1), tasks)
	par.ForWith(tasks, 1, p, (*pairs).block)
	return p.crew.firstError()
}

// block computes the distances of one matrix on the left to the matrices of one block on the right.
func (p *pairs) block(worker, t, _ int) {
	grain, errs := batchSize(p.n), p.crew.errs
	blocks := par.Chunks(p.right.Count, grain)
	i, b := t/blocks, t%blocks
	lo, hi := b*grain, min((b+1)*grain, p.right.Count)
	if p.upper {
		lo = max(lo, i+1)
	}
	if lo >= hi {
		return
	}
	if errs[t] = p.ctx.Err(); errs[t] != nil {
		return
	}
	s := p.crew.work[worker]
	d := s.buf(2, hi-lo)
	if errs[t] = p.row(p, s, d, i, lo); errs[t] != nil {
		return
	}
	for k, v := range d {
		j := lo + k
		if p.flip || p.upper {
			p.dst.Data[j*p.dst.Stride+i] = v
		}
		if !p.flip {
			p.dst.Data[i*p.dst.Stride+j] = v
		}
	}
}
