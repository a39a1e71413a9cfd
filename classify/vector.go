package classify

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/densities"
	"rao/internal/linalg/dense"
	"rao/internal/linalg/eig"
	"rao/internal/linalg/vec"
	"rao/internal/par"
	"rao/internal/priors"
	"rao/internal/rows"
)

// workValues limits the scratch memory for a block of rows, in float64 values.
const workValues = 1 << 22

const pivotTolerance = densities.PivotTolerance

// shape resizes an empty dst to r×c. It panics with mat.ErrShape if dst has another shape.
func shape(dst *mat.Dense, r, c int) {
	if dst.IsEmpty() {
		if r == 0 {
			return
		}
		dst.ReuseAs(r, c)
		return
	}
	if dr, dc := dst.Dims(); dr != r || dc != c {
		panic(mat.ErrShape)
	}
}

// checkPriors returns the given priors normalized to sum to one, or the shares of the counts if there are none.
func checkPriors(s *gaussian.Statistics, given []float64) ([]float64, error) {
	if given == nil {
		return s.Priors(), nil
	}
	return priors.Normalize(given, s.NumClasses(), s.Name)
}

// smallestEigenvalue returns the smallest eigenvalue of a symmetric n×n matrix, or NaN if it cannot be computed.
func smallestEigenvalue(a []float64, n int) float64 {
	values := make([]float64, n)
	if eig.Sym(values, slices.Clone(a), n, false, make([]float64, eig.WorkLen(n))) != nil {
		return math.NaN()
	}
	return values[0]
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
	shape(dst, in.Rows, c)
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

// checkMatrix returns an error unless m is rows×cols and finite.
func checkMatrix(what string, m *mat.Dense, rows, cols int) error {
	if m == nil {
		return fmt.Errorf("%s are missing", what)
	}
	if r, c := m.Dims(); r != rows || c != cols {
		return fmt.Errorf("%s are %d×%d, want %d×%d", what, r, c, rows, cols)
	}
	for i := range rows {
		if j := vec.NotFinite(m.RawRowView(i)); j >= 0 {
			return fmt.Errorf("%s: value (%d,%d) is %g", what, i, j, m.At(i, j))
		}
	}
	return nil
}

// checkProbabilities returns an error unless p has c positive numbers that sum to one.
func checkProbabilities(what string, p []float64, c int) error {
	if len(p) != c {
		return fmt.Errorf("%d %s for %d classes", len(p), what, c)
	}
	sum := 0.0
	for _, v := range p {
		if !(v > 0) {
			return fmt.Errorf("%s must be positive, one is %g", what, v)
		}
		sum += v
	}
	if !(math.Abs(sum-1) < 1e-6) {
		return fmt.Errorf("%s sum to %g, not to one", what, sum)
	}
	return nil
}

// grown returns s with the given length, in new memory if s is too short. Its contents are arbitrary.
func grown(s []float64, n int) []float64 {
	if cap(s) < n {
		return make([]float64, n)
	}
	return s[:n]
}
