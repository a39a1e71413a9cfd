package sqfa

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/gaussian"
)

// Model holds learned filters. Its exported fields determine it; its methods may
// be called from several goroutines.
type Model struct {
	// Filters holds one filter a column, n×m, of unit norm unless the constraint
	// was None. The entry of largest magnitude of each is positive.
	Filters *mat.Dense
	// Noise is the feature noise σ² that the filters were learned with.
	Noise float64
	// Distance and Aggregate name the objective, Constraint what the filters
	// satisfy.
	Distance, Aggregate, Constraint string
	// Classes are the names of the classes.
	Classes []string
	// Pairs are the dissimilarities of the class pairs at the end, with feature
	// noise, in the order of gaussian.PairIndex.
	Pairs []float64
	// NoiseGrid and NoiseScores show how an automatic noise was chosen: candidates
	// and what they scored, the higher the better. Empty when the noise was given.
	NoiseGrid, NoiseScores []float64
	// Report tells how the fit went. Objective is the objective maximized; History
	// has it after each iteration of the fit that was kept.
	Report rao.Report
}

// Dims returns the numbers of data dimensions and of filters.
func (m *Model) Dims() (in, out int) { return m.Filters.Dims() }

// Transform writes the features X F of the rows of x to dst, N×m. An empty dst is
// resized; otherwise it panics with mat.ErrShape if a shape is wrong.
func (m *Model) Transform(dst *mat.Dense, x mat.Matrix) {
	dst.Mul(x, m.Filters)
}

// Affine returns the filters, n×m; nothing is subtracted before them.
func (m *Model) Affine() (filters *mat.Dense, center []float64) { return m.Filters, nil }

// Statistics returns the statistics of the features, without noise.
func (m *Model) Statistics(stats *gaussian.Statistics) *gaussian.Statistics {
	n, k := m.Filters.Dims()
	if stats.Dim != n {
		panic(mat.ErrShape)
	}
	return stats.Project(values(m.Filters), k)
}

// values returns the values of a matrix, row-major without gaps.
func values(m *mat.Dense) []float64 {
	raw := m.RawMatrix()
	if raw.Stride == raw.Cols {
		return raw.Data[:raw.Rows*raw.Cols]
	}
	out := make([]float64, 0, raw.Rows*raw.Cols)
	for i := range raw.Rows {
		out = append(out, m.RawRowView(i)...)
	}
	return out
}

// Validate returns an error unless the fields fit together and are finite.
func (m *Model) Validate() error {
	if m.Filters == nil || m.Filters.IsEmpty() {
		return fmt.Errorf("sqfa model holds no filters")
	}
	n, k := m.Filters.Dims()
	if k > n {
		return fmt.Errorf("sqfa model holds %d filters in %d dimensions", k, n)
	}
	for i := range n {
		for j, v := range m.Filters.RawRowView(i) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("sqfa model: filter %d has %g in dimension %d", j, v, i)
			}
		}
	}
	if !(m.Noise >= 0) || math.IsInf(m.Noise, 0) {
		return fmt.Errorf("sqfa model: noise %g is not a finite variance", m.Noise)
	}
	if _, err := gaussian.ParseDissimilarity(m.Distance); err != nil {
		return fmt.Errorf("sqfa model: %w", err)
	}
	if c := len(m.Classes); len(m.Pairs) != 0 && len(m.Pairs) != gaussian.NumPairs(c) {
		return fmt.Errorf("sqfa model: %d pair values for %d classes", len(m.Pairs), c)
	}
	if len(m.NoiseGrid) != len(m.NoiseScores) {
		return fmt.Errorf("sqfa model: %d noise candidates with %d scores", len(m.NoiseGrid), len(m.NoiseScores))
	}
	return nil
}
