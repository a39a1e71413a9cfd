package gaussian

import (
	"rao/internal/classcolumns"
	"rao/internal/moments"
)

// classIn returns the moments of class i. Its scatter is written to the given n×n memory, and the other slices are
// copies.
func (s *Statistics) classIn(i int, memory []float64) *moments.Class {
	n := s.Dim
	m := moments.FromCovariance(s.Counts[i], classcolumns.WeightOf(s.Counts, s.Weights, i), s.Mean(i), s.cov(i), memory)
	if s.Cubic != nil {
		m.Cubic = append(m.Cubic, s.Cubic[i*n:(i+1)*n]...)
		m.Quartic = s.Quartic[i]
	}
	return m
}

// setClass writes m as class i. The scatter of m may be the memory of the covariance. Cubic and Quartic of s must be
// allocated if m and all other classes have them.
func (s *Statistics) setClass(i int, m *moments.Class) {
	n := s.Dim
	s.setWeight(i, m.Rows, m.Count)
	copy(s.Mean(i), m.Mean)
	m.Covariance(s.cov(i))
	if s.Cubic != nil {
		copy(s.Cubic[i*n:(i+1)*n], m.Cubic)
		s.Quartic[i] = m.Quartic
	}
}
