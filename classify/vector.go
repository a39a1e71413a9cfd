package classify

import (
	"context"
	"sync"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/classifiers/common"
	"rao/internal/densities"
	"rao/internal/linalg/dense"
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
	return priors.Normalize(given, s.NumClasses(), s.Name)
}

// rowGrain is the number of rows that one goroutine processes. Package model already passes blocks of rows in
// parallel, so these are not split further.
const rowGrain = 512

// work is the scratch memory for a block of rows.
type work = densities.Scratch

var works = sync.Pool{New: func() any { return new(work) }}

// eachBlock calls use for blocks of the rows lo to hi-1 of x with their log-densities, in the form of
// [densities.Gaussians.Scores]. Blocks run in parallel. An empty dst is resized to N×c. eachBlock panics with
// mat.ErrShape if dst has another shape or x has another number of columns. It checks ctx before every block and
// returns its error.
func eachBlock(ctx context.Context, d *densities.Gaussians, dst *mat.Dense, x mat.Matrix, c int,
	use func(lo, hi int, scores []float64, stride int, s *work)) error {
	n := d.Dim()
	in := rows.New(x)
	if in.Cols != n {
		panic(mat.ErrShape)
	}
	common.Shape(dst, in.Rows, c)
	block := min(max(1<<11/(n+1)&^63, 64), rowGrain) // rows whose features stay in the cache
	par.For(in.Rows, rowGrain, func(_, from, to int) {
		s := works.Get().(*work)
		defer works.Put(s)
		for lo := from; lo < to; lo += block {
			if ctx.Err() != nil {
				return
			}
			hi := min(lo+block, to)
			scores, stride := d.Scores(in, lo, hi, s)
			use(lo, hi, scores, stride, s)
		}
	})
	return ctx.Err()
}

// affineScores is the common part of all Gaussian classifiers. For blocks of input rows x it computes W = (x -
// center) A, where A is n×k, and calls each with every row of W and the row of dst to fill with logarithms of
// unnormalized probabilities, which then become posteriors of the given form. each runs in parallel. It checks ctx
// before every block and returns its error.
func affineScores(ctx context.Context, dst *mat.Dense, x mat.Matrix, center, a []float64, k int, as form,
	each func(w, out []float64)) error {
	in := rows.New(x)
	n := in.Cols
	block := min(max(workValues/(k+n), 64), max(in.Rows, 1))
	if in.Rows <= rowGrain { // a single goroutine, so the data stay in its cache
		block = min(block, max(1<<13/k, 64))
	}
	s := works.Get().(*work)
	defer works.Put(s)
	buf, w := densities.Room(&s.X, block*n), densities.Room(&s.Scores, block*k)
	for lo := 0; lo < in.Rows; lo += block {
		if err := ctx.Err(); err != nil {
			return err
		}
		m := min(block, in.Rows-lo)
		par.For(m, rowGrain, func(_, from, to int) { in.Read(buf[from*n:], n, lo+from, lo+to, center) })
		dense.Gemm(false, false, m, k, n, 1, buf, n, a, k, 0, w, k)
		par.For(m, max(rowGrain, 1<<14/k), func(_, from, to int) {
			for i := from; i < to; i++ {
				each(w[i*k:(i+1)*k], dst.RawRowView(lo+i))
			}
			normalizeRows(dst, lo+from, lo+to, as)
		})
	}
	return nil
}
