package sqfa

import (
	"rao/gaussian"
	"rao/internal/hugepages"
	"rao/internal/linalg/dense"
	"rao/internal/linalg/orth"
	"rao/internal/linalg/vec"
)

// subspace solves the problem in a growing subspace of the data space.
//
// F = V X with V orthonormal n×q, see basis. The statistics of V'x, with q dimensions, are sufficient for the
// objective, so X is computed without the full statistics. The full gradient needs no pass, because Φ_i V is stored.
// The part of the gradient outside V has the best new directions. They are added to V, which costs one pass, and the
// search for X continues. This is a block Krylov method: it improves on gradient ascent as the Lanczos method improves
// on the power method. L-BFGS in all dimensions needs 80 passes to an optimum that this search reaches in 10.
type subspace struct {
	basis
	stats  *gaussian.Statistics
	covs   *dense.Stack
	parts  []part    // Φ_i V
	free   []float64 // memory for future parts
	passes int
}

// basis is an orthonormal basis V of a growing subspace of the data space, with the statistics of V'x.
type basis struct {
	c, n  int
	q     int       // columns in use
	cap   int       // capacity in columns
	v     []float64 // n×cap
	cov   []float64 // c×cap×cap: V'Φ_i V
	means []float64 // c×cap: V'g_i
	of    []float64 // c×n: g_i
	small gaussian.Statistics
}

// newBasis returns an empty basis with room for some columns, for classes with the given means.
func newBasis(classes []string, counts []int, weights, means []float64, n, room int) basis {
	c := len(counts)
	s := basis{c: c, n: n, cap: room, v: make([]float64, n*room), cov: make([]float64, c*room*room),
		means: make([]float64, c*room), of: means}
	s.small = gaussian.Statistics{Classes: classes, Counts: counts, Weights: weights,
		Means: make([]float64, c*room), Covariances: make([]float64, c*room*room)}
	return s
}

// part is a block of k columns of V, from column q on, that were added together, with their products with all Φ_i, the
// classes side by side.
type part struct {
	q, k int
	phi  []float64 // n×ck
}

func newSubspace(stats *gaussian.Statistics, room int) *subspace {
	c, n := stats.NumClasses(), stats.Dim
	return &subspace{basis: newBasis(stats.Classes, stats.Counts, stats.Weights, stats.Means, n, room),
		stats: stats, covs: dense.NewStack(c, n, stats.Covariances)}
}

// begin fills an empty subspace with the starting filters and the leading principal components, opt.Coarse of them.
func (s *subspace) begin(opt plan, start []float64) error {
	n, m := s.n, opt.Filters
	x, k := start, m
	if q := min(opt.Coarse, n); q > 0 {
		v, _, err := principal(s.stats, q)
		if err != nil {
			return err
		}
		s.passes++
		x, k = joinColumns(start, m, v, q, n), m+q
	}
	s.add(x, k, 1e-8)
	return nil
}

// largeStatistics is the number of values of the statistics above which the subspace is kept small in comparison.
const largeStatistics = 1 << 25

// roomFor returns the maximum number of dimensions of a growing subspace. More dimensions would not reduce the number
// of passes. If the statistics are large, the limit is a sixth of their dimension, so the products use less than a
// quarter of the memory of the statistics. There is always room for the filters, the previous filters and two steps.
func roomFor(c, n, m, coarse int) int {
	room := min(n, 16*m+coarse)
	if c*n*n > largeStatistics {
		room = min(room, max(n/6, 4*m+coarse))
	}
	return room
}

// add appends the part of x (n×k) that is outside V and returns the number of columns added. It leaves out columns
// with an outside part below the fraction drop of their norm. It makes one pass.
func (s *subspace) add(x []float64, k int, drop float64) int {
	fresh := s.outside(x, k, drop)
	k = len(fresh) / s.n
	if k == 0 {
		return 0
	}
	n, c, q, room := s.n, s.c, s.q, s.cap
	w := c * k
	phi := s.memory(n * w)
	s.covs.Project(k, fresh, k, phi, w)
	s.passes++
	s.parts = append(s.parts, part{q, k, phi})
	s.join(fresh, k)
	cross := make([]float64, s.q*w)
	dense.Gemm(true, false, s.q, w, n, 1, s.v, room, phi, w, 0, cross, w)
	for i := range c {
		s.place(i, cross[i*k:], w, k)
	}
	return k
}

// join appends orthonormal columns, n×k, that are orthogonal to V, and the means along them.
func (s *basis) join(fresh []float64, k int) {
	for r := range s.n {
		copy(s.v[r*s.cap+s.q:], fresh[r*k:(r+1)*k])
	}
	dense.Gemm(false, false, s.c, k, s.n, 1, s.of, s.n, fresh, k, 0, s.means[s.q:], s.cap)
	s.q += k
}

// place sets the covariances of class i along the last k columns. cross is V'Φ_i times these columns: q×k values, with
// a row stride of ld.
func (s *basis) place(i int, cross []float64, ld, k int) {
	cov, before := s.cov[i*s.cap*s.cap:], s.q-k
	for a := range s.q {
		for b := range k {
			x := cross[a*ld+b]
			if a >= before { // both are new: the two halves agree up to rounding
				x = (x + cross[(before+b)*ld+a-before]) / 2
			}
			cov[a*s.cap+before+b], cov[(before+b)*s.cap+a] = x, x
		}
	}
}

// partsTogether is the number of parts for which memory is allocated at a time.
const partsTogether = 4

// memory returns uninitialized memory for the products of a part.
func (s *subspace) memory(size int) []float64 {
	if len(s.free) < size {
		s.free = hugepages.Make[float64](partsTogether * size)
	}
	out := s.free[:size:size]
	s.free = s.free[size:]
	return out
}

// outside returns an orthonormal basis of the part of x (n×k) outside V. It projects twice, then uses Gram-Schmidt.
func (s *basis) outside(x []float64, k int, drop float64) []float64 {
	n, q, room := s.n, s.q, s.cap
	y := append([]float64(nil), x...)
	vec.NormalizeColumns(y, k)
	if q > 0 {
		cross := make([]float64, q*k)
		for range 2 {
			dense.Gemm(true, false, q, k, n, 1, s.v, room, y, k, 0, cross, k)
			dense.Gemm(false, false, n, k, q, -1, s.v, room, cross, k, 1, y, k)
		}
	}
	return y[:n*orth.Columns(y, n, k, room-q, drop, nil)]
}

// reduced returns the statistics of V'x. They are valid until the next add.
func (s *basis) reduced() *gaussian.Statistics {
	q := s.q
	r := &s.small
	r.Dim = q
	r.Means, r.Covariances = r.Means[:s.c*q], r.Covariances[:s.c*q*q]
	for i := range s.c {
		copy(r.Means[i*q:(i+1)*q], s.means[i*s.cap:])
		for a := range q {
			copy(r.Covariances[(i*q+a)*q:(i*q+a+1)*q], s.cov[(i*s.cap+a)*s.cap:])
		}
	}
	return r
}

// lift returns V X for X q×k.
func (s *basis) lift(x []float64, k int) []float64 {
	out := make([]float64, s.n*k)
	if k == 0 {
		return out
	}
	dense.Gemm(false, false, s.n, k, s.q, 1, s.v, s.cap, x, k, 0, out, k)
	return out
}

// coordinates returns V'F for F n×k.
func (s *basis) coordinates(f []float64, k int) []float64 {
	out := make([]float64, s.q*k)
	if k == 0 {
		return out
	}
	dense.Gemm(true, false, s.q, k, s.n, 1, s.v, s.cap, f, k, 0, out, k)
	return out
}

// gradient returns the gradient of the objective with respect to the k free filters in all dimensions, for the last
// point x of the reduced problem (q×m, fixed filters first): 2 Σ Φ_i V X ∂S_i + g_i ∂μ_i'.
func (s *subspace) gradient(p *problem) []float64 {
	k, m, q, c := p.k, p.m, s.q, s.c
	coef := make([]float64, c*q*k) // X ∂S_i
	for i := range c {
		gs := p.gs[i*m*m : (i+1)*m*m]
		dense.Gemm(false, false, q, k, m, 2, p.f, m, gs[p.fixed:], m, 0, coef[i*q*k:], k)
	}
	out := make([]float64, s.n*k)
	dense.Gemm(true, false, s.n, k, c, 1, s.stats.Means, s.n, p.gm[p.fixed:], m, 0, out, k)
	rows := make([]float64, 0, c*q*k) // coef in the order of the parts' columns
	pieces := make([]dense.Piece, 0, len(s.parts))
	for _, x := range s.parts {
		for i := range c {
			rows = append(rows, coef[(i*q+x.q)*k:(i*q+x.q+x.k)*k]...)
		}
		pieces = append(pieces, dense.Piece{Data: x.phi, Cols: c * x.k, LD: c * x.k})
	}
	dense.TimesPieces(s.n, k, pieces, rows, k, out, k)
	return out
}

// compress replaces V by an orthonormal basis of the span of V C, with C q×k, without a pass.
func (s *subspace) compress(c []float64, k int) {
	coordinates := basis{n: s.q, cap: s.q} // an empty basis of the coordinate space
	w := coordinates.outside(c, k, 1e-8)
	k = len(w) / s.q
	old, room := *s, s.cap
	s.v = make([]float64, s.n*room)
	phi, wide := make([]float64, s.n*s.c*k), s.c*k
	s.parts = []part{{0, k, phi}}
	s.cov, s.means = make([]float64, s.c*room*room), make([]float64, s.c*room)
	s.q = k
	dense.Gemm(false, false, s.n, k, old.q, 1, old.v, room, w, k, 0, s.v, room)
	half, cov := make([]float64, old.q*k), make([]float64, k*k)
	for i := range s.c {
		for _, x := range old.parts {
			dense.Gemm(false, false, s.n, k, x.k, 1, x.phi[i*x.k:], s.c*x.k, w[x.q*k:], k, 1, phi[i*k:], wide)
		}
		dense.Gemm(false, false, old.q, k, old.q, 1, old.cov[i*room*room:(i+1)*room*room], room, w, k, 0, half, k)
		dense.Gemm(true, false, k, k, old.q, 1, w, k, half, k, 0, cov, k)
		s.place(i, cov, k, k)
		dense.Gemm(false, false, 1, k, old.q, 1, old.means[i*room:], room, w, k, 0, s.means[i*room:], room)
	}
}
