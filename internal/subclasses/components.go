package subclasses

import (
	"rao/gaussian"
	"rao/internal/classstats"
	"rao/internal/moments"
	"rao/internal/statsarrays"
)

// momentsOf returns the moments of component k; the slices are copies.
func momentsOf(s *gaussian.Statistics, k int) *moments.Class {
	return moments.FromCovariance(s.Counts[k], classstats.Weight(s, k), s.Mean(k), classstats.CovarianceOf(s, k),
		make([]float64, s.Dim*s.Dim))
}

// setComponent writes m as component k. The scatter of m may be the memory of the covariance.
func setComponent(s *gaussian.Statistics, k int, m *moments.Class) {
	s.Counts[k] = m.Rows
	copy(s.Mean(k), m.Mean)
	m.Covariance(classstats.CovarianceOf(s, k))
}

// arraysOf returns the arrays of the components, which share memory with s. Package gaussian has the same conversion,
// but its exported methods return no internal types.
func arraysOf(s *gaussian.Statistics) *statsarrays.Arrays {
	return &statsarrays.Arrays{Classes: s.Classes, Counts: s.Counts, Weights: s.Weights, Dim: s.Dim, Means: s.Means,
		Covariances: s.Covariances, Cubic: s.Cubic, Quartic: s.Quartic, Columns: s.Columns, Single: s.Single}
}
