package linearfilters

import (
	"context"
	"math"
	"math/rand/v2"

	"rao/internal/linalg/dense"
	"rao/internal/linalg/eig"
	"rao/internal/linalg/orth"
	"rao/internal/linalg/vec"
)

// operator sets dst to A Q for a symmetric positive semidefinite A. q and dst have b columns; the rows of q are ldq
// values apart, and the rows of dst ldd values.
type operator func(b int, q []float64, ldq int, dst []float64, ldd int)

// Symmetric returns the operator of the symmetric n×n matrix a.
func Symmetric(a []float64, n int) operator {
	return func(b int, q []float64, ldq int, dst []float64, ldd int) { dense.Project(n, b, a, n, q, ldq, dst, ldd) }
}

// Few reports whether m of n eigenpairs are found faster by iteration than by a full decomposition.
func Few(n, m int) bool { return 4*(m+max(m, 10)) <= n }

// maxBlocks is the number of blocks after which a full decomposition is cheaper.
const maxBlocks = 200

// Krylov finds the m leading eigenpairs of a symmetric positive semidefinite operator by block Lanczos with full
// orthogonalization and thick restarts (Saad 2011, sections 6.4 and 7.3). The basis grows by the residuals of the
// leading Ritz vectors, and shrinks to the leading Ritz vectors when it is full. Each call of Solve starts from the
// last solution, so a similar operator needs few blocks.
type Krylov struct {
	n, m, B, most   int // most: maximum number of columns of the basis
	d               int // number of columns in use
	v, av           []float64
	block, t        []float64 // n×b
	h, u            []float64 // Rayleigh quotient and its eigenvectors, most×most
	theta, work     []float64
	Values, Vectors []float64
	rng             *rand.Rand
}

func NewKrylov(n, m int) *Krylov {
	b := min(n, m+4)
	most := min(n, max(8*b, 64))
	w := &Krylov{n: n, m: m, B: b, most: most, v: make([]float64, n*most), av: make([]float64, n*most),
		block: make([]float64, n*b), t: make([]float64, n*b), h: make([]float64, most*most),
		u:     make([]float64, most*most),
		theta: make([]float64, most), work: make([]float64, eig.WorkLen(most)),
		Values: make([]float64, m), Vectors: make([]float64, n*m), rng: rand.New(rand.NewPCG(1, 1))}
	for i := range w.block {
		w.block[i] = w.rng.NormFloat64()
	}
	return w
}

// Solve computes Values, in descending order, and Vectors, as columns. The residual of each pair is at most tol times
// the largest eigenvalue. It returns false if it needs too many blocks, if a value is not finite, or if ctx has ended.
// If at least one block was computed, Values and Vectors are then the best results so far.
func (w *Krylov) Solve(ctx context.Context, apply operator, tol float64) bool {
	n, b, most := w.n, w.B, w.most
	w.d = 0
	for range maxBlocks {
		if w.d+b > most {
			w.restart()
		}
		w.orthogonalize()
		at := w.d
		w.put(w.v, w.block, at)
		apply(b, w.v[at:], most, w.av[at:], most)
		w.d += b
		dense.Gemm(true, false, w.d, b, n, 1, w.v, most, w.av[at:], most, 0, w.h[at:], most)
		for i := range w.d {
			for j := at; j < w.d; j++ {
				w.h[j*most+i] = w.h[i*most+j]
			}
		}
		if !w.ritz() {
			return false
		}
		worst := w.residuals()
		w.answer()
		done := worst <= tol*w.theta[w.d-1]
		if done || ctx.Err() != nil {
			w.combine(w.block, w.v, w.u, b) // start of the next call
			return done
		}
	}
	return false
}

// put copies the n×b block to columns at, at+1, ... of the basis dst.
func (w *Krylov) put(dst, block []float64, at int) {
	for i := range w.n {
		copy(dst[i*w.most+at:i*w.most+at+w.B], block[i*w.B:(i+1)*w.B])
	}
}

// orthogonalize makes the block orthonormal and orthogonal to the basis.
func (w *Krylov) orthogonalize() {
	n, b, d, most := w.n, w.B, w.d, w.most
	c := w.t[:d*b]
	for range 2 {
		if d > 0 {
			dense.Gemm(true, false, d, b, n, 1, w.v, most, w.block, b, 0, c, b)
			dense.Gemm(false, false, n, b, d, -1, w.v, most, c, b, 1, w.block, b)
		}
		vec.NormalizeColumns(w.block, b)
		orth.Columns(w.block, n, b, b, 1e-10, w.redraw)
	}
}

// redraw replaces a column that depends on earlier columns by a random one.
func (w *Krylov) redraw(_ int, column []float64) bool {
	for i := range column {
		column[i] = w.rng.NormFloat64()
	}
	return true
}

// ritz solves the projected problem. It sets theta to the eigenvalues, in ascending order, and u to the eigenvectors,
// as columns of a d×d matrix.
func (w *Krylov) ritz() bool {
	d := w.d
	for i := range d {
		copy(w.u[i*d:(i+1)*d], w.h[i*w.most:i*w.most+d])
	}
	return eig.Sym(w.theta[:d], w.u[:d*d], d, true, w.work) == nil && w.theta[d-1] > 0
}

// combine sets dst, n×k, to the k leading Ritz combinations of the columns of basis, largest first.
func (w *Krylov) combine(dst, basis, u []float64, k int) {
	d := w.d
	lead := make([]float64, d*k)
	for i := range d {
		for j := range k {
			lead[i*k+j] = u[i*d+d-1-j]
		}
	}
	dense.Gemm(false, false, w.n, k, d, 1, basis, w.most, lead, k, 0, dst, k)
}

// residuals sets the block to A v - θ v for the b leading pairs and returns the largest norm among the first m.
func (w *Krylov) residuals() float64 {
	n, b := w.n, w.B
	w.combine(w.block, w.av, w.u, b)
	w.combine(w.t, w.v, w.u, b)
	norms := make([]float64, b)
	for i := range n {
		for j := range b {
			r := w.block[i*b+j] - w.theta[w.d-1-j]*w.t[i*b+j]
			w.block[i*b+j] = r
			norms[j] += r * r
		}
	}
	worst := 0.0
	for _, s := range norms[:w.m] {
		worst = math.Max(worst, math.Sqrt(s))
	}
	return worst
}

// answer copies the leading pairs to Values and Vectors. residuals must be called first; it computes the vectors.
func (w *Krylov) answer() {
	for j := range w.m {
		w.Values[j] = w.theta[w.d-1-j]
	}
	for i := range w.n {
		copy(w.Vectors[i*w.m:(i+1)*w.m], w.t[i*w.B:])
	}
}

// restart shrinks the basis to the leading Ritz vectors, up to 2b.
func (w *Krylov) restart() {
	keep := min(2*w.B, w.most-w.B)
	tmp := make([]float64, w.n*keep)
	for _, basis := range [][]float64{w.v, w.av} {
		w.combine(tmp, basis, w.u, keep)
		for i := range w.n {
			copy(basis[i*w.most:i*w.most+keep], tmp[i*keep:(i+1)*keep])
		}
	}
	clear(w.h)
	for j := range keep {
		w.h[j*w.most+j] = w.theta[w.d-1-j]
	}
	w.d = keep
}
