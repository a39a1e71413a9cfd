package classify

import (
	"context"
	"sync"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/densities"
	"rao/internal/linalg/dense"
	"rao/internal/linalg/vec"
	"rao/internal/naming"
	"rao/internal/par"
	"rao/internal/priors"
	"rao/internal/rows"
)

// workValues limits the scratch memory for a block of rows, in float64 values.
const workValues = 1 << 22

// checkPriors returns the given priors normalized to sum to one, or the shares of the counts if there are none.
func checkPriors(s *gaussian.Statistics, given []float64) ([]float64, error) {
	if given == nil {
		return s.Priors(), nil
	}
	return priors.Normalize(given, s.NumClasses(), func(i int) string { return naming.Class(s.Classes, i) })
}

// rowGrain is the number of rows that one goroutine processes. Package model already passes blocks of rows in
// parallel, so these are not split further.
const rowGrain = 512

// work is the scratch memory for a block of rows.
type work = densities.Scratch

var works = sync.Pool{New: func() any { return new(work) }}

// mixed is a classifier with several densities per class.
type mixed interface {
	// classes replaces the log-densities of the components by the log-densities of the classes.
	classes(scores []float64, stride int, s *work)
}

// densityPosteriors writes the posteriors of the rows of x to dst, N×c, by the densities of the classes, or of the
// components of a mixture; m is nil without components. Blocks of rows run in parallel. An empty dst is resized.
// densityPosteriors panics with mat.ErrShape if dst has another shape or x has another number of columns. It checks ctx
// before every block and returns its error.
func densityPosteriors(ctx context.Context, d *densities.Gaussians, dst *mat.Dense, x mat.Matrix, c int, as form,
	m mixed) error {
	n, cols := x.Dims()
	if cols != d.Dim() {
		panic(mat.ErrShape)
	}
	rows.Shape(dst, n, c)
	if n <= rowGrain { // without a closure, because a single prediction must not allocate
		densityBlocks(ctx, d, dst, rows.New(x), 0, n, c, as, m)
		return ctx.Err()
	}
	parallelPosteriors(ctx, d, dst, x, c, as, m)
	return ctx.Err()
}

func parallelPosteriors(ctx context.Context, d *densities.Gaussians, dst *mat.Dense, x mat.Matrix, c int, as form,
	m mixed) {
	in := rows.New(x)
	par.For(in.Rows, rowGrain, func(_, from, to int) { densityBlocks(ctx, d, dst, in, from, to, c, as, m) })
}

// densityBlocks writes the posteriors of [densityPosteriors] for the rows [from, to), block by block.
func densityBlocks(ctx context.Context, d *densities.Gaussians, dst *mat.Dense, in *rows.Reader, from, to, c int,
	as form, m mixed) {
	s := works.Get().(*work)
	defer works.Put(s)
	block := min(max(1<<11/(d.Dim()+1)&^63, 64), rowGrain) // rows whose features stay in the cache
	for lo := from; lo < to && ctx.Err() == nil; lo += block {
		hi := min(lo+block, to)
		scores, stride := d.Scores(in, lo, hi, s)
		if m != nil {
			m.classes(scores, stride, s)
		}
		for i := range hi - lo {
			row := dst.RawRowView(lo + i)
			for j := range row {
				row[j] = scores[j*stride+i]
			}
		}
		normalizeRows(dst, lo, hi, as)
	}
}

// affineScores writes to dst the posteriors of the scores (x - center) A + intercepts of the rows x, where A is n×k, in
// the given form. Rows are processed in parallel. It checks ctx before every block and returns its error. Closures are
// confined to functions that are called for many rows, because a single prediction must not allocate.
func affineScores(ctx context.Context, dst *mat.Dense, x mat.Matrix, center, a, intercepts []float64, as form) error {
	in, k := rows.New(x), len(intercepts)
	n := in.Cols
	block := min(max(workValues/(k+n), 64), max(in.Rows, 1))
	if in.Rows <= rowGrain { // a single goroutine, so the data stay in its cache
		block = min(block, max(1<<13/k, 64))
	}
	s := works.Get().(*work)
	defer works.Put(s)
	buf, w := vec.Room(&s.X, block*n), vec.Room(&s.Scores, block*k)
	for lo := 0; lo < in.Rows; lo += block {
		if err := ctx.Err(); err != nil {
			return err
		}
		m := min(block, in.Rows-lo)
		in.Block(buf, lo, lo+m, center)
		dense.Gemm(false, false, m, k, n, 1, buf, n, a, k, 0, w, k)
		if grain := max(rowGrain, 1<<14/k); m <= grain {
			shiftRows(dst, w, intercepts, lo, 0, m, as)
		} else {
			shiftInParallel(dst, w, intercepts, lo, m, grain, as)
		}
	}
	return nil
}

func shiftInParallel(dst *mat.Dense, w, intercepts []float64, lo, m, grain int, as form) {
	par.For(m, grain, func(_, from, to int) { shiftRows(dst, w, intercepts, lo, from, to, as) })
}

// shiftRows writes the rows [from, to) of w, plus the intercepts, to the rows of dst from lo+from on, and normalizes
// them.
func shiftRows(dst *mat.Dense, w, intercepts []float64, lo, from, to int, as form) {
	k := len(intercepts)
	for i := from; i < to; i++ {
		out := dst.RawRowView(lo + i)
		for j, v := range w[i*k : (i+1)*k] {
			out[j] = v + intercepts[j]
		}
	}
	normalizeRows(dst, lo+from, lo+to, as)
}
