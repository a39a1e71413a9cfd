package classifiers

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/internal/linalg/ritz"
	"rao/internal/linalg/small"
	"rao/internal/linalg/vec"
	"rao/spd"
)

// ClassPatterns contains the spatial patterns of one class of an [ENuc], or of one direction of a [GeodesicFilter]: the
// r nonzero eigenvalues of its coefficient matrix, in order of descending magnitude, with their directions. A source
// with a positive weight is evidence for the class when the source is strong. With a negative weight, it is evidence
// for the class when the source is weak.
type ClassPatterns struct {
	Weights  []float64  // the r eigenvalues
	Filters  *mat.Dense // n×r, M^-½u: spatial filters; nil if r is 0
	Patterns *mat.Dense // n×r, M^½u: the patterns of the sources at the channels; nil if r is 0
	// Directions are the vectors u, n×r. With S the tangent matrix of an observation, ⟨W_k, S⟩ is the sum of weight ·
	// u'Su. Nil if r is 0.
	Directions *mat.Dense
}

// Patterns returns the spatial filters and patterns of a class. With u an eigenvector of W_k and M the mean of the
// training matrices, the source M^-½u has unit variance at M, and M^½u is its pattern, the covariance of source and
// channels (Haufe et al. 2014). Columns have unit length, and the entry of largest magnitude is positive. In the
// log-Euclidean metric both are u. No inverse as for common spatial patterns is needed, because u'u = 1. It panics if
// there is no such class.
func (m *ENuc) Patterns(class int) (*ClassPatterns, error) {
	p, err := m.Tangent.patterns(m.Coefficients.RawRowView(class))
	if err != nil {
		return nil, fmt.Errorf("class %s: %w", m.Classes[class], err)
	}
	return p, nil
}

// Patterns returns the spatial filters and patterns of a discriminant direction, numbered from 0, as [ENuc.Patterns]
// does for a class. It panics if there is no such direction.
func (g *GeodesicFilter) Patterns(direction int) (*ClassPatterns, error) {
	p, err := g.Tangent.patterns(mat.Col(nil, direction, g.Basis))
	if err != nil {
		return nil, fmt.Errorf("direction %d: %w", direction, err)
	}
	return p, nil
}

// patterns computes the patterns from a tangent vector of coefficients.
func (t *TangentSpace) patterns(coefficients []float64) (*ClassPatterns, error) {
	n := t.N
	values, vectors := make([]float64, n), make([]float64, n*n)
	vec.Unpack(vectors, coefficients, n)
	var w small.Workspace
	if err := w.Eigen(values, vectors, vectors, n, 1); err != nil {
		return nil, fmt.Errorf("eigenvalues of the coefficients: %w", err)
	}
	root, inverse, err := t.roots()
	if err != nil {
		return nil, err
	}
	kept := keptEigenvalues(values)
	out := &ClassPatterns{Weights: make([]float64, len(kept))}
	if len(kept) == 0 {
		return out, nil
	}
	out.Filters, out.Patterns = mat.NewDense(n, len(kept), nil), mat.NewDense(n, len(kept), nil)
	out.Directions = mat.NewDense(n, len(kept), nil)
	u := make([]float64, n)
	for j, k := range kept {
		out.Weights[j] = values[k]
		for i := range n {
			u[i] = vectors[i*n+k]
		}
		out.Directions.SetCol(j, u)
		for i := range n {
			out.Filters.Set(i, j, vec.Dot(inverse[i*n:(i+1)*n], u))
			out.Patterns.Set(i, j, vec.Dot(root[i*n:(i+1)*n], u))
		}
	}
	for _, d := range []*mat.Dense{out.Filters, out.Patterns} {
		vec.NormalizeColumns(d.RawMatrix().Data, len(kept))
		ritz.FixSigns(d.RawMatrix().Data, n, len(kept))
	}
	return out, nil
}

// Ranks returns the number of patterns of each class.
func (m *ENuc) Ranks() ([]int, error) {
	out := make([]int, len(m.Classes))
	for k := range out {
		p, err := m.Patterns(k)
		if err != nil {
			return nil, err
		}
		out[k] = len(p.Weights)
	}
	return out, nil
}

// keptEigenvalues returns the indices of the eigenvalues that are not rounding errors, in order of descending
// magnitude.
func keptEigenvalues(values []float64) []int {
	largest := vec.MaxAbs(values)
	var kept []int
	for k, v := range values {
		if math.Abs(v) > 1e-9*largest {
			kept = append(kept, k)
		}
	}
	slices.SortStableFunc(kept, func(a, b int) int { return cmp.Compare(math.Abs(values[b]), math.Abs(values[a])) })
	return kept
}

// roots returns M^½ and M^-½ of the reference M, or the identity in the log-Euclidean metric.
func (t *TangentSpace) roots() (root, inverse []float64, err error) {
	n := t.N
	if t.Reference == nil {
		one := vec.Identity(n)
		return one, one, nil
	}
	m := spd.StackFrom(t.Reference)
	var a, b spd.Stack
	if err := spd.Sqrt(&a, m); err != nil {
		return nil, nil, err
	}
	if err := spd.InvSqrt(&b, m); err != nil {
		return nil, nil, err
	}
	return a.Data, b.Data, nil
}
