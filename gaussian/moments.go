package gaussian

import "rao/internal/par"

// moments has the sums of one class about its own mean μ.
type moments struct {
	rows    int
	count   float64   // number of rows, or the sum of their weights
	mean    []float64 // length n
	scatter []float64 // n×n: Σ(x-μ)(x-μ)', both triangles
	cubic   []float64 // n: Σ‖x-μ‖²(x-μ); nil if unknown
	quartic float64   // Σ‖x-μ‖⁴
	divided bool      // scatter is the covariance
}

// divisor returns the number by which a scatter is divided to give a covariance.
func (m *moments) divisor() float64 { return max(1, m.count-1) }

// rowGrain returns the number of rows of an n×n matrix that justify a goroutine.
func rowGrain(n int) int { return max(1, 1<<15/n) }

// shift has the terms for moving the center of moments by d, from which the moments about the new center follow.
type shift struct {
	md    []float64 // scatter·d
	trace float64   // trace of scatter
	dmd   float64   // d' scatter d
	dd    float64   // d'd
	td    float64   // cubic·d
}

func newShift(m *moments, d []float64) shift {
	n := len(d)
	s := shift{md: make([]float64, n)}
	par.For(n, rowGrain(n), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			sum := 0.0
			for j, x := range m.scatter[i*n : (i+1)*n] {
				sum += x * d[j]
			}
			s.md[i] = sum
		}
	})
	for i, x := range d {
		s.trace += m.scatter[i*n+i]
		s.dmd += x * s.md[i]
		s.dd += x * x
		if m.cubic != nil {
			s.td += x * m.cubic[i]
		}
	}
	return s
}

// about adds to cubic the third moments of m about μ-d, and returns the fourth. These are the moments of z+d where z
// is centered:
//
//	Σ‖z+d‖²(z+d) = t + 2Md + tr(M) d + N‖d‖² d
//	Σ‖z+d‖⁴     = u + 4t·d + 4d'Md + 2‖d‖² tr M + N‖d‖⁴
//
// The sign is +1, or -1 to subtract them.
func (m *moments) about(d []float64, sign float64, cubic []float64) (quartic float64) {
	s := newShift(m, d)
	count := m.count
	for i, x := range d {
		cubic[i] += sign * (m.cubic[i] + 2*s.md[i] + (s.trace+count*s.dd)*x)
	}
	return sign * (m.quartic + 4*s.td + 4*s.dmd + 2*s.dd*s.trace + count*s.dd*s.dd)
}

// add merges b into a with the pairwise update of Chan, Golub and LeVeque (1979):
//
//	δ = μb - μa,  μ = μa + (Nb/N) δ,  M = Ma + Mb + (Na Nb/N) δδ'
//
// If higher moments are unknown on either side, the higher moments of the sum are unknown.
func (a *moments) add(b *moments) {
	if b.count == 0 {
		return
	}
	n := len(a.mean)
	if a.count == 0 {
		a.rows, a.count, a.quartic = b.rows, b.count, b.quartic
		copy(a.mean, b.mean)
		copy(a.scatter, b.scatter)
		if b.cubic == nil {
			a.cubic = nil
		}
		copy(a.cubic, b.cubic)
		return
	}
	na, nb := a.count, b.count
	total := na + nb
	da, db, delta := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range delta {
		delta[i] = b.mean[i] - a.mean[i]
		da[i] = -nb / total * delta[i]
		db[i] = na / total * delta[i]
	}
	if a.cubic != nil && b.cubic != nil {
		cubic := make([]float64, n)
		a.quartic = a.about(da, 1, cubic) + b.about(db, 1, cubic)
		copy(a.cubic, cubic)
	} else {
		a.cubic, a.quartic = nil, 0
	}
	w := na * nb / total
	par.For(n, rowGrain(n), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			row, add, x := a.scatter[i*n:(i+1)*n], b.scatter[i*n:(i+1)*n], delta[i]
			for j, y := range delta {
				row[j] += add[j] + w*(x*y)
			}
		}
	})
	for i := range a.mean {
		a.mean[i] -= da[i]
	}
	a.rows, a.count = a.rows+b.rows, a.count+b.count
}

// sub removes b from a; it is the inverse of add. a.count must be at least b.count.
func (a *moments) sub(b *moments) {
	if b.count == 0 {
		return
	}
	n := len(a.mean)
	if a.rows == b.rows {
		a.rows, a.count, a.quartic = 0, 0, 0
		clear(a.mean)
		clear(a.scatter)
		clear(a.cubic)
		return
	}
	total, nb := a.count, b.count
	na := total - nb
	rest, db, delta := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range rest {
		db[i] = b.mean[i] - a.mean[i]
		rest[i] = -nb / na * db[i] // mean of the remaining rows minus the old mean
		delta[i] = db[i] - rest[i]
	}
	known := a.cubic != nil && b.cubic != nil
	var cubic []float64
	quartic := 0.0
	if known {
		cubic = append(cubic, a.cubic...)
		quartic = a.quartic + b.about(db, -1, cubic)
	}
	w := na * nb / total
	par.For(n, rowGrain(n), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			row, part, x := a.scatter[i*n:(i+1)*n], b.scatter[i*n:(i+1)*n], delta[i]
			for j, y := range delta {
				row[j] -= part[j] + w*(x*y)
			}
		}
	})
	for i := range n {
		a.scatter[i*n+i] = max(0, a.scatter[i*n+i])
		a.mean[i] += rest[i]
	}
	a.rows, a.count = a.rows-b.rows, a.count-b.count
	if !known {
		a.cubic, a.quartic = nil, 0
		return
	}
	a.recenter(rest, cubic, quartic)
}

// recenter is the inverse of about: it sets the third and fourth moments from the moments of z+d. The scatter must
// already be about the mean.
func (m *moments) recenter(d, cubic []float64, quartic float64) {
	s := newShift(&moments{scatter: m.scatter}, d)
	count := m.count
	td := 0.0
	for i, x := range d {
		m.cubic[i] = cubic[i] - 2*s.md[i] - (s.trace+count*s.dd)*x
		td += x * m.cubic[i]
	}
	m.quartic = max(0, quartic-4*td-4*s.dmd-2*s.dd*s.trace-count*s.dd*s.dd)
}

// class returns the moments of class i; the slices are copies.
func (s *Statistics) class(i int) *moments { return s.classIn(i, make([]float64, s.Dim*s.Dim)) }

// classIn is like class, with the scatter written to the given n×n memory.
func (s *Statistics) classIn(i int, memory []float64) *moments {
	n := s.Dim
	m := &moments{rows: s.Counts[i], count: s.Weight(i), scatter: memory}
	m.mean = append(m.mean, s.Mean(i)...)
	cov, f := s.cov(i), max(0, m.count-1)
	par.For(n, rowGrain(n), func(_, lo, hi int) {
		for j := lo * n; j < hi*n; j++ {
			memory[j] = cov[j] * f
		}
	})
	if s.Cubic != nil {
		m.cubic = append(m.cubic, s.Cubic[i*n:(i+1)*n]...)
		m.quartic = s.Quartic[i]
	}
	return m
}

// setClass writes m as class i. The scatter of m may be the memory of the covariance. Cubic and Quartic of s must be
// allocated if m and all other classes have them.
func (s *Statistics) setClass(i int, m *moments) {
	n := s.Dim
	s.setWeight(i, m.rows, m.count)
	copy(s.Mean(i), m.mean)
	if cov, f := s.cov(i), m.divisor(); !m.divided {
		par.For(n, rowGrain(n), func(_, lo, hi int) {
			for j := lo * n; j < hi*n; j++ {
				cov[j] = m.scatter[j] / f
			}
		})
	}
	if s.Cubic != nil {
		copy(s.Cubic[i*n:(i+1)*n], m.cubic)
		s.Quartic[i] = m.quartic
	}
}
