package spd

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"rao/internal/par"
)

// Distance returns the distance between the matrices a and b. See the constants of [Metric] for the formulas. The error
// names the matrix ("first" or "second") that is not SPD. It panics with mat.ErrShape if their orders differ.
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
	err = new(team).pairwise(context.Background(), g, x, y, "first matrix", "second matrix",
		func(i, j int, v float64) { d[0] = v })
	return d[0], single(err)
}

// Distances writes to dst the distances between every matrix of x (rows) and every matrix of y (columns). If y is nil
// it writes the symmetric matrix of all pairs of x, with zeros on the diagonal; each pair is computed once. An empty
// dst is resized; another shape panics with mat.ErrShape.
//
// Each matrix is factored once. With Riemann a pair then costs one congruence and the eigenvalues of one matrix. Pairs
// are computed in parallel, and the result does not depend on the number of workers. Errors name the matrix; the
// matrices of y are called reference matrices. If ctx is canceled, Distances returns the error of ctx.
func Distances(ctx context.Context, dst *mat.Dense, metric Metric, x, y *Stack) error {
	return new(Comparer).Distances(ctx, dst, metric, x, y)
}

// Comparer computes distances and reuses its memory between calls, which suits streams of single matrices. The zero
// value is ready to use. It is not safe for concurrent use.
type Comparer struct{ crew team }

// Distances is like the function [Distances], but reuses memory between calls.
func (c *Comparer) Distances(ctx context.Context, dst *mat.Dense, metric Metric, x, y *Stack) error {
	const roleX, roleY = "matrix", "reference matrix"
	g, err := metric.geometry()
	if err != nil {
		return err
	}
	if err := x.verify(roleX); err != nil {
		return err
	}
	if y == nil {
		fitDense(dst, x.Count, x.Count)
		raw := dst.RawMatrix()
		for i := range x.Count {
			raw.Data[i*raw.Stride+i] = 0
		}
		return c.crew.allPairs(ctx, g, x, roleX, func(i, j int, v float64) {
			raw.Data[i*raw.Stride+j] = v
			raw.Data[j*raw.Stride+i] = v
		})
	}
	if err := y.verify(roleY); err != nil {
		return err
	}
	if err := sameDim(x, y); err != nil {
		return err
	}
	fitDense(dst, x.Count, y.Count)
	raw := dst.RawMatrix()
	return c.crew.pairwise(ctx, g, x, y, roleX, roleY, func(i, j int, v float64) { raw.Data[i*raw.Stride+j] = v })
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
}

// pairwise calls emit for every pair of matrices of x and y.
func (t *team) pairwise(ctx context.Context, g *geometry, x, y *Stack, roleX, roleY string,
	emit func(i, j int, d float64)) error {
	// The side with fewer matrices is factored, which is allowed because distances are symmetric.
	if y.Count < x.Count {
		x, y, roleX, roleY = y, x, roleY, roleX
		given := emit
		emit = func(i, j int, d float64) { given(j, i, d) }
	}
	t.narrowTo(y.Count)
	p := &pairs{geometry: g, crew: t, n: x.Dim, left: x, right: y, roleLeft: roleX, roleRight: roleY}
	if err := p.prepare(p); err != nil {
		return err
	}
	return p.run(ctx, false, emit)
}

// allPairs calls emit for every pair i < j of x.
func (t *team) allPairs(ctx context.Context, g *geometry, x *Stack, role string,
	emit func(i, j int, d float64)) error {
	p := &pairs{geometry: g, crew: t, n: x.Dim, left: x, right: x, roleLeft: role, roleRight: role}
	if err := p.prepare(p); err != nil {
		return err
	}
	return p.run(ctx, true, emit)
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

// run calls emit with the distance of every pair (i, j), or only of pairs with i < j if upper is set, block by block.
func (p *pairs) run(ctx context.Context, upper bool, emit func(i, j int, d float64)) error {
	grain := batchSize(p.n)
	blocks := par.Chunks(p.right.Count, grain)
	tasks := p.left.Count * blocks
	crew := p.crew
	crew.ready(par.Workers(tasks, 1), tasks)
	par.For(tasks, 1, func(worker, t, _ int) {
		i, b := t/blocks, t%blocks
		lo, hi := b*grain, min((b+1)*grain, p.right.Count)
		if upper {
			lo = max(lo, i+1)
		}
		if lo >= hi {
			return
		}
		if crew.errs[t] = ctx.Err(); crew.errs[t] != nil {
			return
		}
		s := crew.work[worker]
		d := s.buf(2, hi-lo)
		if crew.errs[t] = p.row(p, s, d, i, lo); crew.errs[t] != nil {
			return
		}
		for k, v := range d {
			emit(i, lo+k, v)
		}
	})
	return crew.firstError()
}
