package spd

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/faults"
	"rao/internal/linalg/vec"
)

// Alignment maps the recordings of different people onto each other in up to three steps (Riemannian Procrustes
// analysis; Rodrigues, Jutten and Congedo 2019):
//
//	center  X → M^-½ X M^-½      M the Riemannian mean of the recording
//	scale   X → X^p              gives all recordings the same dispersion
//	rotate  X → Q X Q'           brings the class means together; needs labels
//
// [AlignGroups] returns the alignment of the target group, for its later matrices.
type Alignment struct {
	Mean     *mat.SymDense // M, the mean of the recording
	Power    float64       // p; 1 means no scaling
	Rotation *mat.Dense    // Q, n×n orthogonal; nil means no rotation
}

// fitAlignment centers the recording x and scales it to the given dispersion, the mean squared distance from the mean
// as returned by [Dispersion]; with 0 it does not scale. It returns an error if there are too few matrices, or if all
// matrices are the same and a scale is needed. The cost is the mean and the distances from it.
func fitAlignment(ctx context.Context, x *Stack, dispersion float64) (*Alignment, error) {
	if !vec.NotNegative(dispersion) {
		return nil, faults.Option("alignment: the dispersion is %g; give a positive number, or 0 for no scaling",
			dispersion)
	}
	mean, err := sessionMean(ctx, x, nil, nil)
	if err != nil {
		return nil, err
	}
	a := &Alignment{Mean: symmetric(x.Dim, mean), Power: 1}
	if dispersion == 0 {
		return a, nil
	}
	own, err := dispersionOf(x, mean)
	if err != nil {
		return nil, err
	}
	if !(own > 0) {
		return nil, faults.Data("alignment: all %d matrices of the recording are identical, so no scale can be "+
			"fitted; leave the scale out", x.Count)
	}
	a.Power = math.Sqrt(dispersion / own)
	return a, nil
}

func (a *Alignment) dim() int { return a.Mean.SymmetricDim() }

// Dispersion returns the mean squared affine-invariant distance between the matrices of x and the given mean. It
// returns an error if x is empty, or if a matrix of x or the mean is not SPD; the error then names it. It panics with
// mat.ErrShape if the order of mean differs from the order of the matrices.
func Dispersion(x *Stack, mean mat.Symmetric) (float64, error) {
	m := full(mean)
	if x != nil && len(m) != x.Dim*x.Dim {
		panic(mat.ErrShape)
	}
	return dispersionOf(x, m)
}

func dispersionOf(x *Stack, mean []float64) (float64, error) {
	if x == nil {
		return 0, errNil
	}
	var d mat.Dense
	if err := Distances(context.Background(), &d, Riemann, x, StackOf(1, x.Dim, mean)); err != nil {
		return 0, err
	}
	return vec.Dot(d.RawMatrix().Data, d.RawMatrix().Data) / float64(x.Count), nil
}

// turn adds the rotation that moves the matrices of from towards the matrices of to, class by class. from contains the
// class means of this recording after the alignment so far. Nil weights mean equal weights.
func (a *Alignment) turn(ctx context.Context, from, to *Stack, weights []float64) (rao.Report, error) {
	if from == nil || to == nil {
		return rao.Report{}, errNil
	}
	if from.Dim != a.dim() {
		return rao.Report{}, fmt.Errorf("alignment: the class means have order %d, but the matrices of the recording "+
			"have order %d",
			from.Dim, a.dim())
	}
	q, rep, err := rotation(ctx, from, to, weights)
	if q != nil && a.Rotation != nil {
		q.Mul(mat.DenseCopyOf(q), a.Rotation)
	}
	if q != nil {
		a.Rotation = q
	}
	return rep, err
}

// Apply writes the aligned matrices of x to dst, which may be x. It returns an error if the order of the matrices
// differs from the order of Mean, or if a matrix is not SPD; the error then names the matrix.
func (a *Alignment) Apply(dst, x *Stack) error {
	if x == nil {
		return errNil
	}
	if x.Dim != a.dim() {
		return fmt.Errorf("alignment: the matrices have order %d, but the alignment was fitted to matrices of "+
			"order %d", x.Dim, a.dim())
	}
	if err := Recenter(dst, x, a.Mean, nil); err != nil {
		return err
	}
	if a.Power != 1 {
		if err := Pow(dst, dst, a.Power); err != nil {
			return err
		}
	}
	if a.Rotation != nil {
		return congruences(dst, dst, mat.DenseCopyOf(a.Rotation).RawMatrix().Data)
	}
	return nil
}

// rotation returns the orthogonal Q for which the matrices Q A_k Q' are nearest to B_k in the log-Euclidean metric,
// for pairs A_k of from and B_k of to:
//
//	minimize Σ w_k ‖Q log A_k Q' − log B_k‖_F²
//
// It is a local optimum reached from the identity, so the rotation is about as small as the pairs allow. Among
// orthogonal matrices, the problem is equivalent to maximizing Σ w_k tr(log B_k Q log A_k Q') + s‖Q‖², which is convex
// in Q for s ≥ Σ w_k ‖log A_k‖ ‖log B_k‖ with spectral norms. Replacing Q by the orthogonal factor of the gradient
// therefore never lowers this objective. Momentum, which is reset when a step opposes it, reduces the number of steps.
// Nil weights mean equal weights. It stops when no entry moves by more than 1e-7. After 10000 steps it returns the best
// Q so far with a *rao.NotConvergedError.
func rotation(ctx context.Context, from, to *Stack, weights []float64) (*mat.Dense, rao.Report, error) {
	var rep rao.Report
	if from == nil || to == nil {
		return nil, rep, errNil
	}
	if err := sameDim(from, to); err != nil {
		return nil, rep, err
	}
	if from.Count != to.Count {
		return nil, rep, fmt.Errorf("rotation: %d matrices are paired with %d; give the same number of each",
			from.Count, to.Count)
	}
	w, err := normalized(weights, from.Count)
	if err != nil {
		return nil, rep, err
	}
	a, b := new(Stack), new(Stack)
	if err := Log(a, from); err != nil {
		return nil, rep, err
	}
	if err := Log(b, to); err != nil {
		return nil, rep, err
	}
	n := from.Dim
	shift := 0.0
	for k, weight := range w {
		shift += 1.1 * weight * spectralNorm(a.At(k), n) * spectralNorm(b.At(k), n)
	}
	q := vec.Identity(n)
	if shift == 0 { // nothing to rotate
		rep.Status = rao.StatusClosed
		return mat.NewDense(n, n, q), rep, nil
	}
	rep.Status = rao.StatusMaxIterations
	ahead, momentum := q, 1.0
	for rep.Iterations < 10000 {
		if ctx.Err() != nil {
			rep.Status = rao.StatusCanceled
			break
		}
		next, err := turn(ahead, a, b, w, shift)
		if err != nil {
			return nil, rep, err
		}
		rep.Iterations++
		against := 0.0
		rep.GradientNorm = 0
		for i, v := range next {
			against += (ahead[i] - v) * (v - q[i])
			rep.GradientNorm = max(rep.GradientNorm, math.Abs(v-q[i]))
		}
		t, beta := 1.0, 0.0
		if against <= 0 {
			t = (1 + math.Sqrt(1+4*momentum*momentum)) / 2
			beta = (momentum - 1) / t
		}
		ahead, momentum = make([]float64, n*n), t
		for i, v := range next {
			ahead[i] = v + beta*(v-q[i])
		}
		if q = next; rep.GradientNorm < 1e-7 {
			rep.Status = rao.StatusConverged
			return mat.NewDense(n, n, q), rep, nil
		}
	}
	return mat.NewDense(n, n, q), rep, &rao.NotConvergedError{Cause: ctx.Err(), Method: "rotation", Report: rep,
		Remedy: "the class means may be too similar to determine a rotation"}
}

// spectralNorm returns the largest magnitude of an eigenvalue.
func spectralNorm(a []float64, n int) float64 {
	lo, hi := extremes(a, n)
	return max(math.Abs(lo), math.Abs(hi))
}

// turn returns the orthogonal factor of Σ w_k B_k Q A_k + shift Q.
func turn(q []float64, a, b *Stack, w []float64, shift float64) ([]float64, error) {
	n := a.Dim
	g, t, u := make([]float64, n*n), make([]float64, n*n), make([]float64, n*n)
	vec.Axpy(g, shift, q)
	for k, weight := range w {
		mul(t, b.At(k), q, n)
		mul(u, t, a.At(k), n)
		vec.Axpy(g, weight, u)
	}
	for i := range n { // t = G'G
		for j := range n {
			t[i*n+j] = 0
			for k := range n {
				t[i*n+j] += g[k*n+i] * g[k*n+j]
			}
		}
	}
	vec.Symmetrize(t, n)
	sp, err := decompose(t, n, "gradient of the rotation", true)
	if err != nil {
		return nil, fmt.Errorf("the class means do not determine a rotation: %w", err)
	}
	mul(u, g, sp.invSqrt(), n)
	return u, nil
}
