package classify

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rao/spd"
)

// GeodesicFilter is the map of [FgMDM]: tangent vectors are projected on few directions
// and mapped back to the manifold. The exported fields determine it.
type GeodesicFilter struct {
	Tangent *TangentSpace `json:"tangent"`
	Basis   *mat.Dense    `json:"basis"` // p×r, orthonormal columns
}

// Submanifold is the map of [TSSM] to smaller matrices, X → V'XV. The exported field
// determines it.
type Submanifold struct {
	Filters *mat.Dense `json:"filters"` // n×m: V
}

// Parts returns the filter and the classifier behind it, whose decisions on filtered
// matrices are those of m.
func (m *FgMDM) Parts() (*GeodesicFilter, *MDM) { return &GeodesicFilter{m.Tangent, m.Basis}, m.MDM }

// Parts returns the map to the sub-manifold and the classifier in it, of which one is
// not nil; its decisions on smaller matrices are those of m.
func (m *TSSM) Parts() (*Submanifold, *TangentLDA, *TangentSVM) {
	return &Submanifold{m.Filters}, m.LDA, m.SVM
}

// Dims returns the order of the matrices, which stays.
func (g *GeodesicFilter) Dims() (in, out int) { return g.Tangent.N, g.Tangent.N }

// Map returns the filtered matrices of x. Errors name a matrix that is not positive
// definite or of another order.
func (g *GeodesicFilter) Map(x *spd.Stack) (*spd.Stack, error) {
	if err := checkOrder("fgmdm", x, g.Tangent.N); err != nil {
		return nil, err
	}
	out, err := g.filter(context.Background(), x)
	if err != nil {
		return nil, fmt.Errorf("fgmdm: %w", err)
	}
	return out, nil
}

// filter maps the matrices to the tangent space, projects and maps back.
func (g *GeodesicFilter) filter(ctx context.Context, x *spd.Stack) (*spd.Stack, error) {
	var v, low, back mat.Dense
	if err := g.Tangent.Vectors(ctx, &v, x); err != nil {
		return nil, err
	}
	low.Mul(&v, g.Basis)
	back.Mul(&low, g.Basis.T())
	out := new(spd.Stack)
	return out, g.Tangent.matrices(out, &back)
}

// Validate checks the exported fields, which may come from a damaged file.
func (g *GeodesicFilter) Validate() error {
	if err := g.Tangent.Validate(); err != nil {
		return fmt.Errorf("fgmdm: %w", err)
	}
	if g.Basis == nil || g.Basis.IsEmpty() {
		return fmt.Errorf("fgmdm: the basis is missing")
	}
	_, r := g.Basis.Dims()
	if err := checkMatrix("basis", g.Basis, g.Tangent.dim(), r); err != nil {
		return fmt.Errorf("fgmdm: %w", err)
	}
	return nil
}

// Dims returns the orders of the matrices before and after.
func (s *Submanifold) Dims() (in, out int) { return s.Filters.Dims() }

// Congruence returns V of the map X → V'XV.
func (s *Submanifold) Congruence() *mat.Dense { return s.Filters }

// Map returns V'XV for every matrix of x. Errors name a matrix that is not positive
// definite or of another order.
func (s *Submanifold) Map(x *spd.Stack) (*spd.Stack, error) {
	n, _ := s.Dims()
	if err := checkOrder("tssm", x, n); err != nil {
		return nil, err
	}
	if x.Count > 0 {
		if err := x.Verify(); err != nil {
			return nil, fmt.Errorf("tssm: %w", err)
		}
	}
	return spd.Congruence(x, s.Filters), nil
}

// Validate checks the exported field, which may come from a damaged file.
func (s *Submanifold) Validate() error {
	if s.Filters == nil || s.Filters.IsEmpty() {
		return fmt.Errorf("tssm: the filters are missing")
	}
	n, k := s.Filters.Dims()
	if err := checkMatrix("filters", s.Filters, n, k); err != nil {
		return fmt.Errorf("tssm: %w", err)
	}
	return nil
}
