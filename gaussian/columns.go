package gaussian

import (
	"slices"

	"rao/internal/linalg/vec"
	"rao/internal/provenance"
	"rao/internal/statsarrays"
)

// MatchColumns returns the statistics with the columns in the order of the given names. If the columns are already in
// this order, or if s or columns has no names, it returns s itself. The error names the columns that cannot be matched.
func (s *Statistics) MatchColumns(columns []string) (*Statistics, error) {
	order, err := provenance.OrderColumns(columns, s.Columns)
	if err != nil || order == nil {
		return s, err
	}
	n := s.Dim
	out := New(s.Classes, n)
	copy(out.Counts, s.Counts)
	out.Weights = slices.Clone(s.Weights)
	out.Columns, out.Parts, out.Unmarked, out.own = slices.Clone(columns), s.Parts, s.Unmarked, s.own
	out.Inputs, out.Labels, out.Single = s.Inputs.reordered(columns, order), s.Labels, s.Single
	out.Means = reordered(s.Means, order)
	if s.Cubic != nil {
		out.Cubic, out.Quartic = reordered(s.Cubic, order), slices.Clone(s.Quartic)
	}
	for i := range s.Counts {
		vec.Submatrix(out.cov(i), s.cov(i), len(order), order)
	}
	return out, nil
}

// matchColumns is [Statistics.MatchColumns] for pooled and diagonal statistics.
func (s *Source) matchColumns(columns []string) (*Source, error) {
	order, err := provenance.OrderColumns(columns, s.Columns)
	if err != nil || order == nil {
		return s, err
	}
	out := *s
	out.Columns, out.Means = slices.Clone(columns), reordered(s.Means, order)
	out.Inputs = s.Inputs.reordered(columns, order)
	if s.Structure == statsarrays.Diagonal {
		out.spread = reordered(s.spread, order)
	} else {
		out.spread = make([]float64, len(s.spread))
		vec.Submatrix(out.spread, s.spread, len(order), order)
	}
	return out.present(), nil
}

func reordered(x []float64, order []int) []float64 {
	n, out := len(order), make([]float64, len(x))
	for k := range out {
		out[k] = x[k/n*n+order[k%n]]
	}
	return out
}
