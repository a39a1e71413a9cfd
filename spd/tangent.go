package spd

import (
	"context"
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/faults"
	"rao/internal/linalg/vec"
	"rao/internal/rows"
)

// TangentVectors writes to row k of dst the tangent vector of matrix k at the reference in the affine-invariant
// geometry:
//
//	pack(log(C⁻½ X C⁻½))
//
// where pack lists the upper triangle row by row, with off-diagonal entries multiplied by √2. Euclidean distances
// between the vectors approximate Riemannian distances near the reference (Barachant, Bonnet, Congedo and Jutten 2012).
// The rows equal the output of pyRiemann's tangent_space. An empty dst is resized to Count×n(n+1)/2. Errors name the
// matrix; if ctx is canceled, it returns the error of ctx. After an error, dst is undefined. It panics with
// mat.ErrShape if ref has another order.
func TangentVectors(ctx context.Context, dst *mat.Dense, x *Stack, ref mat.Symmetric) error {
	white := whitenings.Get().(*whitening)
	defer whitenings.Put(white)
	return white.tangentVectors(ctx, dst, x, white.full(ref))
}

func tangentVectors(ctx context.Context, dst *mat.Dense, x *Stack, ref []float64) error {
	white := whitenings.Get().(*whitening)
	defer whitenings.Put(white)
	return white.tangentVectors(ctx, dst, x, ref)
}

func (white *whitening) tangentVectors(ctx context.Context, dst *mat.Dense, x *Stack, ref []float64) error {
	if err := x.verify("matrix"); err != nil {
		return err
	}
	if len(ref) != x.Dim*x.Dim {
		panic(mat.ErrShape)
	}
	if err := white.of(ref, x.Dim, invSqrt); err != nil {
		return err
	}
	rows.Shape(dst, x.Count, vec.PackedLen(x.Dim))
	crew := passes.Get().(*team)
	defer passes.Put(crew)
	return batchesWith(crew, x.Count, x.Dim, tangentPass{ctx, dst, x, white.root}, tangentPass.toVectors)
}

// tangentPass contains the variables of a pass between matrices and tangent vectors, the rows of v.
type tangentPass struct {
	ctx  context.Context
	v    *mat.Dense
	x    *Stack
	root []float64 // C⁻½ towards vectors, C½ towards matrices
}

func (t tangentPass) toVectors(s *scratch, lo, hi int) error {
	if err := t.ctx.Err(); err != nil {
		return err
	}
	n, nn := t.x.Dim, t.x.Dim*t.x.Dim
	logs := s.buf(2, (hi-lo)*nn)
	if err := s.whitenedLog(logs, t.root, t.x, lo, hi); err != nil {
		return err
	}
	for k := lo; k < hi; k++ {
		vec.Pack(t.v.RawRowView(k), logs[(k-lo)*nn:(k-lo+1)*nn], n)
	}
	return nil
}

// MeanVectors returns the Riemannian mean of x, with the report and the errors of [Mean], and writes the tangent
// vectors at the mean to the rows of dst. An empty dst is resized to Count×n(n+1)/2. MeanVectors is faster than [Mean]
// followed by [TangentVectors]: it uses the logarithms of the last pass of the mean, so each vector costs a rotation
// instead of an eigendecomposition. The vectors agree with the results of TangentVectors up to rounding. After an error
// other than a *rao.NotConvergedError dst is undefined.
func MeanVectors(ctx context.Context, dst *mat.Dense, x *Stack, weights []float64,
	opt MeanOptions) (*mat.SymDense, rao.Report, error) {
	begin := time.Now()
	w, opt, err := opt.inputs(x, weights)
	if err != nil {
		return nil, rao.Report{}, err
	}
	rows.Shape(dst, x.Count, vec.PackedLen(x.Dim))
	crew := teams.Get().(*team)
	defer teams.Put(crew)
	f, passes, err := riemannStart(crew, x, w, opt)
	if err != nil {
		return nil, rao.Report{}, err
	}
	mean, rep, unsettled := inFrames(ctx, crew, f, whitenedSum(x, w, nil, dst), 1, passes, "Riemannian mean", opt)
	switch {
	case unsettled == nil:
		err = rotateVectors(ctx, crew, dst, f, mean)
	case rao.HasModel(unsettled):
		err = tangentVectors(ctx, dst, x, mean)
	default:
		err = unsettled
	}
	rep.Elapsed = time.Since(begin)
	if err != nil {
		return nil, rep, err
	}
	return symmetric(x.Dim, mean), rep, unsettled
}

// rotateVectors converts packed logarithms of G⁻¹ X G⁻ᵀ to packed logarithms of M^-½ X M^-½, where M = G G': M^-½ G is
// a rotation.
func rotateVectors(ctx context.Context, crew *team, v *mat.Dense, f *frame, mean []float64) error {
	n, nn := f.n, f.n*f.n
	sp, err := decompose(mean, n, "reference", true)
	if err != nil {
		return err
	}
	turn := make([]float64, nn)
	mul(turn, sp.invSqrt(), f.g, n)
	count, _ := v.Dims()
	return crew.batches(count, n, func(s *scratch, lo, hi int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		t := s.buf(2, (hi-lo)*nn)
		for k := lo; k < hi; k++ {
			vec.Unpack(t[(k-lo)*nn:(k-lo+1)*nn], v.RawRowView(k), n)
		}
		s.w.Congruence(t, turn, t, n, hi-lo, true)
		for k := lo; k < hi; k++ {
			vec.Pack(v.RawRowView(k), t[(k-lo)*nn:(k-lo+1)*nn], n)
		}
		return nil
	})
}

// UntangentVectors writes to dst the matrices whose tangent vectors at the reference are the rows of t. It is the
// inverse of [TangentVectors]:
//
//	C½ exp(unpack(t)) C½
//
// It returns an error that names the row if a value of t or of the resulting matrix is not finite, and an error if ref
// is not SPD. An empty dst is resized. It panics with mat.ErrShape if the shapes of t and ref do not match.
func UntangentVectors(dst *Stack, t mat.Matrix, ref mat.Symmetric) error {
	count, p := t.Dims()
	n := 0
	for vec.PackedLen(n) < p {
		n++
	}
	white := whitenings.Get().(*whitening)
	defer whitenings.Put(white)
	from := white.full(ref)
	if vec.PackedLen(n) != p || len(from) != n*n {
		panic(mat.ErrShape)
	}
	if err := white.of(from, n, math.Sqrt); err != nil {
		return err
	}
	dst.fit(count, n)
	v, ok := t.(*mat.Dense)
	if !ok {
		v = mat.DenseCopyOf(t)
	}
	crew := passes.Get().(*team)
	defer passes.Put(crew)
	return batchesWith(crew, count, n, tangentPass{v: v, x: dst, root: white.root}, tangentPass.toMatrices)
}

func (t tangentPass) toMatrices(s *scratch, lo, hi int) error {
	n, nn := t.x.Dim, t.x.Dim*t.x.Dim
	a := s.buf(1, (hi-lo)*nn)
	for k := lo; k < hi; k++ {
		row := t.v.RawRowView(k)
		if j := vec.NotFinite(row); j >= 0 {
			return fmt.Errorf("tangent vector %d has a value that is not finite at column %d", k, j)
		}
		vec.Unpack(a[(k-lo)*nn:(k-lo+1)*nn], row, n)
	}
	if err := s.exponential(a, n, hi-lo, t.x, lo); err != nil {
		return err
	}
	out := t.x.Data[lo*nn : hi*nn]
	s.w.Congruence(out, t.root, a, n, hi-lo, true)
	for q := 0; q < len(out); q += nn {
		vec.Symmetrize(out[q:q+nn], n)
		if vec.NotFinite(out[q:q+nn]) >= 0 {
			return faults.Data("tangent vector %d is so long that its matrix overflows; check the units", lo+q/nn)
		}
	}
	return nil
}

// congruences writes E X E' for every matrix of x. It took a seventh of the time of [Congruence] for 500 matrices of
// order 32, but its kernel needs a square E.
func congruences(dst, x *Stack, e []float64) error {
	dst.fit(x.Count, x.Dim)
	n, nn := x.Dim, x.Dim*x.Dim
	return batches(x.Count, n, func(s *scratch, lo, hi int) error {
		t := s.buf(1, (hi-lo)*nn)
		s.w.Congruence(t, e, x.block(lo, hi, s), n, hi-lo, true)
		out := dst.Data[lo*nn : hi*nn]
		copy(out, t)
		for q := 0; q < len(out); q += nn {
			vec.Symmetrize(out[q:q+nn], n)
		}
		return nil
	})
}
