package spd

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"rao/internal/faults"
	"rao/internal/indices"
	"rao/internal/linalg/dense"
	"rao/internal/linalg/eig"
	"rao/internal/linalg/small"
	"rao/internal/linalg/vec"
	"rao/internal/par"
)

// Problem is a fault of a matrix, in a [MatrixError].
type Problem string

const (
	// ProblemNotFinite means that an entry is NaN or infinite.
	ProblemNotFinite Problem = "not_finite"
	// ProblemNotSymmetric means that an entry differs from its mirrored entry by more than 1e-8 of the largest
	// magnitude in the matrix.
	ProblemNotSymmetric Problem = "not_symmetric"
	// ProblemNotPositiveDefinite means that an eigenvalue is negative, or zero up to rounding.
	ProblemNotPositiveDefinite Problem = "not_positive_definite"
	// ProblemNoConvergence means that the eigendecomposition failed.
	ProblemNoConvergence Problem = "no_convergence"
	// ProblemOutOfRange means that squares of the entries overflow or underflow in the metric.
	ProblemOutOfRange Problem = "out_of_range"
)

// MatrixError is the error for a matrix that the operation cannot use.
type MatrixError struct {
	Role     string  // what the matrix is, such as "matrix", "reference matrix" or "prototype"
	Index    int     // its index in the stack, -1 for a single matrix
	Problem  Problem // what is wrong
	Row, Col int     // position, for ProblemNotFinite and ProblemNotSymmetric
	Value    float64 // the entry that is not finite, difference from the mirrored entry, or smallest eigenvalue
	Largest  float64 // largest eigenvalue, or largest magnitude of an entry
}

// Error returns a message that names the matrix, the problem and a remedy.
func (e *MatrixError) Error() string {
	name := e.Role
	if e.Index >= 0 {
		name = fmt.Sprintf("%s %d", e.Role, e.Index)
	}
	switch e.Problem {
	case ProblemNotFinite:
		return fmt.Sprintf("%s is %v at row %d, column %d (all counted from 0); leave the matrix or the channel out",
			name, e.Value, e.Row, e.Col)
	case ProblemNotSymmetric:
		return fmt.Sprintf("%s is not symmetric: row %d, column %d differs from its mirror by %.3g (the largest "+
			"magnitude is %.3g); check how the matrix A was computed, or use (A+A')/2", name, e.Row, e.Col,
			e.Value, e.Largest)
	case ProblemNotPositiveDefinite:
		return fmt.Sprintf("%s is not positive definite: its smallest eigenvalue is %.3g, its largest %.3g; the cause "+
			"may be an average reference, a flat or duplicated channel, or fewer samples than channels; repair it "+
			"(drop, project, shrink or floor)",
			name, e.Value, e.Largest)
	case ProblemOutOfRange:
		return fmt.Sprintf("%s has entries of up to %.3g, whose squares overflow or underflow in this metric; rescale "+
			"the data", name, e.Largest)
	}
	return fmt.Sprintf("%s: the eigendecomposition did not converge; check the matrix for extreme values", name)
}

// symmetryTolerance is the largest accepted difference between mirrored entries, relative to the largest magnitude in
// the matrix.
const symmetryTolerance = 1e-8

// verify returns a *MatrixError for the first matrix of s that is not finite or not symmetric, and another error if s
// is nil or empty or its fields contradict each other.
func (s *Stack) verify(role string) error {
	if s == nil {
		return faults.Count(0, 1, "%s: the stack of matrices is nil", role)
	}
	if err := s.Validate(); err != nil {
		return err
	}
	if s.Count == 0 {
		return faults.Count(0, 1, "%s: the stack of matrices is empty", role)
	}
	grain := max(1, verifyGrain/(s.Dim*s.Dim))
	if s.Count <= grain {
		return s.verifyPart(role, 0, s.Count)
	}
	return par.Try(s.Count, grain, func(_, lo, hi int) error { return s.verifyPart(role, lo, hi) })
}

// verifyGrain is the number of values that one goroutine checks at a time.
const verifyGrain = 1 << 15

func (s *Stack) verifyPart(role string, lo, hi int) error {
	for k := lo; k < hi; k++ {
		if err := verifyMatrix(s.At(k), s.Dim, role, k); err != nil {
			return err
		}
	}
	return nil
}

// Verify returns an error unless the stack is well formed and every matrix is finite and symmetric (to 1e-8 of its
// largest magnitude). It does not check whether matrices are positive definite; operations that need it do. The cost is
// one pass over the values.
func (s *Stack) Verify() error { return s.verify("matrix") }

// VerifyDefinite is like [Stack.Verify], but also returns an error unless every matrix is positive definite. role is
// the word for a matrix in errors, such as "reference". The cost is one Cholesky factorization per matrix.
func (s *Stack) VerifyDefinite(role string) error {
	if err := s.verify(role); err != nil {
		return err
	}
	return batches(s.Count, s.Dim, func(w *scratch, lo, hi int) error {
		return w.factors(w.buf(0, (hi-lo)*s.Dim*s.Dim), s, lo, hi, role)
	})
}

func verifyMatrix(a []float64, n int, role string, index int) error {
	if vec.Finite(vec.Dot(a, a)) && dense.Mirrored(n, a) {
		return nil
	}
	if p := vec.NotFinite(a); p >= 0 {
		return &MatrixError{Role: role, Index: index, Problem: ProblemNotFinite, Row: p / n, Col: p % n, Value: a[p]}
	}
	if diff, i, j, largest := vec.Asymmetry(a, n); diff > symmetryTolerance*largest {
		return &MatrixError{Role: role, Index: index, Problem: ProblemNotSymmetric, Row: i, Col: j, Value: diff,
			Largest: largest}
	}
	return nil
}

// inRange reports whether squared distances between vectors of this length can be computed. They must not overflow, and
// the squares of small differences must not vanish. Zeros are in range.
func inRange(v []float64) bool {
	square := vec.Dot(v, v)
	return square >= 1e-280 && square <= 1e300 || !slices.ContainsFunc(v, func(v float64) bool { return v != 0 })
}

// outOfRange returns the ProblemOutOfRange error of matrix a.
func outOfRange(a []float64, role string, index int) error {
	return &MatrixError{Role: role, Index: index, Problem: ProblemOutOfRange, Largest: vec.MaxAbs(a)}
}

// failed converts an error of the kernels about matrix offset+Index of x to a MatrixError with the matrix's extreme
// eigenvalues.
func failed(err error, x *Stack, offset int, role string) error {
	var e *small.Error
	if !errors.As(err, &e) {
		return err
	}
	k := offset + e.Index
	if k >= x.Count {
		return err
	}
	out := &MatrixError{Role: role, Index: k}
	switch e.Reason {
	case small.NotPositiveDefinite:
		return notDefinite(x.At(k), x.Dim, role, k)
	case small.NotFinite:
		if found := verifyMatrix(x.At(k), x.Dim, role, k); found != nil {
			return found
		}
		out.Problem = ProblemNoConvergence // finite, but beyond the range of the arithmetic
	default:
		out.Problem = ProblemNoConvergence
	}
	return out
}

// notDefinite returns the ProblemNotPositiveDefinite error of matrix a.
func notDefinite(a []float64, n int, role string, index int) error {
	lo, hi := extremes(a, n)
	return &MatrixError{Role: role, Index: index, Problem: ProblemNotPositiveDefinite, Value: lo, Largest: hi}
}

// extremes returns the smallest and the largest eigenvalue of a, or NaN if they cannot be computed.
func extremes(a []float64, n int) (lo, hi float64) {
	values := make([]float64, n)
	if err := eig.Sym(values, append([]float64(nil), a[:n*n]...), n, false,
		make([]float64, eig.WorkLen(n))); err != nil {
		return math.NaN(), math.NaN()
	}
	return values[0], values[n-1]
}

// single removes the index from an error about the only matrix of a stack.
func single(err error) error {
	if err == nil {
		return nil // without allocation
	}
	return indices.InError(err, func(e *MatrixError) { e.Index = -1 })
}

// sameDim returns an error unless the matrices of both stacks have the same order.
func sameDim(x, y *Stack) error {
	if x.Dim != y.Dim {
		return fmt.Errorf("matrices of order %d and matrices of order %d cannot be compared; give matrices of the "+
			"same channels",
			x.Dim, y.Dim)
	}
	return nil
}
