package optim

import (
	"math"

	"rao/internal/linalg/vec"
)

// Curve is the retraction along a tangent direction,
//
//	F(t) = (F + t D) N(t),
//
// where the k×k matrix N(t) restores the constraint: it is diagonal for Sphere, the inverse of the R of the QR
// decomposition for Orthogonal, and the identity for None. N and its derivative need only the k×k products F'F, F'D and
// D'D, so the cost of a trial point does not depend on Rows.
type Curve struct {
	// N is N(t) and DN its derivative with respect to t, both k×k row-major, after a call of At.
	N, DN []float64

	kind       Constraint
	k          int
	ff, fd, dd []float64
	r, x       []float64
}

// NewCurve returns a curve for points of m.
func NewCurve(m *Manifold) *Curve {
	k := m.Cols
	buf := make([]float64, 7*k*k)
	cut := func(i int) []float64 { return buf[i*k*k : (i+1)*k*k : (i+1)*k*k] }
	return &Curve{kind: m.Kind, k: k, N: cut(0), DN: cut(1), ff: cut(2), fd: cut(3), dd: cut(4), r: cut(5), x: cut(6)}
}

// Set starts a new curve from f along d, both Rows×k.
func (c *Curve) Set(f, d []float64) {
	if c.kind == Sphere { // only the diagonals are needed
		c.diagonal(c.ff, f, f)
		c.diagonal(c.fd, f, d)
		c.diagonal(c.dd, d, d)
		return
	}
	rows := len(f) / c.k
	crossProduct(c.ff, f, c.k, f, c.k, rows)
	crossProduct(c.fd, f, c.k, d, c.k, rows)
	crossProduct(c.dd, d, c.k, d, c.k, rows)
}

// diagonal writes the diagonal of X'Y for X and Y of size Rows×k.
func (c *Curve) diagonal(dst, x, y []float64) {
	row := c.r[:c.k]
	vec.ColumnDots(row, x, y)
	for j, v := range row {
		dst[j*c.k+j] = v
	}
}

// At computes N and DN at t and reports whether both exist.
func (c *Curve) At(t float64) bool {
	k := c.k
	clear(c.N)
	clear(c.DN)
	switch c.kind {
	case None:
		for j := range k {
			c.N[j*k+j] = 1
		}
		return true
	case Sphere:
		for j := range k {
			q := j*k + j
			s := c.ff[q] + 2*t*c.fd[q] + t*t*c.dd[q]
			if !(s > 0) {
				return false
			}
			inv := 1 / math.Sqrt(s)
			c.N[q] = inv
			c.DN[q] = -(c.fd[q] + t*c.dd[q]) * inv * inv * inv
		}
		return true
	}
	return c.orthogonal(t)
}

// orthogonal computes N = R^-1 with R'R = M(t) = (F+tD)'(F+tD), and N' = -R^-1 up(R^-T M'(t) R^-1), where up is the
// upper triangle with half the diagonal (the derivative of the Cholesky factor).
func (c *Curve) orthogonal(t float64) bool {
	k := c.k
	for i := range k { // upper factor, row by row
		for j := i; j < k; j++ {
			s := c.ff[i*k+j] + t*(c.fd[i*k+j]+c.fd[j*k+i]) + t*t*c.dd[i*k+j]
			for h := range i {
				s -= c.r[h*k+i] * c.r[h*k+j]
			}
			if i == j {
				if !(s > 0) {
					return false
				}
				c.r[i*k+i] = math.Sqrt(s)
			} else {
				c.r[i*k+j] = s / c.r[i*k+i]
			}
		}
	}
	for j := range k { // N = R^-1, upper
		c.N[j*k+j] = 1 / c.r[j*k+j]
		for i := j - 1; i >= 0; i-- {
			var s float64
			for h := i + 1; h <= j; h++ {
				s += c.r[i*k+h] * c.N[h*k+j]
			}
			c.N[i*k+j] = -s / c.r[i*k+i]
		}
	}
	for i := range k { // x = up(N' M' N)
		for j := i; j < k; j++ {
			var s float64
			for a := 0; a <= i; a++ {
				for b := 0; b <= j; b++ {
					s += c.N[a*k+i] * (c.fd[a*k+b] + c.fd[b*k+a] + 2*t*c.dd[a*k+b]) * c.N[b*k+j]
				}
			}
			if i == j {
				s /= 2
			}
			c.x[i*k+j] = s
		}
	}
	for i := range k {
		for j := i; j < k; j++ {
			var s float64
			for h := i; h <= j; h++ {
				s += c.N[i*k+h] * c.x[h*k+j]
			}
			c.DN[i*k+j] = -s
		}
	}
	return true
}

// Point writes (F + t D) N to dst for the N of the last At. All matrices are Rows×k. dst may be f.
func (c *Curve) Point(dst, f, d []float64, t float64) {
	k := c.k
	row := c.r[:k]
	for lo := 0; lo < len(f); lo += k {
		for j := range row {
			row[j] = f[lo+j] + t*d[lo+j]
		}
		out := dst[lo : lo+k]
		if c.kind == Orthogonal {
			for j := range out {
				var s float64
				for h := 0; h <= j; h++ {
					s += row[h] * c.N[h*k+j]
				}
				out[j] = s
			}
			continue
		}
		for j := range out {
			out[j] = row[j] * c.N[j*k+j]
		}
	}
}

// slope returns the derivative, at the t of the last At, of a function with gradient g there. The derivative of F(t)
// is D N + (F + t D) N'; N and N' are upper triangular.
func (c *Curve) slope(g, f, d []float64, t float64) (slope float64) {
	k := c.k
	row := c.r[:k]
	for lo := 0; lo < len(f); lo += k {
		for h := range row {
			row[h] = f[lo+h] + t*d[lo+h]
		}
		for j := range k {
			var s float64
			for h := range j + 1 {
				s += d[lo+h]*c.N[h*k+j] + row[h]*c.DN[h*k+j]
			}
			slope += g[lo+j] * s
		}
	}
	return slope
}
