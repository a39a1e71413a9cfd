package spd

import (
	"fmt"
	"math"

	"rao/internal/linalg/small"
	"rao/internal/linalg/vec"
)

// Projection returns a function that replaces an element by the nearest element of an SPD matrix of order n whose
// eigenvalues are not below a floor. The floor is share times the mean diagonal entry of the elements in like, or share
// if that mean is above 1. In a triangular space, the floor applies to the diagonal and uses √share, because the
// diagonal scales with the roots of the eigenvalues. Projection returns nil if every vector is the element of an SPD
// matrix. The function is not safe for concurrent use.
func (f *FlatSpace) Projection(like []float64, n int, share float64) func(v []float64) error {
	if f.onto {
		return nil
	}
	p := &projection{space: f, n: n, a: make([]float64, n*n), b: make([]float64, n*n), values: make([]float64, n)}
	trace, size := 0.0, len(like)/vec.PackedLen(n)*n
	for ; len(like) > 0; like = like[vec.PackedLen(n):] {
		f.unpack(p.a, like[:vec.PackedLen(n)], n)
		for i := range n {
			trace += p.a[i*n+i]
		}
	}
	least := math.Min(1, trace/float64(size))
	if p.floor = share * least; f.lower {
		p.floor = math.Sqrt(share) * least
		return p.diagonal
	}
	return p.eigenvalues
}

type projection struct {
	space        *FlatSpace
	n            int
	floor        float64
	w            small.Workspace
	a, b, values []float64
}

// diagonal raises the diagonal of a lower triangular element to the floor.
func (p *projection) diagonal(v []float64) error {
	for i, at := 0, 0; i < p.n; i, at = i+1, at+i+2 {
		v[at] = math.Max(v[at], p.floor)
	}
	return nil
}

// eigenvalues raises the eigenvalues of a symmetric element to the floor.
func (p *projection) eigenvalues(v []float64) error {
	n := p.n
	p.space.unpack(p.a, v, n)
	for i := range n {
		p.a[i*n+i] -= p.floor
	}
	if p.w.Cholesky(p.b, p.a, n, 1) == nil {
		return nil // already inside
	}
	for i := range n {
		p.a[i*n+i] += p.floor
	}
	if err := p.w.Eigen(p.values, p.b, p.a, n, 1); err != nil {
		return fmt.Errorf("projection to SPD matrices: %w", err)
	}
	for i, v := range p.values {
		p.values[i] = math.Max(v, p.floor)
	}
	p.w.Rebuild(p.a, p.b, p.values, n, 1)
	p.space.pack(v, p.a, n)
	return nil
}
