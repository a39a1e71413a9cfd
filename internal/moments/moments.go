// Package moments adds, subtracts and shifts the sums of classes about their means.
package moments

import "rao/internal/par"

// Class contains the sums of one class about its own mean μ.
type Class struct {
	Rows    int
	Count   float64   // number of rows, or the sum of their weights
	Mean    []float64 // length n
	Scatter []float64 // n×n: Σ(x-μ)(x-μ)', both triangles
	Cubic   []float64 // n: Σ‖x-μ‖²(x-μ); nil if unknown
	Quartic float64   // Σ‖x-μ‖⁴
	Divided bool      // scatter is the covariance
}

// Divisor returns the number by which a scatter is divided to give a covariance.
func (m *Class) Divisor() float64 { return max(1, m.Count-1) }

// FromCovariance returns the moments of a class with the given number of rows and the given sum of weights, count. It
// copies the mean, and writes the scatter that corresponds to cov to scatter, which the result uses.
func FromCovariance(rows int, count float64, mean, cov, scatter []float64) *Class {
	n := len(mean)
	m := &Class{Rows: rows, Count: count, Mean: append([]float64(nil), mean...), Scatter: scatter}
	f := max(0, count-1)
	par.For(n, RowGrain(n), func(_, lo, hi int) {
		for j := lo * n; j < hi*n; j++ {
			scatter[j] = cov[j] * f
		}
	})
	return m
}

// Covariance writes the covariance to dst, which may be the memory of the scatter. If m.Divided is true, dst must be
// that memory, and nothing is written.
func (m *Class) Covariance(dst []float64) {
	if m.Divided {
		return
	}
	n, f := len(m.Mean), m.Divisor()
	par.For(n, RowGrain(n), func(_, lo, hi int) {
		for j := lo * n; j < hi*n; j++ {
			dst[j] = m.Scatter[j] / f
		}
	})
}

// RowGrain returns the number of rows of an n×n matrix that justify a goroutine.
func RowGrain(n int) int { return max(1, 1<<15/n) }

// shift contains the terms for moving the center of moments by d, from which the moments about the new center follow.
type shift struct {
	md    []float64 // scatter·d
	trace float64   // trace of scatter
	dmd   float64   // d' scatter d
	dd    float64   // d'd
	td    float64   // cubic·d
}

func newShift(m *Class, d []float64) shift {
	n := len(d)
	s := shift{md: make([]float64, n)}
	par.For(n, RowGrain(n), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			sum := 0.0
			for j, x := range m.Scatter[i*n : (i+1)*n] {
				sum += x * d[j]
			}
			s.md[i] = sum
		}
	})
	for i, x := range d {
		s.trace += m.Scatter[i*n+i]
		s.dmd += x * s.md[i]
		s.dd += x * x
		if m.Cubic != nil {
			s.td += x * m.Cubic[i]
		}
	}
	return s
}

// About adds to cubic the third moments of m about μ-d, and returns the fourth. These are the moments of z+d where z
// is centered:
//
//	Σ‖z+d‖²(z+d) = t + 2Md + tr(M) d + N‖d‖² d
//	Σ‖z+d‖⁴     = u + 4t·d + 4d'Md + 2‖d‖² tr M + N‖d‖⁴
//
// The sign is +1, or -1 to subtract them.
func (m *Class) About(d []float64, sign float64, cubic []float64) (quartic float64) {
	s := newShift(m, d)
	count := m.Count
	for i, x := range d {
		cubic[i] += sign * (m.Cubic[i] + 2*s.md[i] + (s.trace+count*s.dd)*x)
	}
	return sign * (m.Quartic + 4*s.td + 4*s.dmd + 2*s.dd*s.trace + count*s.dd*s.dd)
}

// Add merges b into a with the pairwise update of Chan, Golub and LeVeque (1979):
//
//	δ = μb - μa,  μ = μa + (Nb/N) δ,  M = Ma + Mb + (Na Nb/N) δδ'
//
// If higher moments are unknown on either side, the higher moments of the sum are unknown.
func (a *Class) Add(b *Class) {
	if b.Count == 0 {
		return
	}
	n := len(a.Mean)
	if a.Count == 0 {
		a.Rows, a.Count, a.Quartic = b.Rows, b.Count, b.Quartic
		copy(a.Mean, b.Mean)
		copy(a.Scatter, b.Scatter)
		if b.Cubic == nil {
			a.Cubic = nil
		}
		copy(a.Cubic, b.Cubic)
		return
	}
	na, nb := a.Count, b.Count
	total := na + nb
	da, db, delta := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range delta {
		delta[i] = b.Mean[i] - a.Mean[i]
		da[i] = -nb / total * delta[i]
		db[i] = na / total * delta[i]
	}
	if a.Cubic != nil && b.Cubic != nil {
		cubic := make([]float64, n)
		a.Quartic = a.About(da, 1, cubic) + b.About(db, 1, cubic)
		copy(a.Cubic, cubic)
	} else {
		a.Cubic, a.Quartic = nil, 0
	}
	w := na * nb / total
	par.For(n, RowGrain(n), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			row, add, x := a.Scatter[i*n:(i+1)*n], b.Scatter[i*n:(i+1)*n], delta[i]
			for j, y := range delta {
				row[j] += add[j] + w*(x*y)
			}
		}
	})
	for i := range a.Mean {
		a.Mean[i] -= da[i]
	}
	a.Rows, a.Count = a.Rows+b.Rows, a.Count+b.Count
}

// Sub removes b from a; it is the inverse of Add. a.Count must be at least b.Count.
func (a *Class) Sub(b *Class) {
	if b.Count == 0 {
		return
	}
	n := len(a.Mean)
	if a.Rows == b.Rows {
		a.Rows, a.Count, a.Quartic = 0, 0, 0
		clear(a.Mean)
		clear(a.Scatter)
		clear(a.Cubic)
		return
	}
	total, nb := a.Count, b.Count
	na := total - nb
	rest, db, delta := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range rest {
		db[i] = b.Mean[i] - a.Mean[i]
		rest[i] = -nb / na * db[i] // mean of the remaining rows minus the old mean
		delta[i] = db[i] - rest[i]
	}
	known := a.Cubic != nil && b.Cubic != nil
	var cubic []float64
	quartic := 0.0
	if known {
		cubic = append(cubic, a.Cubic...)
		quartic = a.Quartic + b.About(db, -1, cubic)
	}
	w := na * nb / total
	par.For(n, RowGrain(n), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			row, part, x := a.Scatter[i*n:(i+1)*n], b.Scatter[i*n:(i+1)*n], delta[i]
			for j, y := range delta {
				row[j] -= part[j] + w*(x*y)
			}
		}
	})
	for i := range n {
		a.Scatter[i*n+i] = max(0, a.Scatter[i*n+i])
		a.Mean[i] += rest[i]
	}
	a.Rows, a.Count = a.Rows-b.Rows, a.Count-b.Count
	if !known {
		a.Cubic, a.Quartic = nil, 0
		return
	}
	a.Recenter(rest, cubic, quartic)
}

// Recenter is the inverse of About: it sets the third and fourth moments from the moments of z+d. The scatter must
// already be about the mean.
func (m *Class) Recenter(d, cubic []float64, quartic float64) {
	s := newShift(&Class{Scatter: m.Scatter}, d)
	count := m.Count
	td := 0.0
	for i, x := range d {
		m.Cubic[i] = cubic[i] - 2*s.md[i] - (s.trace+count*s.dd)*x
		td += x * m.Cubic[i]
	}
	m.Quartic = max(0, quartic-4*td-4*s.dmd-2*s.dd*s.trace-count*s.dd*s.dd)
}
