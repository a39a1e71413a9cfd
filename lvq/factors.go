package lvq

import (
	"errors"
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/mat"

	"rao/internal/faults"
	"rao/internal/linalg/small"
	"rao/internal/linalg/vec"
	"rao/internal/rows"
	"rao/spd"
)

// factors is the affine-invariant space. Only the inverse factor L⁻¹ of a prototype W = L L' is stored. It is
// sufficient for distances and steps:
//
//	M = L⁻¹ X L⁻ᵀ = U diag(λ) U',  δ²(X, W) = Σ log² λ
//	Exp_W(a Log_W X) = L M^a L':   L⁻¹ ← diag(λ^(−a/2)) U' L⁻¹
//
// L is computed from L⁻¹ when it is needed, so the two factors always agree. U is orthogonal up to rounding, and so is
// every step.
type factors struct {
	n       int
	x       *spd.Stack
	inverse []float64 // p×n×n
	measure bool      // distances only: no eigenvectors, so no steps
	ws      small.Workspace
	buf     []float64
}

func newFactors(x, prototypes *spd.Stack) (*factors, error) {
	n, p := prototypes.Dim, prototypes.Count
	f := &factors{n: n, x: x, inverse: make([]float64, p*n*n), buf: make([]float64, 3*n*n+n)}
	l := make([]float64, p*n*n)
	if err := f.ws.Cholesky(l, prototypes.Contiguous(), n, p); err != nil {
		return nil, placeError("prototype", err, func(k int) int { return k })
	}
	f.ws.InvertLower(f.inverse, l, n, p)
	return f, nil
}

func (f *factors) samples() int { return f.x.Count }
func (f *factors) frame() int   { return f.n * f.n }

func (f *factors) at(l int) []float64 {
	nn := f.n * f.n
	return f.inverse[l*nn : (l+1)*nn]
}

func (f *factors) snapshot(dst []float64) []float64 { return append(dst, f.inverse...) }
func (f *factors) restore(state []float64)          { copy(f.inverse, state) }

// apply moves prototype l along the tangent matrix T, in whitened coordinates: W ← L exp(T) L'. The length of the step
// is ‖T‖.
func (f *factors) apply(l int, tangent []float64) (float64, error) {
	n, nn := f.n, f.n*f.n
	u, next, values := f.buf[:nn], f.buf[nn:2*nn], f.buf[3*nn:]
	if err := f.ws.Eigen(values, u, tangent, n, 1); err != nil {
		return 0, faults.Option("the step of prototype %d is not finite; use a lower learning rate", l)
	}
	f.ws.Mul(next, u, f.at(l), true, false, n, 1)
	length := 0.0
	for i, v := range values {
		length += v * v
		scaleTo(f.at(l)[i*n:(i+1)*n], next[i*n:(i+1)*n], math.Exp(-v/2))
	}
	return math.Sqrt(length), nil
}

// scaleTo writes s·src to dst.
func scaleTo(dst, src []float64, s float64) {
	for i, v := range src {
		dst[i] = s * v
	}
}

// lower writes the factor L of prototype l, the inverse of the stored L⁻¹.
func (f *factors) lower(dst []float64, l int) error {
	n := f.n
	out := mat.NewDense(n, n, dst)
	if rows.Singular(out.Inverse(mat.NewDense(n, n, f.at(l)))) != nil {
		return faults.Option("prototype %d has become singular; lower the rate or raise sigma2", l)
	}
	return nil
}

// stack computes the prototypes W = L L'.
func (f *factors) stack() (*spd.Stack, error) {
	nn := f.n * f.n
	p := len(f.inverse) / nn
	out := spd.NewStack(p, f.n)
	l := make([]float64, p*nn)
	for k := range p {
		if err := f.lower(l[k*nn:(k+1)*nn], k); err != nil {
			return nil, err
		}
	}
	f.ws.Mul(out.Data, l, l, false, true, f.n, p)
	vec.SymmetrizeAll(out.Data, f.n, p)
	return out, nil
}

// factorEval computes distances and steps in a factors space.
type factorEval struct {
	f                     *factors
	ws                    small.Workspace
	pairs                 []pair
	x, li, m, vecs, value []float64
	tmp                   []float64
}

func (f *factors) evaluator(pairs int) evaluator {
	if pairs <= 4 {
		return &factorEval{f: f, ws: small.Workspace{Narrow: true}}
	}
	e := factorEvals.Get().(*factorEval)
	e.f = f
	return e
}

// factorEvals pools evaluators for many pairs.
var factorEvals = sync.Pool{New: func() any { return new(factorEval) }}

// giveBack returns e to the pool; it must not be used afterwards.
func (e *factorEval) giveBack() {
	if e.ws.Narrow {
		return
	}
	e.f, e.pairs = nil, nil
	factorEvals.Put(e)
}

func (e *factorEval) grow(k int) {
	n := e.f.n
	if len(e.value) >= k*n && len(e.x) >= k*n*n {
		return
	}
	e.x, e.li = make([]float64, k*n*n), make([]float64, k*n*n)
	e.m, e.vecs = make([]float64, k*n*n), make([]float64, k*n*n)
	e.value, e.tmp = make([]float64, k*n), make([]float64, k*n*n)
}

func (e *factorEval) distances(d []float64, pairs []pair) error {
	n, nn, k := e.f.n, e.f.n*e.f.n, len(pairs)
	e.grow(k)
	e.pairs = pairs
	for s, q := range pairs {
		copy(e.x[s*nn:(s+1)*nn], e.f.x.At(q.sample))
		copy(e.li[s*nn:(s+1)*nn], e.f.at(q.prototype))
	}
	e.ws.Congruence(e.m[:k*nn], e.li[:k*nn], e.x[:k*nn], n, k, false)
	var err error
	if e.f.measure {
		err = e.ws.EigenValues(e.value[:k*n], e.m[:k*nn], n, k)
	} else {
		err = e.ws.Eigen(e.value[:k*n], e.vecs[:k*nn], e.m[:k*nn], n, k)
	}
	if err != nil {
		return e.place(err)
	}
	for s := range pairs {
		sum := 0.0
		for i := s * n; i < (s+1)*n; i++ {
			if !(e.value[i] > 0) {
				return e.indefinite(s, e.value[i])
			}
			e.value[i] = math.Log(e.value[i])
			sum += e.value[i] * e.value[i]
		}
		d[s] = sum
	}
	return nil
}

// move applies L⁻¹ ← diag(λ^(−a/2)) U' L⁻¹ to several prototypes at once.
func (e *factorEval) move(slots []int, a []float64) error {
	n, nn := e.f.n, e.f.n*e.f.n
	// Move the eigenvectors and factors of the slots to the front. Slots ascend, so a block is never overwritten
	// before it is read.
	for k, s := range slots {
		if k != s {
			copy(e.vecs[k*nn:(k+1)*nn], e.vecs[s*nn:(s+1)*nn])
			copy(e.li[k*nn:(k+1)*nn], e.li[s*nn:(s+1)*nn])
		}
	}
	k := len(slots)
	e.ws.Mul(e.tmp[:k*nn], e.vecs[:k*nn], e.li[:k*nn], true, false, n, k)
	for j, s := range slots {
		li := e.f.at(e.pairs[s].prototype)
		for i := range n {
			h := math.Exp(-a[j] / 2 * e.value[s*n+i])
			scaleTo(li[i*n:(i+1)*n], e.tmp[j*nn+i*n:j*nn+(i+1)*n], h)
		}
	}
	return nil
}

// accumulate adds a log M = U diag(a log λ) U' of every slot.
func (e *factorEval) accumulate(tangents []float64, a []float64) {
	n, nn, k := e.f.n, e.f.n*e.f.n, len(e.pairs)
	for s, v := range a {
		scaleTo(e.tmp[s*n:(s+1)*n], e.value[s*n:(s+1)*n], v)
	}
	e.ws.Rebuild(e.m[:k*nn], e.vecs[:k*nn], e.tmp[:k*n], n, k)
	for s, v := range a {
		if v != 0 {
			l := e.pairs[s].prototype
			vec.Axpy(tangents[l*nn:(l+1)*nn], 1, e.m[s*nn:(s+1)*nn])
		}
	}
}

// place converts a kernel error to an error that names the sample.
func (e *factorEval) place(err error) error {
	var k *small.Error
	if errors.As(err, &k) && k.Index < len(e.pairs) {
		q := e.pairs[k.Index]
		return fmt.Errorf("distance of matrix %d to prototype %d: %w", q.sample, q.prototype, err)
	}
	return err
}

func (e *factorEval) indefinite(slot int, value float64) error {
	q := e.pairs[slot]
	return faults.Also(fmt.Errorf("matrix %d is not positive definite up to rounding (eigenvalue %.3g relative to "+
		"prototype %d); repair or shrink the matrix", q.sample, value, q.prototype), &spd.MatrixError{Role: "matrix",
		Index: q.sample, Problem: spd.ProblemNotPositiveDefinite, Value: value})
}

// placeError names the matrix that a kernel could not handle.
func placeError(what string, err error, index func(int) int) error {
	var k *small.Error
	if !errors.As(err, &k) {
		return fmt.Errorf("%s: %w", what, err)
	}
	i := index(k.Index)
	switch k.Reason {
	case small.NotFinite:
		return fmt.Errorf("%s %d has a value that is not finite; leave the matrix out or repair it",
			what, i)
	case small.NotPositiveDefinite:
		return fmt.Errorf("%s %d is not positive definite (smallest pivot %.3g); repair or shrink the matrix",
			what, i, k.Value)
	}
	return fmt.Errorf("%s %d: %w", what, i, err)
}
