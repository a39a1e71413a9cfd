package spd

import (
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"rao/internal/linalg/vec"
)

// Log writes the matrix logarithm of every matrix of x to dst, which may be x. An empty dst is resized; another shape
// panics with mat.ErrShape.
//
//	log A = V diag(log λ) V'
//
// The error names the first matrix that is not finite, not symmetric or not positive definite to working precision
// (λmin ≤ n·2⁻⁵²·λmax).
func Log(dst, x *Stack) error { return apply(dst, x, true, math.Log) }

// Exp writes the matrix exponential of every symmetric matrix of x to dst, which may be x and is resized as by [Log].
// The error names the first matrix that is not finite or not symmetric.
func Exp(dst, x *Stack) error { return apply(dst, x, false, math.Exp) }

// Sqrt writes the symmetric positive definite square root of every matrix of x to dst, which may be x and is resized as
// by [Log]. It returns the same errors as Log.
func Sqrt(dst, x *Stack) error { return apply(dst, x, true, math.Sqrt) }

// InvSqrt writes the inverse square root of every matrix of x to dst, which may be x and is resized as by [Log]. It
// returns the same errors as Log.
func InvSqrt(dst, x *Stack) error { return apply(dst, x, true, invSqrt) }

// Pow writes the power p of every matrix of x to dst, which may be x and is resized as by [Log]. The matrices must be
// positive definite for every p. It returns the same errors as Log.
func Pow(dst, x *Stack, p float64) error {
	return apply(dst, x, true, func(v float64) float64 { return math.Pow(v, p) })
}

// apply is [team.apply] for a single pass.
func apply(dst, x *Stack, definite bool, f func(float64) float64) error {
	crew := passes.Get().(*team)
	defer passes.Put(crew)
	return crew.apply(dst, x, "matrix", definite, f)
}

// apply writes V diag(f(λ)) V' of every matrix of x to dst.
func (t *team) apply(dst, x *Stack, role string, definite bool, f func(float64) float64) error {
	if err := x.verify(role); err != nil {
		return err
	}
	dst.fit(x.Count, x.Dim)
	n, nn := x.Dim, x.Dim*x.Dim
	return t.batches(x.Count, n, func(s *scratch, lo, hi int) error {
		return s.function(dst.Data[lo*nn:hi*nn], nil, x, lo, hi, role, definite, f)
	})
}

// function writes V diag(f(λ)) V' for each matrix V diag(λ) V'. These are the matrices lo to hi-1 of x or, if white is
// not nil, W X W'. With definite, an eigenvalue that is not positive to working precision is an error. out may be the
// memory of x, which is unchanged after an error. It uses scratch slices 0 and 3.
func (s *scratch) function(out, white []float64, x *Stack, lo, hi int, role string, definite bool,
	f func(float64) float64) error {
	return s.functions(out, white, x, lo, hi, role, definite, func(_ int, values []float64) {
		for i, v := range values {
			values[i] = f(v)
		}
	})
}

// functions is like function, but f replaces the eigenvalues of matrix lo+k.
func (s *scratch) functions(out, white []float64, x *Stack, lo, hi int, role string, definite bool,
	f func(k int, values []float64)) error {
	in, to := x.block(lo, hi, s), out
	if hi > lo && &in[0] == &out[0] {
		to = s.buf(0, len(in))
	}
	n := x.Dim
	bad, least, most := -1, 0.0, 0.0
	err := s.w.Function(to, white, in, n, hi-lo, func(k int, values []float64) {
		if definite && bad < 0 {
			if a, b := slices.Min(values), slices.Max(values); !definiteRange(a, b, n) {
				bad, least, most = lo+k, a, b
			}
		}
		f(k, values)
	})
	switch {
	case err != nil:
		return failed(err, x, lo, role)
	case bad >= 0 && white != nil:
		return notDefinite(x.At(bad), n, role, bad)
	case bad >= 0:
		return &MatrixError{Role: role, Index: bad, Problem: ProblemNotPositiveDefinite, Value: least, Largest: most}
	}
	if hi > lo && &to[0] != &out[0] {
		copy(out, to)
	}
	return nil
}

// spread describes the logarithms of the eigenvalues of a matrix: the smallest, the largest and the sum of their
// squares.
type spread struct{ least, most, squares float64 }

// addLogarithms adds to sum the logarithms of the matrices W X W', where W is white, each multiplied by its weight
// unless weights is nil. It also writes them to out unless out is nil. f may change the logarithms of the eigenvalues
// of matrix lo+k. A matrix that is not positive definite is an error.
func (s *scratch) addLogarithms(sum, weights, out, white []float64, x *Stack, lo, hi int, role string,
	f func(k int, logs []float64, of spread)) error {
	n, bad := x.Dim, -1
	limit := math.Log(float64(n) * unit)
	err := s.w.AddLogarithms(sum, weights, out, white, x.block(lo, hi, s), n, hi-lo,
		func(k int, logs []float64, squares float64) {
			of := spread{slices.Min(logs), slices.Max(logs), squares}
			if bad < 0 && !(of.least-of.most > limit) { // see definiteRange
				bad = lo + k
			}
			f(k, logs, of)
		})
	switch {
	case err != nil:
		return failed(err, x, lo, role)
	case bad >= 0:
		return notDefinite(x.At(bad), n, role, bad)
	}
	return nil
}

// eigen decomposes matrices lo..hi-1 of x; with definite, an eigenvalue that is not positive to working precision is an
// error. It uses scratch slice 3.
func (s *scratch) eigen(vals, vecs []float64, x *Stack, lo, hi int, role string, definite bool) error {
	n := x.Dim
	if err := s.w.Eigen(vals, vecs, x.block(lo, hi, s), n, hi-lo); err != nil {
		return failed(err, x, lo, role)
	}
	if !definite {
		return nil
	}
	for k := range hi - lo {
		if v := vals[k*n : (k+1)*n]; !definiteRange(v[0], v[n-1], n) {
			return &MatrixError{Role: role, Index: lo + k, Problem: ProblemNotPositiveDefinite, Value: v[0],
				Largest: v[n-1]}
		}
	}
	return nil
}

// definiteRange reports whether n eigenvalues between least and most are positive to working precision. Smaller
// eigenvalues are rounding errors of a singular matrix.
func definiteRange(least, most float64, n int) bool { return least > float64(n)*unit*most }

// factors writes the Cholesky factors (lower, zeros above) of matrices lo to hi-1 of x to l. A pivot that has lost all
// digits relative to its own diagonal entry is an error. This test does not depend on the units of the channels. It
// uses scratch slice 3.
func (s *scratch) factors(l []float64, x *Stack, lo, hi int, role string) error {
	n, nn := x.Dim, x.Dim*x.Dim
	a := x.block(lo, hi, s)
	if err := s.w.Cholesky(l, a, n, hi-lo); err != nil {
		return failed(err, x, lo, role)
	}
	limit := float64(n) * unit
	for k := range hi - lo {
		for i := range n {
			p := k*nn + i*n + i
			if l[p]*l[p] <= limit*x.Data[(lo+k)*x.Stride+i*n+i] {
				return notDefinite(x.At(lo+k), n, role, lo+k)
			}
		}
	}
	return nil
}

// whiteners returns L⁻¹ for every matrix A = L L' of x, contiguous, in the memory of out if it is large enough.
func (t *team) whiteners(out []float64, x *Stack, role string) ([]float64, error) {
	vec.Room(&out, x.Count*x.Dim*x.Dim)
	return out, batchesWith(t, x.Count, x.Dim, whitenersPass{out, x, role}, whitenersPass.invert)
}

type whitenersPass struct {
	out  []float64
	x    *Stack
	role string
}

func (p whitenersPass) invert(s *scratch, lo, hi int) error {
	nn := p.x.Dim * p.x.Dim
	l := s.buf(0, (hi-lo)*nn)
	if err := s.factors(l, p.x, lo, hi, p.role); err != nil {
		return err
	}
	s.w.InvertLower(p.out[lo*nn:hi*nn], l, p.x.Dim, hi-lo)
	return nil
}

// spectrum is the eigendecomposition of one matrix, used for functions of a reference.
type spectrum struct {
	n    int
	vals []float64
	vecs []float64 // column j belongs to vals[j]
}

// decompose returns the spectrum of the n×n matrix a. With definite, a must be positive definite.
func decompose(a []float64, n int, role string, definite bool) (*spectrum, error) {
	sp := new(spectrum)
	if err := sp.of(a, n, role, definite); err != nil {
		return nil, err
	}
	return sp, nil
}

// of sets sp to the spectrum of the matrix a.
func (sp *spectrum) of(a []float64, n int, role string, definite bool) error {
	if len(a) < n*n {
		panic(mat.ErrShape)
	}
	s := singles.Get().(*scratch)
	defer singles.Put(s)
	x := &s.one
	*x = Stack{Count: 1, Dim: n, Stride: n * n, Data: a[:n*n]}
	defer func() { *x = Stack{} }()
	if err := x.verify(role); err != nil {
		return single(err)
	}
	if sp.n != n {
		sp.n, sp.vals, sp.vecs = n, make([]float64, n), make([]float64, n*n)
	}
	return single(s.eigen(sp.vals, sp.vecs, x, 0, 1, role, definite))
}

// function returns V diag(f(λ)) V'.
func (sp *spectrum) function(f func(float64) float64) []float64 {
	out := make([]float64, sp.n*sp.n)
	sp.functionInto(out, f)
	return out
}

func (sp *spectrum) functionInto(out []float64, f func(float64) float64) {
	s := singles.Get().(*scratch)
	defer singles.Put(s)
	v := s.values(sp.n)
	for i, l := range sp.vals {
		v[i] = f(l)
	}
	s.w.Rebuild(out, sp.vecs, v, sp.n, 1)
	vec.Symmetrize(out, sp.n)
}

func (sp *spectrum) sqrt() []float64    { return sp.function(math.Sqrt) }
func (sp *spectrum) invSqrt() []float64 { return sp.function(invSqrt) }
func (sp *spectrum) log() []float64     { return sp.function(math.Log) }

func invSqrt(v float64) float64 { return 1 / math.Sqrt(v) }

// whitening is a square root of a reference or its inverse, with the memory to compute it.
type whitening struct {
	ref, root []float64
	sp        spectrum
}

var whitenings = sync.Pool{New: func() any { return new(whitening) }}

// full is the function full, using the memory of w.
func (w *whitening) full(a mat.Symmetric) []float64 {
	if s, ok := a.(*mat.SymDense); a == nil || ok && s == nil {
		return nil
	}
	n := a.SymmetricDim()
	if len(w.ref) != n*n {
		w.ref = make([]float64, n*n)
	}
	fill(w.ref, a)
	return w.ref
}

// of sets w.root to f, math.Sqrt or invSqrt, of a reference of order n.
func (w *whitening) of(ref []float64, n int, f func(float64) float64) error {
	if len(w.root) != n*n {
		w.root = make([]float64, n*n)
	}
	if err := w.sp.of(ref, n, "reference", true); err != nil {
		return err
	}
	w.sp.functionInto(w.root, f)
	return nil
}
