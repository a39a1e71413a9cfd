package optim

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao/internal/linalg/orth"
	"rao/internal/linalg/vec"
)

// Constraint is a condition on the columns of a matrix.
type Constraint int

const (
	// Sphere requires columns of unit norm.
	Sphere Constraint = iota
	// Orthogonal requires orthonormal columns.
	Orthogonal
	// None allows every matrix.
	None
)

var constraintNames = [...]string{"sphere", "orthogonal", "none"}

// String returns sphere, orthogonal or none.
func (c Constraint) String() string {
	if c < 0 || int(c) >= len(constraintNames) {
		return fmt.Sprintf("constraint(%d)", int(c))
	}
	return constraintNames[c]
}

// Manifold is a set of Rows×Cols matrices, row-major, with the metric of the surrounding space. Its methods share
// scratch memory, so only one goroutine may use a manifold at a time.
type Manifold struct {
	Kind       Constraint
	Rows, Cols int
	// Against is Rows×AgainstCols with orthonormal columns. The columns of points on an Orthogonal manifold are
	// orthogonal to these columns.
	Against     []float64
	AgainstCols int

	gram, other []float64
}

// NewManifold returns the manifold of rows×cols matrices with the constraint. It panics with mat.ErrShape if a size is
// not positive.
func NewManifold(kind Constraint, rows, cols int) *Manifold {
	if rows < 1 || cols < 1 {
		panic(mat.ErrShape)
	}
	return &Manifold{Kind: kind, Rows: rows, Cols: cols}
}

// curved reports whether different points have different tangent spaces.
func (m *Manifold) curved() bool { return m != nil && m.Kind != None }

// Project overwrites v with its orthogonal projection to the tangent space at x.
//
//	sphere      V - F diag(F'V)
//	orthogonal  V - F (F'V + V'F)/2 - H H'V, where H is Against
//
// A nil manifold is flat.
func (m *Manifold) Project(x, v []float64) {
	if !m.curved() {
		return
	}
	k := m.Cols
	if m.gram == nil {
		m.gram = make([]float64, k*k)
	}
	if m.Kind == Sphere {
		d := m.gram[:k]
		vec.ColumnDots(d, x, v)
		for j := range d {
			d[j] = -d[j]
		}
		vec.AxpyColumns(v, d, x)
		return
	}
	m.leaveAgainst(v)
	crossProduct(m.gram, x, k, v, k, m.Rows)
	vec.Symmetrize(m.gram, k)
	subtractProduct(v, k, x, k, m.gram, m.Rows)
}

// Normalize moves x to the manifold: it scales columns to unit norm, or orthonormalizes them by Gram-Schmidt. If a
// column vanishes, the error names it.
func (m *Manifold) Normalize(x []float64) error {
	if !m.curved() {
		return nil
	}
	vanished := -1
	for j := range m.Cols {
		s := columnNorm(x, m.Cols, j)
		if !vec.Positive(s) {
			return columnError(j)
		}
		for i := j; i < len(x); i += m.Cols {
			x[i] /= s
		}
	}
	if m.Kind == Orthogonal {
		for range 2 {
			m.leaveAgainst(x)
		}
		orth.Columns(x, m.Rows, m.Cols, m.Cols, 1e-10, func(j int, _ []float64) bool {
			if vanished < 0 {
				vanished = j
			}
			return false
		})
	}
	if vanished >= 0 {
		return columnError(vanished)
	}
	return nil
}

// leaveAgainst subtracts from the columns of v their projection on the span of Against.
func (m *Manifold) leaveAgainst(v []float64) {
	if m.other == nil {
		m.other = make([]float64, m.Cols*m.AgainstCols)
	}
	crossProduct(m.other, m.Against, m.AgainstCols, v, m.Cols, m.Rows)
	subtractProduct(v, m.Cols, m.Against, m.AgainstCols, m.other, m.Rows)
}

func columnError(j int) error {
	return fmt.Errorf("column %d is zero, not finite, or a combination of earlier columns", j+1)
}

func columnNorm(x []float64, k, j int) float64 {
	var s float64
	for i := j; i < len(x); i += k {
		s = math.Hypot(s, x[i])
	}
	return s
}

// crossProduct writes A'B (ka×kb).
func crossProduct(dst, a []float64, ka int, b []float64, kb, rows int) {
	clear(dst[:ka*kb])
	for r := range rows {
		ra, rb := a[r*ka:(r+1)*ka], b[r*kb:(r+1)*kb]
		for i, v := range ra {
			vec.Axpy(dst[i*kb:(i+1)*kb], v, rb)
		}
	}
}

// subtractProduct subtracts A C from V, with V rows×kv and A rows×ka.
func subtractProduct(v []float64, kv int, a []float64, ka int, c []float64, rows int) {
	for r := range rows {
		rv := v[r*kv : (r+1)*kv]
		for i, w := range a[r*ka : (r+1)*ka] {
			vec.Axpy(rv, -w, c[i*kv:(i+1)*kv])
		}
	}
}
